package media

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/connectors/media/decoder"
	"crier/connectors/media/mediatest"
	"crier/connectors/media/metadata"
	"crier/schema"
)

func TestMain(m *testing.M) {
	decoder.Main()
	os.Exit(m.Run())
}

// formats are those of phones and of who edits their photos, with their media types.
var formats = map[string]string{
	"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "heic": "image/heic", "avif": "image/avif",
}

// all returns what is published of a file.
func all(t *testing.T, f *File) []byte {
	t.Helper()
	content, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	read, err := io.ReadAll(content)
	if err != nil || int64(len(read)) != f.Size {
		t.Fatalf("%d bytes of %d: %v", len(read), f.Size, err)
	}
	return read
}

// TestPhotosOfPhones has the same photo in every format: it is shown the same, and made to fit it has
// the same colors.
func TestPhotosOfPhones(t *testing.T) {
	narrow := demanding(1 << 20)
	narrow.Media.MaxAspect = 1 // cropped to a square, the middle of its upper side is where red and green meet
	for format, mediaType := range formats {
		t.Run(format, func(t *testing.T) {
			l, _ := fittingLibrary(t, narrow)
			id := l.keep(t, mediatest.Photo(format))
			original, err := l.Stored(t.Context(), id)
			if err != nil || original.Type != mediaType || original.Width != mediatest.Width || original.Height != mediatest.Height {
				t.Fatalf("probing: %+v, %v", original, err)
			}
			variant, err := l.Variant(t.Context(), id, schema.Variant{Platform: schema.Instagram, Fit: schema.FitCover})
			if err != nil {
				t.Fatal(err)
			}
			content := all(t, variant)
			if mediatest.Says(content) {
				t.Error("it says where it was taken")
			}
			wantPhoto(t, content, image.Pt(mediatest.Height, mediatest.Height))
		})
	}
}

// wantPhoto holds a photo against its colors and a size.
func wantPhoto(t *testing.T, content []byte, size image.Point) {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(content))
	if err != nil || m.Bounds().Size() != size {
		t.Fatalf("made: %v, %v; want %v", m.Bounds(), err, size)
	}
	for at, want := range map[image.Point]string{{20, 20}: "red", {size.X - 20, 20}: "green", {20, size.Y - 20}: "blue", {size.X - 20, size.Y - 20}: "blue"} {
		if got := mediatest.Name(m.At(at.X, at.Y)); got != want {
			t.Errorf("at %v it is %v, want %s", at, m.At(at.X, at.Y), want)
		}
	}
}

// TestFormatsOfPhonesAreConverted has HEIC and AVIF without fit: they become what a platform takes, and
// are refused where more than their format would have to change.
func TestFormatsOfPhonesAreConverted(t *testing.T) {
	platform := demanding(1 << 20)
	l, _ := fittingLibrary(t, platform)
	source := l.Fitting(NewFetcher(Config{Stored: l.Stored}), schema.Instagram)
	for _, format := range []string{"heic", "avif"} {
		item := schema.Media{MediaID: l.keep(t, mediatest.Photo(format))}
		file, err := source.Open(t.Context(), item)
		if err != nil || file.Type != "image/jpeg" {
			t.Fatalf("%s: %+v, %v", format, file, err)
		}
		wantPhoto(t, all(t, file), image.Pt(mediatest.Width, mediatest.Height))
		file.Close()
	}
	narrow := demanding(1 << 20)
	narrow.Media.MaxAspect = 1
	l, _ = fittingLibrary(t, narrow)
	item := schema.Media{MediaID: l.keep(t, mediatest.Photo("heic"))}
	file, err := l.Fitting(NewFetcher(Config{Stored: l.Stored}), schema.Instagram).Open(t.Context(), item)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Check(narrow); schema.KindOf(err) != schema.Refused || !strings.Contains(err.Error(), `"fit": "contain"`) {
		t.Errorf("too wide: %v", err)
	}
}

