package linkedin

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/connectortest"
	"crier/connectors/linkedin/simulator"
	"crier/connectors/media"
	"crier/connectors/simulation"
	"crier/schema"
)

const token = "token-of-a-member"

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	world *simulation.World
	base  string
	files folder

	mu   sync.Mutex
	now  time.Time
	seen []*http.Request // without bodies
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), files: folder(t.TempDir())}
	r.world = simulation.NewWorld(simulation.Config{Platform: schema.LinkedIn, Now: r.clock, BaseURL: func() string { return r.base }})
	handler := simulator.New(r.world)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.seen = append(r.seen, request)
		r.mu.Unlock()
		handler.ServeHTTP(rw, request)
	}))
	t.Cleanup(server.Close)
	r.base = server.URL
	r.restart(t, Config{})
	return r
}

// restart makes the connector anew, with what is set of a config.
func (r *rig) restart(t *testing.T, c Config) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	c.Base, c.Media, c.Now = r.base, r.files, r.clock
	c.Client = connectors.NewClient(connectors.ClientConfig{
		Platform: schema.LinkedIn, HTTP: client, Now: r.clock, Classify: Classify,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
	})
	r.Connector = New(c)
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

func (r *rig) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := r.world.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// delivery is the first entry of an organization's post, claimed now.
func (r *rig) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewAccountID(r.clock()), Platform: schema.LinkedIn},
		Credentials: schema.Credentials{AccessToken: token, EntityID: simulator.Organizations(token)[0]},
		Entries:     1, Text: text, Media: items, Since: r.clock(),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made anew
// each time.
func (r *rig) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	restart := func() connectors.Connector {
		r.restart(t, Config{})
		return r.Connector
	}
	return connectortest.Prepared(t, d, restart, r.pass)
}

func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := r.Publish(t.Context(), r.prepare(t, d))
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

// folder is a media source whose items name what they hold.
type folder string

// The items there are. The video is of three parts, the last of one byte.
var (
	picture  = schema.Media{Kind: schema.Image, URL: "picture", AltText: "a square"}
	film     = schema.Media{Kind: schema.Video, URL: "film", AltText: "a train arrives"}
	paper    = schema.Media{Kind: schema.PDF, URL: "paper", AltText: "never shown"}
	wall     = schema.Media{Kind: schema.Image, URL: "wall"}
	filmSize = int64(8<<20 + 1)
)

func (dir folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	square := schema.MediaFacts{Kind: schema.Image, Type: "image/png", Width: 600, Height: 600}
	facts, head := square, "\x89PNG\x0D\x0A\x1A\x0A"
	switch m.URL {
	case "film":
		facts = schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 640, Height: 360, Duration: 5 * time.Second, Size: filmSize}
		head = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
	case "paper":
		facts, head = schema.MediaFacts{Kind: schema.PDF, Type: "application/pdf"}, "%PDF-1.7\n"
	case "wall":
		facts.Width, facts.Height = 6013, 6013 // 36,156,169 pixels
	}
	facts.Size = max(facts.Size, int64(len(head)))
	disk, err := os.CreateTemp(string(dir), "")
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	if _, err := io.Copy(disk, io.LimitReader(io.MultiReader(strings.NewReader(head), zeros{}), facts.Size)); err != nil {
		return nil, err
	}
	return &media.File{Path: disk.Name(), MediaFacts: facts}, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
