package connectortest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/connectors/media"
	"crier/connectors/media/mediatest"
	"crier/schema"
)

// leaving is what leaves crier with media: nothing that says where, when and by whom it was made.
func leaving() []clause {
	return []clause{
		{"a photo of a phone is published as it is shown, without its position", takesImage, photoLeavesWithoutPosition},
		{"a film is published without its position", takesVideo, filmLeavesWithoutPosition},
	}
}

// library keeps uploads for the stage, and serves them to platforms, as crier does.
func (s *stage) library(t *testing.T) *media.Library {
	t.Helper()
	folder, err := media.NewFolder(filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	var l *media.Library
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		id, err := schema.ParseID[schema.MediaID](parts[1])
		of, ok := schema.ParseVariant(parts[2])
		if err != nil || !ok {
			http.NotFound(rw, r)
			return
		}
		content, mediaType, err := l.OpenVariant(r.Context(), id, of)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusNotFound)
			return
		}
		defer content.Close()
		rw.Header().Set("Content-Type", mediaType)
		http.ServeContent(rw, r, "", time.Time{}, content)
	}))
	t.Cleanup(server.Close)
	s.served = server.URL + "/"
	l, err = media.NewLibrary(media.LibraryConfig{
		Blobs: folder, Arriving: filepath.Join(t.TempDir(), "arriving"), MaxBytes: largestMedia,
		Constraints: func(schema.Platform) schema.Constraints { return s.fixture.Constraints },
		Files:       s.served,
		Decoder:     mediatest.Decoder("-test.run=^" + strings.Split(t.Name(), "/")[0] + "$"),
	})
	if err != nil {
		t.Fatal(err)
	}
	fetcher := media.NewFetcher(media.Config{
		HTTP: s.parts.HTTP, Dir: t.TempDir(), Timeout: schema.CallDeadline, Limits: media.Limits{MaxBytes: largestMedia}, Stored: l.Stored,
	})
	s.parts.Media = l.Fitting(fetcher, s.fixture.Constraints.Platform)
	s.restart()
	return l
}

// upload keeps content as an upload and returns it as an item.
func (s *stage) upload(t *testing.T, l *media.Library, content []byte) schema.Media {
	t.Helper()
	id := schema.NewID[schema.MediaID](time.Now())
	facts, err := l.Keep(t.Context(), id, bytes.NewReader(content), []schema.MediaKind{schema.Image, schema.Video})
	if err != nil {
		t.Fatal(err)
	}
	return schema.Media{Kind: facts.Kind, MediaID: id, URL: s.served + id.String() + "/secret" + schema.Ending(facts.Type), Facts: &facts, AltText: "three colors"}
}

func photoLeavesWithoutPosition(t *testing.T, s *stage) {
	l := s.library(t)
	for i, format := range []string{"jpg", "png", "webp", "heic", "avif"} {
		item := s.upload(t, l, mediatest.Photo(format))
		item.Fit = schema.FitCover
		s.publish(t, s.delivery("a photo as "+format, item))
		wantShown(t, s.lastContent(t, i+1), s.fixture.Constraints.Media)
	}
	byURL := s.delivery("a photo by its url", schema.Media{Kind: schema.Image, URL: Serve(t, serving(mediatest.Photo("jpg"))) + "/a.jpg", AltText: "three colors"})
	if byURL.Media[0].Fit = schema.FitCover; s.fixture.Pulls {
		byURL.Media[0].Fit = schema.FitNone
	}
	if limits := s.fixture.Constraints.Media; limits.MaxAspect == 0 || limits.MaxAspect > 1 {
		s.publish(t, byURL)
		wantShown(t, s.lastContent(t, 6), limits)
	}
}

func filmLeavesWithoutPosition(t *testing.T, s *stage) {
	l := s.library(t)
	film := withPosition(s.files.shape.video())
	s.publish(t, s.delivery("a film", s.upload(t, l, film)))
	if content := s.lastContent(t, 1); len(content) != len(film) || mediatest.Says(content) {
		t.Errorf("of %d bytes %d were published, with the position: %t", len(film), len(content), mediatest.Says(content))
	}
	s.publish(t, s.delivery("a film by its url", schema.Media{Kind: schema.Video, URL: Serve(t, serving(film)) + "/a.mp4", AltText: "nothing"}))
	if content := s.lastContent(t, 2); len(content) != len(film) || mediatest.Says(content) {
		t.Errorf("by its url: of %d bytes %d were published, with the position: %t", len(film), len(content), mediatest.Says(content))
	}
}

func serving(content []byte) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.ServeContent(rw, r, "", time.Time{}, bytes.NewReader(content))
	})
}

// withPosition puts a position and an author at the end of a film's header.
func withPosition(film []byte) []byte {
	user := box("udta", box("\xa9xyz", []byte{0, 18, 0x15, 0xc7}, []byte("+48.8584+002.2945/")), box("auth", []byte("SECRETMARK")))
	at := bytes.Index(film, []byte("moov")) - 4
	size := binary.BigEndian.Uint32(film[at:])
	end := at + int(size)
	extended := append(bytes.Clone(film[:end]), user...)
	binary.BigEndian.PutUint32(extended[at:], size+uint32(len(user)))
	return append(extended, film[end:]...)
}

// lastContent returns the content of the last of so many posts, as the platform has it.
func (s *stage) lastContent(t *testing.T, posts int) []byte {
	t.Helper()
	post := s.posts(t, posts)[posts-1]
	if len(post.Media) != 1 {
		t.Fatalf("the post has %d media items", len(post.Media))
	}
	file, err := s.world.Content(post.Media[0].Content)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || int64(len(content)) != post.Media[0].Size {
		t.Fatalf("%d of %d bytes: %v", len(content), post.Media[0].Size, err)
	}
	return content
}

// wantShown holds a photo that was published against how it is to be shown. One that went out as it
// was is stored lying, with its own colors and what says so; one that was made to fit is neither.
func wantShown(t *testing.T, content []byte, limits schema.MediaLimits) {
	t.Helper()
	if mediatest.Says(content) {
		t.Error("it says where it was taken")
	}
	facts, err := media.Probe(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	isUpright := limits.MaxAspect > 0 && limits.MaxAspect < 1
	if facts.Width > mediatest.Width || (facts.Width > facts.Height) == isUpright {
		t.Errorf("it is shown in %d × %d pixels", facts.Width, facts.Height)
	}
	m, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	size := m.Bounds().Size()
	isLying := size.X != facts.Width
	corner := image.Pt(10, 10)
	if isLying {
		corner = image.Pt(10, size.Y-10)
	}
	c := m.At(corner.X, corner.Y)
	if hasProfile := bytes.Contains(content, []byte("ICC_PROFILE")) || bytes.Contains(content, []byte("iCCP")) || bytes.Contains(content, []byte("ICCP")); hasProfile != isLying {
		t.Errorf("it lies: %t; it has a profile: %t", isLying, hasProfile)
	} else if r, g, b, _ := c.RGBA(); r < 2*g || r < 2*b || !hasProfile && mediatest.Name(c) != "red" {
		t.Errorf("its left upper corner is %v", color.RGBAModel.Convert(c))
	}
}
