package connectortest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	imagejpeg "image/jpeg"
	imagepng "image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// mediaServer serves media to connectors over loopback, and remembers who asked.
type mediaServer struct {
	url   string
	shape shape

	mu       sync.Mutex
	received []string // requests in full, without bodies
	fail     int      // status to answer with; 0: none
}

// newMediaServer serves /image.png, /image.jpg, /video.mp4, /film.mp4, /page.html, which says that
// it is an image, /large/{bytes}, an image of so many, and /private.png, which
// redirects to an address that is not public.
func newMediaServer(t *testing.T, limits schema.MediaLimits) *mediaServer {
	m := &mediaServer{shape: shapeFor(limits)}
	mux := http.NewServeMux()
	serve := func(path, contentType string, content func() []byte) {
		content = sync.OnceValue(content)
		mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", contentType)
			http.ServeContent(rw, r, path, time.Time{}, bytes.NewReader(content()))
		})
	}
	serve("/image.png", png, m.shape.png)
	serve("/image.jpg", jpeg, m.shape.jpeg)
	serve("/video.mp4", "video/mp4", m.shape.video)
	serve("/film.mp4", "video/mp4", m.shape.film)
	serve("/page.html", png, func() []byte { return []byte(page) })
	mux.HandleFunc("GET /large/{size}", m.writeLarge)
	mux.Handle("GET /private.png", http.RedirectHandler("http://"+privateAddress+"/image.png", http.StatusFound))
	server := httptest.NewServer(m.watch(mux))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// writeLarge streams an image of so many bytes, without saying how many.
func (m *mediaServer) writeLarge(rw http.ResponseWriter, r *http.Request) {
	size, err := strconv.ParseInt(r.PathValue("size"), 10, 64)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	rw.Header().Set("Content-Type", png)
	image := m.shape.png()
	const around, end = 12, 12 // bytes of a chunk apart from its content, and of the last one
	rw.Write(image[:len(image)-end])
	filling := size - int64(len(image)) - around // a background that is none: what follows a picture is not published
	rw.Write(binary.BigEndian.AppendUint32(nil, uint32(filling)))
	io.WriteString(rw, "bKGD")
	io.CopyN(rw, zeros{}, filling+4) // ends early when the reader has had enough
	rw.Write(image[len(image)-end:])
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (m *mediaServer) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if status := m.remember(r); status != 0 {
			rw.WriteHeader(status)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

func (m *mediaServer) remember(r *http.Request) (fail int) {
	var request strings.Builder
	request.WriteString(r.RequestURI + "\n")
	r.Header.Write(&request)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.received = append(m.received, request.String())
	return m.fail
}

// failWith has every request answered with a status.
func (m *mediaServer) failWith(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = status
}

func (m *mediaServer) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.received...)
}

func (m *mediaServer) item(kind schema.MediaKind, path string) schema.Media {
	return schema.Media{Kind: kind, URL: m.url + path, AltText: "a square"}
}

func (m *mediaServer) png() schema.Media   { return m.item(schema.Image, "/image.png") }
func (m *mediaServer) jpeg() schema.Media  { return m.item(schema.Image, "/image.jpg") }
func (m *mediaServer) video() schema.Media { return m.item(schema.Video, "/video.mp4") }
func (m *mediaServer) film() schema.Media  { return m.item(schema.Video, "/film.mp4") }

// film is a video that platforms take in several parts: at its end is a box without meaning,
// whose bytes all differ from their neighbours.
func (s shape) film() []byte {
	const padding = 11 << 20
	film := binary.BigEndian.AppendUint32(s.video(), 8+padding)
	film = append(film, "mdat"...)
	for i := range padding / 4 {
		film = binary.BigEndian.AppendUint32(film, uint32(i))
	}
	return film
}

const (
	png  = "image/png"
	jpeg = "image/jpeg"
)

// image returns an image of a type that the platform takes.
func (s *stage) image() schema.Media {
	if s.imageType() == png {
		return s.files.png()
	}
	return s.files.jpeg()
}

