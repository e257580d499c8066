package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/connectors/media/mediatest"
	"crier/connectors/media/walk"
	"crier/schema"
)

// demanding is a platform that takes little; without a size in bytes in tests of the form.
func demanding(maximum int64) schema.Constraints {
	return schema.Constraints{Platform: schema.Instagram, Pulls: true, Media: schema.MediaLimits{
		Kinds: []schema.MediaKind{schema.Image}, ImageTypes: []string{"image/jpeg"}, MaxImageBytes: maximum,
		MinWidth: 100, MinHeight: 100, MinAspect: 0.8, MaxAspect: 1.91,
	}}
}

// fittingLibrary is a library with a platform in it, and its folder of arriving files.
func fittingLibrary(t *testing.T, c schema.Constraints) (*Library, string) {
	t.Helper()
	folder, err := NewFolder(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	arriving := filepath.Join(t.TempDir(), "arriving")
	l, err := NewLibrary(LibraryConfig{
		Blobs: folder, Arriving: arriving, MaxBytes: 64 << 20,
		Constraints: func(schema.Platform) schema.Constraints { return c }, Decoder: mediatest.Decoder(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, arriving
}

// keep stores a picture as an upload.
func (l *Library) keep(t *testing.T, content []byte) schema.MediaID {
	t.Helper()
	id := schema.NewID[schema.MediaID](time.Now())
	if _, err := l.Keep(t.Context(), id, bytes.NewReader(content), []schema.MediaKind{schema.Image, schema.GIF}); err != nil {
		t.Fatal(err)
	}
	return id
}

// quarters is a picture whose left upper quarter is red and whose right upper one is green;
// below it is blue.
func quarters(width, height int) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{B: 255, A: 255}
			switch {
			case y < height/2 && x < width/2:
				c = color.RGBA{R: 255, A: 255}
			case y < height/2:
				c = color.RGBA{G: 255, A: 255}
			}
			canvas.SetRGBA(x, y, c)
		}
	}
	return canvas
}

func encoded(t testing.TB, m image.Image, as string) []byte {
	t.Helper()
	var out bytes.Buffer
	var err error
	if as == "image/png" {
		err = png.Encode(&out, m)
	} else {
		err = jpeg.Encode(&out, m, &jpeg.Options{Quality: 95})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// turned puts an orientation into a JPEG.
func turned(content []byte, orientation byte) []byte {
	exif := append([]byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"), orientation, 0, 0, 0, 0, 0, 0, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, walk.APP1}, uint16(len(exif)+2))
	return bytes.Join([][]byte{content[:2], segment, exif, content[2:]}, nil)
}

// nameOf returns what a color is nearly.
func nameOf(c color.Color) string {
	r, g, b, a := c.RGBA()
	for name, is := range map[string]bool{
		"clear": a < 0x4000, "white": r > 0xd000 && g > 0xd000 && b > 0xd000, "red": r > 0xc000 && g < 0x4000 && b < 0x4000,
		"green": g > 0xc000 && r < 0x4000 && b < 0x4000, "blue": b > 0xc000 && r < 0x4000 && g < 0x4000,
	} {
		if is {
			return name
		}
	}
	return "none of them"
}

func (f *File) picture(t *testing.T) image.Image {
	t.Helper()
	content, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPicturesAreMadeToFit(t *testing.T) {
	takesPNG := demanding(1 << 20)
	takesPNG.Media.ImageTypes = []string{"image/jpeg", "image/png"}
	few := demanding(0)
	few.Media.MaxPixels = 100_000
	holes := quarters(400, 100)
	for x := range 400 {
		holes.SetRGBA(x, 99, color.RGBA{})
	}
	for name, tt := range map[string]struct {
		platform      schema.Constraints
		content       []byte
		fit           schema.Fit
		want          string // type and size
		middle, upper string // the color of the left half there, and at its edge
	}{
		"too wide, cropped":      {demanding(1 << 20), encoded(t, quarters(800, 200), ""), schema.FitCover, "image/jpeg 382 × 200", "red", "red"},
		"too wide, with bars":    {demanding(1 << 20), encoded(t, quarters(800, 200), ""), schema.FitContain, "image/jpeg 800 × 419", "red", "white"},
		"too tall, cropped":      {demanding(1 << 20), encoded(t, quarters(200, 800), ""), schema.FitCover, "image/jpeg 200 × 250", "red", "red"},
		"too tall, with bars":    {demanding(1 << 20), encoded(t, quarters(200, 800), ""), schema.FitContain, "image/jpeg 640 × 800", "red", "white"},
		"another type":           {demanding(1 << 20), encoded(t, quarters(200, 200), "image/png"), schema.FitCover, "image/jpeg 200 × 200", "red", "red"},
		"too many pixels":        {few, encoded(t, quarters(2000, 1600), ""), schema.FitCover, "image/jpeg 353 × 282", "red", "red"},
		"turned by a quarter":    {demanding(1 << 20), turned(encoded(t, quarters(800, 200), ""), 6), schema.FitCover, "image/jpeg 200 × 250", "blue", "blue"},
		"transparent, kept":      {takesPNG, encoded(t, holes, "image/png"), schema.FitContain, "image/png 400 × 209", "red", "clear"},
		"transparent, not taken": {demanding(1 << 20), encoded(t, holes, "image/png"), schema.FitContain, "image/jpeg 400 × 209", "red", "white"},
	} {
		t.Run(name, func(t *testing.T) {
			l, arriving := fittingLibrary(t, tt.platform)
			file, err := l.Variant(t.Context(), l.keep(t, tt.content), schema.Variant{Platform: schema.Instagram, Fit: tt.fit})
			if err != nil {
				t.Fatal(err)
			}
			if got := file.Type + " " + sizeOf(file); got != tt.want {
				t.Errorf("made %s, want %s", got, tt.want)
			}
			if err := file.Check(tt.platform); err != nil {
				t.Error(err)
			}
			m := file.picture(t)
			left := max(5, file.Width/4)
			if got := nameOf(m.At(left, file.Height/2-5)); name != "too tall, with bars" && got != tt.middle {
				t.Errorf("the middle is %s, want %s", got, tt.middle)
			}
			edge := image.Pt(left, 2)
			if name == "too tall, with bars" {
				edge = image.Pt(2, 2)
			}
			if got := nameOf(m.At(edge.X, edge.Y)); got != tt.upper {
				t.Errorf("the edge is %s, want %s", got, tt.upper)
			}
			wantNothingLeft(t, arriving)
		})
	}
}

func sizeOf(f *File) string { return fmt.Sprintf("%d × %d", f.Width, f.Height) }

// TestTurnedPicturesAreMadeUpright holds each orientation of Exif against where it has the
// corners of a picture (CIPA DC-008, 4.6).
func TestTurnedPicturesAreMadeUpright(t *testing.T) {
	for orientation, want := range [][2]string{ // left upper, right upper corner as shown
		1: {"red", "green"}, 2: {"green", "red"}, 3: {"blue", "blue"}, 4: {"blue", "blue"},
		5: {"red", "blue"}, 6: {"blue", "red"}, 7: {"blue", "green"}, 8: {"green", "blue"},
	} {
		if orientation == 0 {
			continue
		}
		few := demanding(0)
		few.Media.MaxPixels = 40_000
		l, _ := fittingLibrary(t, few)
		id := l.keep(t, turned(encoded(t, quarters(600, 500), ""), byte(orientation)))
		file, err := l.Variant(t.Context(), id, schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover})
		if err != nil {
			t.Fatal(err)
		}
		m := file.picture(t)
		if got := [2]string{nameOf(m.At(8, 8)), nameOf(m.At(file.Width-8, 8))}; got != want {
			t.Errorf("orientation %d: %v, want %v", orientation, got, want)
		}
		if upright := file.Width > file.Height; upright != (orientation < 5) {
			t.Errorf("orientation %d: %s", orientation, sizeOf(file))
		}
	}
}

// noise is a picture that can hardly be compressed.
func noise(width, height int) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range canvas.Pix {
		canvas.Pix[i] = byte(random.Uint32()) | 0xff*byte(i%4/3)
	}
	return canvas
}

func TestAVariantIsMadeOnceAndAlwaysTheSame(t *testing.T) {
	l, arriving := fittingLibrary(t, demanding(60_000))
	of := schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover}
	id := l.keep(t, encoded(t, noise(700, 700), "image/png"))
	contents := make([][]byte, 4)
	var making sync.WaitGroup
	for i := range contents {
		making.Go(func() {
			file, err := l.Variant(t.Context(), id, of)
			if err != nil {
				t.Error(err)
				return
			}
			if contents[i], err = os.ReadFile(file.Path); err != nil || !file.refitted {
				t.Errorf("%+v: %v", file, err)
			}
		})
	}
	making.Wait()
	if err := l.Remove(t.Context(), of.Of(id)); err != nil { // as the sweep does
		t.Fatal(err)
	}
	again, err := l.Variant(t.Context(), id, of)
	if err != nil {
		t.Fatal(err)
	}
	if again.Size > 60_000 {
		t.Errorf("made %d bytes", again.Size)
	}
	last, err := os.ReadFile(again.Path)
	for i, content := range contents {
		if err != nil || !bytes.Equal(content, last) {
			t.Errorf("maker %d got other bytes: %d and %d, %v", i, len(content), len(last), err)
		}
	}
	wantNothingLeft(t, arriving)
	if original, err := l.Stored(t.Context(), id); err != nil || original.Type != "image/png" || original.Width != 700 {
		t.Errorf("the upload became %+v, %v", original, err)
	}
}

func TestWhatIsNotMadeToFit(t *testing.T) {
	moving := movingGIF(t, 3)
	bomb := claimingPNG(t, 16_000, 16_000)
	cut := encoded(t, noise(800, 200), "image/png")
	copy(cut[len(cut)/2:], make([]byte, 400))
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"a picture that moves":        {moving, "a picture that moves is not made to fit"},
		"a picture that is too large": {bomb, "too large to be made to fit"},
		"a picture that is damaged":   {cut, "damaged"},
		"a picture that is too small": {encoded(t, quarters(300, 90), ""), "made to fit it would have 172 × 90 pixels"},
	} {
		t.Run(name, func(t *testing.T) {
			l, arriving := fittingLibrary(t, demanding(1<<20))
			id := l.keep(t, tt.content)
			var err error
			took := allocated(func() {
				_, err = l.Variant(t.Context(), id, schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover})
			})
			if schema.KindOf(err) != schema.Refused || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if name == "a picture that is too large" && took > mib {
				t.Errorf("it took %d bytes", took)
			}
			wantNothingLeft(t, arriving)
		})
	}
}

