package telegram_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/telegram"
	"crier/connectors/telegram"
	"crier/schema"
)

const (
	token   = "123456:AAF-secret_part-of-the-token"
	channel = "@crier_news"
)

// stage is a simulator, a media server and a connector that talks to both.
type stage struct {
	world     *simulation.World
	connector *telegram.Connector
	source    media.Source
	server    string // of the simulator
	media     string // of the media server
	requests  *requests
	registry  *prometheus.Registry
	log       *bytes.Buffer // of the connector's only goroutine, the test's
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{requests: &requests{}, registry: prometheus.NewRegistry(), log: &bytes.Buffer{}}
	s.world = simulation.NewWorld(simulation.Config{Platform: schema.Telegram, Now: time.Now, BaseURL: func() string { return s.server }})
	s.server = serve(t, s.requests.watch(simulator.NewUnlimited(s.world)))
	s.media = serve(t, mediaFiles())
	s.connector = s.newConnector(t, s.server)
	return s
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func (s *stage) newConnector(t *testing.T, base string) *telegram.Connector {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s.source = media.NewFetcher(media.Config{
		HTTP: &http.Client{Transport: transport}, Dir: t.TempDir(), Timeout: time.Minute, Limits: media.Limits{MaxBytes: 64 << 20},
	})
	return telegram.New(connectors.Parts{
		Client: connectors.NewClient(connectors.ClientConfig{
			Calls: telegram.Describe().Calls, HTTP: &http.Client{Transport: transport},
			Logger:  slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Metrics: connectors.NewMetrics(s.registry), Now: time.Now,
		}),
		Base: base, Media: s.source, Now: time.Now,
	})
}

func (s *stage) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account: schema.Account{Platform: schema.Telegram}, Entries: 1, Text: text, Media: items,
		Credentials: schema.Credentials{BotToken: token, ChatID: channel},
	}
}

func (s *stage) item(name string) schema.Media {
	kind := schema.Image
	if strings.HasSuffix(name, ".mp4") {
		kind = schema.Video
	}
	return schema.Media{Kind: kind, URL: s.media + "/" + name}
}

// requests keeps the bodies of what a simulator was asked.
type requests struct {
	mu     sync.Mutex
	bodies []string
}

func (r *requests) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.mu.Lock()
		r.bodies = append(r.bodies, string(body))
		r.mu.Unlock()
		request.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(rw, request)
	})
}

func (r *requests) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.bodies) == 0 {
		return ""
	}
	return r.bodies[len(r.bodies)-1]
}

// mediaFiles serves one file of each kind, and large ones that are mostly padding.
func mediaFiles() http.Handler {
	files := map[string][]byte{
		"/dot.png":  encoded(func(w io.Writer) error { return png.Encode(w, dot()) }),
		"/dot.jpg":  encoded(func(w io.Writer) error { return jpeg.Encode(w, dot(), nil) }),
		"/dot.gif":  encoded(func(w io.Writer) error { return gif.Encode(w, dot(), nil) }),
		"/clip.mp4": movie(),
	}
	large := map[string]struct {
		of   string
		more int
	}{"/large.png": {"/dot.png", 10 << 20}, "/large.mp4": {"/clip.mp4", 50 << 20}}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, padding := r.URL.Path, []byte(nil)
		if l, ok := large[name]; ok {
			name, padding = l.of, box("free", make([]byte, l.more))
		}
		content, ok := files[name]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		_, _ = rw.Write(append(bytes.Clone(content), padding...))
	})
}

func dot() image.Image { return image.NewGray(image.Rect(0, 0, 4, 3)) }

func encoded(encode func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// movie is the headers of an MP4 of 640 by 360 pixels and 3 seconds.
func movie() []byte {
	header := make([]byte, 100)
	binary.BigEndian.PutUint32(header[12:], 1000) // time units a second
	binary.BigEndian.PutUint32(header[16:], 3000)
	track := make([]byte, 84)
	binary.BigEndian.PutUint32(track[40:], 1<<16) // the unit matrix
	binary.BigEndian.PutUint32(track[56:], 1<<16)
	binary.BigEndian.PutUint32(track[72:], 1<<30)
	binary.BigEndian.PutUint32(track[76:], 640<<16)
	binary.BigEndian.PutUint32(track[80:], 360<<16)
	moov := append(box("mvhd", header), box("trak", box("tkhd", track))...)
	return append(box("ftyp", []byte("isom\x00\x00\x02\x00isommp41")), box("moov", moov)...)
}

func box(kind string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	return append(append(b, kind...), content...)
}