// imageType returns the media type of image.
func (s *stage) imageType() string {
	if s.fixture.takesType(png) {
		return png
	}
	return jpeg
}

// smallestMedia returns what the platform takes where it requires media.
func (s *stage) smallestMedia() schema.Media {
	if takesImage(s.fixture) {
		return s.image()
	}
	return s.files.video()
}

// mediaOf returns an item of a kind.
func (s *stage) mediaOf(kind schema.MediaKind) schema.Media {
	if kind == schema.Video {
		return s.files.video()
	}
	return s.image()
}

// shape is what pictures and videos measure, in pixels.
type shape struct{ ofPicture, ofVideo image.Point }

// shapeFor returns what a platform's bounds let through: a square and a wide film where they
// can be.
func shapeFor(limits schema.MediaLimits) shape {
	s := shape{ofPicture: image.Pt(600, 600), ofVideo: image.Pt(640, 360)}
	if maximum := limits.MaxAspect; maximum > 0 && maximum < 1 {
		s.ofPicture.Y = int(math.Ceil(float64(s.ofPicture.X) / maximum))
	}
	if maximum := limits.MaxAspect; maximum > 0 && !limits.AspectOfImages && float64(s.ofVideo.X)/float64(s.ofVideo.Y) > maximum {
		s.ofVideo.X, s.ofVideo.Y = s.ofVideo.Y, s.ofVideo.X
	}
	return s
}

func (s shape) draw() image.Image {
	picture := image.NewPaletted(image.Rectangle{Max: s.ofPicture}, color.Palette{color.White, color.RGBA{R: 200, A: 255}})
	for i := range min(s.ofPicture.X, s.ofPicture.Y) {
		picture.SetColorIndex(i, i, 1)
	}
	return picture
}

func (s shape) png() []byte {
	var content bytes.Buffer
	if err := imagepng.Encode(&content, s.draw()); err != nil {
		panic(err) // a buffer takes all
	}
	return content.Bytes()
}

func (s shape) jpeg() []byte {
	var content bytes.Buffer
	if err := imagejpeg.Encode(&content, s.draw(), nil); err != nil {
		panic(err) // a buffer takes all
	}
	return content.Bytes()
}

// video is the shortest film of ISO/IEC 14496-12 and -14: five seconds of one track, with a
// sample table that is empty.
func (s shape) video() []byte {
	const timescale, duration = 1000, 5000
	matrix := bigEndian(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
	movieHeader := box("mvhd", bigEndian(0, 0, 0, timescale, duration, 0x10000, 0x01000000, 0, 0),
		matrix, make([]byte, 6*4), bigEndian(2))
	trackHeader := box("tkhd", bigEndian(7, 0, 0, 1, 0, duration, 0, 0, 0, 0),
		matrix, bigEndian(uint32(s.ofVideo.X)<<16, uint32(s.ofVideo.Y)<<16))
	empty := bigEndian(0, 0)
	sampleTable := box("stbl", box("stsd", empty), box("stts", empty), box("stsc", empty),
		box("stsz", bigEndian(0, 0, 0)), box("stco", empty))
	information := box("minf", box("vmhd", bigEndian(1, 0, 0)),
		box("dinf", box("dref", bigEndian(0, 1), box("url ", bigEndian(1)))), sampleTable)
	track := box("mdia",
		box("mdhd", bigEndian(0, 0, 0, timescale, duration, 0x55c40000)),
		box("hdlr", bigEndian(0, 0), []byte("vide"), make([]byte, 13)), information)
	return bytes.Join([][]byte{
		box("ftyp", []byte("isom"), bigEndian(0x200), []byte("isomiso2avc1mp41")),
		box("moov", movieHeader, box("trak", trackHeader, track)),
		box("mdat", make([]byte, 512)),
	}, nil)
}

func box(kind string, content ...[]byte) []byte {
	body := bytes.Join(content, nil)
	head := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(head, kind...), body...)
}

func bigEndian(values ...uint32) []byte {
	var encoded []byte
	for _, v := range values {
		encoded = binary.BigEndian.AppendUint32(encoded, v)
	}
	return encoded
}