// TestDecodingTakesWhatProbingSays holds what planning relies on against the decoders.
func TestDecodingTakesWhatProbingSays(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 1200, 900))
	deep := image.NewNRGBA64(gray.Rect)
	few := image.NewPaletted(gray.Rect, color.Palette{color.Black, color.White})
	for name, content := range map[string][]byte{
		"JPEG": encoded(t, noise(1200, 900), ""), "gray JPEG": encoded(t, gray, ""),
		"PNG": encoded(t, noise(1200, 900), "image/png"), "gray PNG": encoded(t, gray, "image/png"),
		"deep PNG": encoded(t, deep, "image/png"), "PNG of few colors": encoded(t, few, "image/png"),
	} {
		l, _ := fittingLibrary(t, demanding(1<<20))
		file, err := l.Stored(t.Context(), l.keep(t, content))
		if err != nil {
			t.Fatal(err)
		}
		const besides = 300 << 10 // buffers, tables
		if took := allocated(func() { _, err = new(variants).decode(t.Context(), file) }); err != nil || int64(took) > file.Decoded+besides || file.Decoded > 2*int64(took) {
			t.Errorf("%s: decoding took %d bytes, %d were foreseen; %v", name, took, file.Decoded, err)
		}
	}
}

func TestAPictureWaitsForTheOneBefore(t *testing.T) {
	l, _ := fittingLibrary(t, demanding(1<<20))
	id := l.keep(t, encoded(t, quarters(800, 200), ""))
	if err := l.variants.turn.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	of := schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover}
	if _, err := l.Variant(ctx, id, of); schema.KindOf(err) != schema.Unavailable {
		t.Errorf("error = %v", err)
	}
	l.variants.turn.Release(1)
	if _, err := l.Variant(t.Context(), id, of); err != nil {
		t.Error(err)
	}
}