// TestFilesArePublishedWithoutMetadata opens every format as connectors do.
func TestFilesArePublishedWithoutMetadata(t *testing.T) {
	l, _ := fittingLibrary(t, schema.Constraints{Pulls: true, Media: schema.MediaLimits{
		Kinds: []schema.MediaKind{schema.Image, schema.Video}, ImageTypes: []string{"image/jpeg", "image/png", "image/webp", "image/heic", "image/avif"},
	}})
	fetcher, dir := newFetcher(t, time.Minute)
	fetcher.config.Stored = l.Stored
	source := l.Fitting(fetcher, schema.Mastodon)
	contents := map[string][]byte{"film": mediatest.Film()}
	for format := range formats {
		contents[format] = mediatest.Photo(format)
	}
	for name, content := range contents {
		id := schema.NewID[schema.MediaID](time.Now())
		facts, err := l.Keep(t.Context(), id, bytes.NewReader(content), []schema.MediaKind{schema.Image, schema.Video})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		address := serve(t, bytesOf(content, "text/plain"))
		for way, item := range map[string]schema.Media{
			"an upload": {MediaID: id, Facts: &facts}, "an upload of an earlier version": {MediaID: id}, "a url": {URL: address},
		} {
			file, err := source.Open(t.Context(), item)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
			sent := all(t, file)
			if mediatest.Says(sent) {
				t.Errorf("%s, %s: it says where it was made", name, way)
			}
			if want := item.MediaID; !want.IsZero() && item.Facts != nil && item.Sent().Size != int64(len(sent)) {
				t.Errorf("%s: %d bytes were foreseen, and %d are sent", name, item.Sent().Size, len(sent))
			}
			file.Close()
			item.KeepMetadata = true
			if file, err = source.Open(t.Context(), item); err != nil || !bytes.Equal(all(t, file), content) {
				t.Errorf("%s, %s: it is kept, and another: %v", name, way, err)
			}
			file.Close()
		}
		served, _, err := l.OpenVariant(t.Context(), id, schema.Variant{Platform: schema.Mastodon})
		if err != nil {
			t.Fatal(err)
		}
		if sent, err := io.ReadAll(served); err != nil || mediatest.Says(sent) {
			t.Errorf("%s: a platform fetches where it was made: %v", name, err)
		}
		served.Close()
	}
	wantNothingLeft(t, dir)
}

// TestPlatformsFetchACopyOfAURL has a platform that fetches by itself, with a server that it reaches and
// one that it does not.
func TestPlatformsFetchACopyOfAURL(t *testing.T) {
	film := mediatest.Film()
	c := schema.Constraints{Platform: schema.Threads, Pulls: true, Media: schema.MediaLimits{
		Kinds: []schema.MediaKind{schema.Image, schema.Video}, ImageTypes: []string{"image/jpeg"},
	}}
	l, _ := fittingLibrary(t, c)
	fetcher, dir := newFetcher(t, time.Minute)
	source := l.Fitting(fetcher, schema.Threads)
	item := schema.Media{URL: serve(t, bytesOf(film, "video/mp4")) + "/film.mp4", Upload: "an entry"}
	got, err := Inspect(t.Context(), source, item, c)
	if err != nil || got.URL != item.URL {
		t.Fatalf("a server that is not reached: %+v, %v", got, err)
	}
	l.files = "https://crier.example/api/v1/files/"
	for range 2 { // as after an answer that was lost
		if got, err = Inspect(t.Context(), source, item, c); err != nil {
			t.Fatal(err)
		}
	}
	name, ok := strings.CutPrefix(got.URL, l.files)
	text, file, _ := strings.Cut(name, "/")
	id, err := schema.ParseID[schema.MediaID](text)
	of, isVariant := schema.ParseVariant(file)
	if !ok || err != nil || !isVariant || !of.Copy || file != "copy.mp4" {
		t.Fatalf("address %s: %v", got.URL, err)
	}
	content, mediaType, err := l.OpenVariant(t.Context(), id, of)
	if err != nil || mediaType != "video/mp4" {
		t.Fatalf("%s, %v", mediaType, err)
	}
	defer content.Close()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.ServeContent(rw, r, "", time.Time{}, content)
	}))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if sent, err := io.ReadAll(response.Body); err != nil || len(sent) != len(film) || mediatest.Says(sent) {
		t.Errorf("%d of %d bytes, %v", len(sent), len(film), err)
	}
	if _, _, err := l.OpenVariant(t.Context(), schema.NewID[schema.MediaID](time.Now()), of); schema.KindOf(err) != schema.NotFound {
		t.Errorf("a copy that is none: %v", err)
	}
	item.KeepMetadata = true
	if got, err := Inspect(t.Context(), source, item, c); err != nil || got.URL != item.URL {
		t.Errorf("metadata is kept: %+v, %v", got, err)
	}
	photo := schema.Media{URL: serve(t, bytesOf(mediatest.Photo("heic"), "image/heic")) + "/a.heic", Upload: "an entry"}
	if got, err = Inspect(t.Context(), source, photo, c); err != nil || !strings.HasSuffix(got.URL, "/copy.jpg") {
		t.Errorf("a photo of a phone: %+v, %v", got, err)
	}
	l.files = ""
	if _, err = Inspect(t.Context(), source, photo, c); schema.KindOf(err) != schema.Refused {
		t.Errorf("a photo of a phone that cannot be served: %v", err)
	}
	wantNothingLeft(t, dir)
}

