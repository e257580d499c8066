package metadata

import (
	"bytes"
	"embed"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"slices"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"

	"crier/connectors/media/exif"
	"crier/connectors/media/heif"
)

// files were made by ffmpeg, heif-enc and cwebp, and given a position, an author, a comment and, the
// pictures, orientation 6 by exiftool in every way that it knows.
//
//go:embed testdata/*.*
var files embed.FS

var typeOf = map[string]string{
	"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif", "heic": heif.HEIC, "avif": heif.AVIF,
	"mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "avi": "video/x-msvideo",
}

// marks are what the files say in one way or another: an author, the latitude as text, as the rational
// numbers of Exif in both orders, and in 16.16 fixed point; and the year 2021 of films, in seconds since
// 1904.
var marks = []string{
	"SECRETMARK", "48.8584",
	"\x00\x00\x00\x30\x00\x00\x00\x01\x00\x00\x00\x33\x00\x00\x00\x01", "\x30\x00\x00\x00\x01\x00\x00\x00\x33\x00\x00\x00\x01\x00\x00\x00",
	"\x00\x30\xdb\xc0", "\x00\x30\xdb\xbf", "\xdc\x66",
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// bare returns content without its metadata, which has to be as long as the plan says and to have
// nothing that another plan would remove.
func bare(t testing.TB, content []byte, mediaType string) ([]byte, Plan) {
	t.Helper()
	plan, err := Find(bytes.NewReader(content), int64(len(content)), mediaType)
	if err != nil {
		t.Fatal(err)
	}
	left, err := io.ReadAll(plan.View(bytes.NewReader(content), int64(len(content))))
	if err != nil || int64(len(left)) != int64(len(content))-plan.Removed() {
		t.Fatalf("%d of %d bytes are left, and %d removed: %v", len(left), len(content), plan.Removed(), err)
	}
	again, err := Find(bytes.NewReader(left), int64(len(left)), mediaType)
	if err != nil || len(again.Edits) > 0 {
		t.Errorf("what is left has more to remove: %+v, %v", again.Edits, err)
	}
	return left, plan
}

func marksIn(content []byte) (found []string) {
	for _, mark := range marks[:len(marks)-1] {
		if bytes.Contains(content, []byte(mark)) {
			found = append(found, mark)
		}
	}
	return found
}

func TestNothingSaysWhereAPictureOrFilmWasMade(t *testing.T) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() { // what fuzzing found
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			content := read(t, entry.Name())
			_, ending, _ := strings.Cut(entry.Name(), ".")
			if len(marksIn(content)) == 0 {
				t.Fatal("the file says nothing")
			}
			left, plan := bare(t, content, typeOf[ending])
			if found := marksIn(left); len(found) > 0 {
				t.Errorf("it still says %q", found)
			}
			isFilm := strings.HasPrefix(typeOf[ending], "video/")
			if isFilm || ending == "heic" || ending == "avif" {
				if plan.Removed() != 0 {
					t.Errorf("it is %d bytes shorter", plan.Removed())
				}
				return
			}
			if before, after := pixels(t, content), pixels(t, left); !bytes.Equal(before, after) {
				t.Error("the picture is another one")
			}
		})
	}
}

// pixels returns a picture as it is decoded.
func pixels(t *testing.T, content []byte) []byte {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			r, g, b, a := m.At(x, y).RGBA()
			all = append(all, byte(r>>8), byte(g>>8), byte(b>>8), byte(a>>8))
		}
	}
	return all
}

// TestOrientationStays has the pictures that say how they are turned in Exif.
func TestOrientationStays(t *testing.T) {
	for _, ending := range []string{"jpg", "png", "webp"} {
		left, _ := bare(t, read(t, "photo."+ending), typeOf[ending])
		at := bytes.Index(left, []byte("MM\x00*"))
		if at < 0 || exif.Read(left[at:]) != 6 || bytes.Count(left, []byte("MM\x00*"))+bytes.Count(left, []byte("II*\x00")) != 1 {
			t.Errorf("%s: there is no Exif of orientation 6 alone", ending)
		}
	}
}

// TestViewsAreReadFromAnywhere reads pieces of all lengths at all places.
func TestViewsAreReadFromAnywhere(t *testing.T) {
	for _, name := range []string{"photo.png", "photo.webp", "header-first.mp4"} {
		content := read(t, name)
		_, ending, _ := strings.Cut(name, ".")
		plan, err := Find(bytes.NewReader(content), int64(len(content)), typeOf[ending])
		if err != nil {
			t.Fatal(err)
		}
		view := plan.View(bytes.NewReader(content), int64(len(content)))
		whole, err := io.ReadAll(view)
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{1, 7, 100, len(whole)} {
			for at := 0; at+length <= len(whole); at += 1 + length/3 {
				piece := make([]byte, length)
				if _, err := view.ReadAt(piece, int64(at)); err != nil || !bytes.Equal(piece, whole[at:at+length]) {
					t.Fatalf("%s: %d bytes at %d are others: %v", name, length, at, err)
				}
			}
		}
		cut := plan.View(bytes.NewReader(content[:100]), int64(len(content)))
		if _, err := io.ReadAll(cut); err == nil {
			t.Errorf("%s: a file that became shorter is whole", name)
		}
	}
}

func TestTimedMetadataTracksAreNamed(t *testing.T) {
	track := func(handler, sample string) []byte {
		return box("trak", box("mdia",
			box("hdlr", make([]byte, 8), []byte(handler), make([]byte, 13)),
			box("minf", box("stbl", box("stsd", []byte{0, 0, 0, 0, 0, 0, 0, 1}, box(sample, make([]byte, 8)))))))
	}
	film := func(tracks ...[]byte) []byte {
		return slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00isom")), box("moov", tracks...))
	}
	for name, tt := range map[string]struct {
		content []byte
		want    []string
	}{
		"a film without":       {film(track("vide", "avc1"), track("soun", "mp4a"), track("tmcd", "tmcd")), nil},
		"of a phone":           {film(track("vide", "avc1"), track("meta", "mebx")), []string{"mebx"}},
		"of a camera":          {film(track("meta", "gpmd"), track("vide", "hvc1")), []string{"gpmd"}},
		"of a drone":           {film(track("vide", "avc1"), track("sbtl", "tx3g")), []string{"sbtl"}},
		"of two":               {film(track("meta", "mebx"), track("camm", "camm")), []string{"mebx", "camm"}},
		"that nobody heard of": {film(track("meta", "who?")), []string{"meta"}},
		"with signs that hide": {film(track("a\x00\nb", "c\x00\nd")), []string{"a??b"}},
	} {
		plan, err := Find(bytes.NewReader(tt.content), int64(len(tt.content)), "video/mp4")
		if err != nil || !slices.Equal(plan.Tracks, tt.want) {
			t.Errorf("%s: tracks %q, want %q; %v", name, plan.Tracks, tt.want, err)
		}
	}
}