// TestItemsAreOpenedAsTheyAreToBe has items by url and by id, with and without fit.
func TestItemsAreOpenedAsTheyAreToBe(t *testing.T) {
	platform := demanding(1 << 20)
	l, _ := fittingLibrary(t, platform)
	wide := encoded(t, quarters(800, 200), "")
	fetcher, dir := newFetcher(t, time.Minute)
	fetcher.config.Stored = l.Stored
	source := l.Fitting(fetcher, schema.Instagram)
	byURL := schema.Media{URL: serve(t, bytesOf(wide, "image/jpeg")) + "/a.jpg"}
	byID := schema.Media{MediaID: l.keep(t, wide), URL: "https://crier.example/files/x/secret.jpg"}
	for name, item := range map[string]schema.Media{"by url": byURL, "by id": byID} {
		for _, fit := range []schema.Fit{schema.FitNone, schema.FitCover} {
			item.Fit = fit
			file, err := source.Open(t.Context(), item)
			if err != nil {
				t.Fatalf("%s, %q: %v", name, fit, err)
			}
			if err := file.Check(platform); (err == nil) != (fit == schema.FitCover) {
				t.Errorf("%s, %q: %v", name, fit, err)
			}
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	wantNothingLeft(t, dir)
	byID.Fit = schema.FitCover
	pulled, err := Inspect(t.Context(), source, byID, platform)
	if err != nil || pulled.URL != "https://crier.example/files/x/secret.cover-instagram.jpg" || pulled.Facts.Width != 382 {
		t.Errorf("to be fetched: %+v, %v", pulled, err)
	}
	v, ok := schema.ParseVariant("secret.cover-instagram.jpg")
	if !ok || v != (schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover}) {
		t.Errorf("the address names %+v", v)
	}
	byID.Fit = schema.FitNone
	if _, err := Inspect(t.Context(), source, byID, platform); schema.KindOf(err) != schema.Refused || errors.Is(err, os.ErrNotExist) {
		t.Errorf("without fit: %v", err)
	}
}

// claimingPNG is a PNG of any size, and of few bytes.
func claimingPNG(t testing.TB, width, height uint32) []byte {
	t.Helper()
	content := encoded(t, quarters(4, 4), "image/png")
	binary.BigEndian.PutUint32(content[16:], width)
	binary.BigEndian.PutUint32(content[20:], height)
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(content[12:29]))
	return content
}
