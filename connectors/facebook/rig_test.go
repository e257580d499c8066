package facebook

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
	"crier/connectors/facebook/simulator"
	"crier/connectors/graph"
	"crier/connectors/media"
	"crier/connectors/simulation"
	"crier/schema"
)

const token = "token-of-a-page"

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
	r.world = simulation.NewWorld(simulation.Config{Platform: schema.Facebook, Now: r.clock, BaseURL: func() string { return r.base }})
	handler := simulator.New(r.world)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.seen = append(r.seen, request)
		r.mu.Unlock()
		handler.ServeHTTP(rw, request)
	}))
	t.Cleanup(server.Close)
	r.base = server.URL
	r.restart(t)
	return r
}

// restart makes the connector anew.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	r.Connector = New(Config{
		Base: r.base, Media: r.files, Now: r.clock, App: connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret},
		Client: connectors.NewClient(connectors.ClientConfig{
			Platform: schema.Facebook, HTTP: client, Now: r.clock, Classify: graph.Classify, Pace: graph.Pace,
			Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
		}),
	})
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

// delivery is the first entry of a page's post, claimed now.
func (r *rig) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewAccountID(r.clock()), Platform: schema.Facebook, NativeID: r.world.Account(token).ID},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Media: items, Since: r.clock(),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made anew
// each time.
func (r *rig) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	restart := func() connectors.Connector {
		r.restart(t)
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
	upright  = schema.Media{Kind: schema.Video, URL: "upright"} // of a reel
	epic     = schema.Media{Kind: schema.Video, URL: "epic"}    // longer than a reel
	filmSize = int64(8<<20 + 1)
)

func (dir folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	square := schema.MediaFacts{Kind: schema.Image, Type: "image/png", Width: 600, Height: 600}
	facts, head := square, "\x89PNG\x0D\x0A\x1A\x0A"
	switch m.URL {
	case "film":
		facts = schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 640, Height: 360, Duration: 5 * time.Second, Size: filmSize}
		head = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
	case "upright", "epic":
		facts = schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 1080, Height: 1920, Duration: 50 * time.Second, Size: filmSize}
		head = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
		if m.URL == "epic" {
			facts.Duration = 2 * time.Minute
		}
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