// TestAPlatformFetchesAPNGAsAJPEG has one that is converted unasked.
func TestAPlatformFetchesAPNGAsAJPEG(t *testing.T) {
	l, dir := fittingLibrary(t, schema.Constraints{Pulls: true, Media: schema.MediaLimits{
		Kinds: []schema.MediaKind{schema.Image}, ImageTypes: []string{"image/jpeg"}, Converts: true,
	}})
	id := l.keep(t, mediatest.Photo("png"))
	content, mediaType, err := l.OpenVariant(t.Context(), id, schema.Variant{Platform: schema.Instagram})
	if err != nil || mediaType != "image/jpeg" {
		t.Fatalf("it fetches %s, %v", mediaType, err)
	}
	content.Close()
	wantNothingLeft(t, dir)
}

// TestABucketServesWithoutMetadata reads an object in pieces, as platforms do.
func TestABucketServesWithoutMetadata(t *testing.T) {
	l, _ := newLibrary(t, newS3(t, service(t)))
	l.variants.constraints = func(schema.Platform) schema.Constraints { return schema.Constraints{Pulls: true} }
	film := mediatest.Film()
	id := schema.NewID[schema.MediaID](time.Now())
	if _, err := l.Keep(t.Context(), id, bytes.NewReader(film), []schema.MediaKind{schema.Video}); err != nil {
		t.Fatal(err)
	}
	content, mediaType, err := l.OpenVariant(t.Context(), id, schema.Variant{Platform: schema.Instagram})
	if err != nil || mediaType != "video/mp4" {
		t.Fatalf("%s, %v", mediaType, err)
	}
	defer content.Close()
	whole, err := io.ReadAll(content)
	if err != nil || len(whole) != len(film) || mediatest.Says(whole) {
		t.Fatalf("%d of %d bytes, %v", len(whole), len(film), err)
	}
	for _, at := range []int64{0, 100, int64(len(film)) / 2, int64(len(film)) - 10} {
		piece := make([]byte, 10)
		if _, err := content.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(content, piece); err != nil || !bytes.Equal(piece, whole[at:at+10]) {
			t.Errorf("at %d: %v", at, err)
		}
	}
}

