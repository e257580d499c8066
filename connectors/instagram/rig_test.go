package instagram

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/connectors/instagram/simulator"
	"crier/connectors/media"
	"crier/connectors/simulation"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	world *simulation.World
	base  string
	files string // address of a server of pictures and films
	now   *atomic.Int64
}

const token = "IGAA-token-of-the-account"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: new(atomic.Int64)}
	r.now.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixNano())
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	r.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Instagram, Now: r.clock, BaseURL: func() string { return r.base }, HTTP: client,
	})
	r.base = serve(t, simulator.New(r.world))
	r.files = serve(t, http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, ".mp4") {
			rw.Write([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov"))
			return
		}
		rw.Write([]byte("\xff\xd8\xff"))
	}))
	r.Connector = New(Config{
		Base: r.base, Now: r.clock, Media: noMedia{}, App: connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret},
		Client: connectors.NewClient(connectors.ClientConfig{
			Platform: schema.Instagram, HTTP: client, Now: r.clock, Classify: Classify, Pace: graph.Pace,
			Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
		}),
	})
	return r
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// noMedia is for items whose content is known: nothing is fetched of those.
type noMedia struct{}

func (noMedia) Open(context.Context, schema.Media) (*media.File, error) {
	return nil, errors.New("fetched, although all of it is known")
}

func (r *rig) clock() time.Time     { return time.Unix(0, r.now.Load()) }
func (r *rig) pass(d time.Duration) { r.now.Add(int64(d)) }
func (r *rig) account() string      { return r.world.Account(token).ID }

func (r *rig) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := r.world.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// delivery is the first entry of a post, claimed now.
func (r *rig) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewAccountID(r.clock()), Platform: schema.Instagram},
		Credentials: schema.Credentials{AccessToken: token, SelfRenewing: true},
		Entries:     1, Text: text, Media: items, Key: "key of " + text, Since: r.clock(),
	}
}

func (r *rig) picture(alt string) schema.Media {
	return schema.Media{
		Kind: schema.Image, URL: r.files + "/a.jpg", AltText: alt,
		Facts: &schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Size: 3, Width: 600, Height: 600},
	}
}

func (r *rig) film(alt string) schema.Media {
	return schema.Media{
		Kind: schema.Video, URL: r.files + "/a.mp4", AltText: alt,
		Facts: &schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: 32, Width: 640, Height: 360},
	}
}

// prepared is a delivery whose container is ready.
func (r *rig) prepared(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	for range 20 {
		progress, err := r.Prepare(t.Context(), d)
		if err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		if d.Progress = progress.State; progress.Ready {
			return d
		}
		r.pass(progress.RetryIn)
	}
	t.Fatal("Prepare was never ready")
	return d
}

func (r *rig) published(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := r.Publish(t.Context(), r.prepared(t, d))
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

func (r *rig) wantPosts(t *testing.T, want int) []simulation.Post {
	t.Helper()
	posts := r.world.Posts()
	if len(posts) != want {
		t.Fatalf("%d posts are there, want %d", len(posts), want)
	}
	return posts
}

// made is what the simulator keeps of a post beside what every post has.
type made struct {
	Kind, Location, ShareToFeed, Cover, ThumbOffset, AudioName string
	Collaborators                                              []string
	UserTags                                                   []userTag
	Trial                                                      map[string]string
}

func madeOf(t *testing.T, p simulation.Post) (m made) {
	t.Helper()
	if err := json.Unmarshal(p.Fields, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