// TestABucketServesACopyOfAURL has a photo copied to a bucket, whose metadata is cut out of what is read.
func TestABucketServesACopyOfAURL(t *testing.T) {
	c := schema.Constraints{Platform: schema.Threads, Pulls: true, Media: schema.MediaLimits{
		Kinds: []schema.MediaKind{schema.Image}, ImageTypes: []string{"image/jpeg"},
	}}
	l, _ := newLibrary(t, newS3(t, service(t)))
	l.variants.constraints = func(schema.Platform) schema.Constraints { return c }
	l.files = "https://crier.example/api/v1/files/"
	fetcher, _ := newFetcher(t, time.Minute)
	item := schema.Media{URL: serve(t, bytesOf(mediatest.Photo("jpg"), "image/jpeg")) + "/a.jpg", Upload: "an entry"}
	if _, err := Inspect(t.Context(), l.Fitting(fetcher, schema.Threads), item, c); err != nil {
		t.Fatal(err)
	}
	content, mediaType, err := l.OpenVariant(t.Context(), schema.CopyOf(item.Upload, item.URL), schema.Variant{Copy: true})
	if err != nil || mediaType != "image/jpeg" {
		t.Fatalf("%s, %v", mediaType, err)
	}
	defer content.Close()
	sent, err := io.ReadAll(content)
	if err != nil || mediatest.Says(sent) {
		t.Fatalf("%d bytes, %v", len(sent), err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(sent)); err != nil {
		t.Error(err)
	}
}

// TestAnUploadIsNotServedAsACopy asks for an upload by its id alone, which everybody sees who sees its
// posts.
func TestAnUploadIsNotServedAsACopy(t *testing.T) {
	l, _ := fittingLibrary(t, demanding(1<<20))
	id := l.keep(t, mediatest.Photo("jpg"))
	if _, _, err := l.OpenVariant(t.Context(), id, schema.Variant{Copy: true}); schema.KindOf(err) != schema.NotFound {
		t.Errorf("error = %v", err)
	}
}

// TestPhotosThatAreNotDecoded has what no bound lets through.
func TestPhotosThatAreNotDecoded(t *testing.T) {
	photo := mediatest.Photo("heic")
	for name, tt := range map[string]struct {
		content []byte
		size    int64
		pixels  int64
		want    schema.ErrorKind
	}{
		"damaged":         {photo[:len(photo)/2], int64(len(photo)), maxPixels, schema.Refused},
		"no picture":      {[]byte("hello"), 5, maxPixels, schema.Refused},
		"too many pixels": {photo, int64(len(photo)), 1000, schema.Refused},
		"too many bytes":  {photo, 1 << 40, maxPixels, schema.Refused},
	} {
		_, err := mediatest.Decoder().Decode(t.Context(), bytes.NewReader(tt.content), tt.size, "image/heic", tt.pixels)
		if schema.KindOf(err) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	// This program is started, as in production.
	if m, err := (decoder.Decoder{}).Decode(t.Context(), bytes.NewReader(photo), int64(len(photo)), "image/heic", maxPixels); err != nil {
		t.Errorf("whole: %v, %v", m, err)
	}
}

// TestAPhotoWithoutItsMetadataShowsTheSame decodes what is left of the formats of phones.
func TestAPhotoWithoutItsMetadataShowsTheSame(t *testing.T) {
	for _, format := range []string{"heic", "avif"} {
		photo, mediaType := mediatest.Photo(format), formats[format]
		plan, err := metadata.Find(bytes.NewReader(photo), int64(len(photo)), mediaType)
		if err != nil {
			t.Fatal(err)
		}
		left, err := io.ReadAll(plan.View(bytes.NewReader(photo), int64(len(photo))))
		if err != nil || mediatest.Says(left) {
			t.Fatalf("%s: %d bytes, %v", format, len(left), err)
		}
		decoded := func(content []byte) image.Image {
			m, err := mediatest.Decoder().Decode(t.Context(), bytes.NewReader(content), int64(len(content)), mediaType, maxPixels)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			return m
		}
		if !reflect.DeepEqual(decoded(photo), decoded(left)) {
			t.Errorf("%s is another picture", format)
		}
	}
}
