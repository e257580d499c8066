package googlebusiness

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/googlebusiness/simulator"
	"crier/connectors/media"
	"crier/connectors/simulation"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	world   *simulation.World
	base    string
	picture schema.Media
	now     *atomic.Int64
}

const token = "token-of-a-person"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: new(atomic.Int64)}
	r.now.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixNano())
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	r.world = simulation.NewWorld(simulation.Config{
		Platform: schema.GoogleBusiness, Now: r.clock, BaseURL: func() string { return r.base }, HTTP: client,
	})
	r.base = serve(t, simulator.New(r.world))
	files := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("\x89PNG\r\n\x1a\n")) }))
	r.picture = schema.Media{
		Kind: schema.Image, URL: files + "/a.png",
		Facts: &schema.MediaFacts{Kind: schema.Image, Type: "image/png", Size: 8, Width: 600, Height: 600},
	}
	r.Connector = New(Config{
		Base: r.base, Now: r.clock, Media: noMedia{}, App: connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret},
		Client: connectors.NewClient(connectors.ClientConfig{
			Platform: schema.GoogleBusiness, HTTP: client, Now: r.clock, Classify: Classify,
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

func (r *rig) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := r.world.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// delivery is a post of a location with a picture, claimed now and prepared.
func (r *rig) delivery(t *testing.T, text, settings string) schema.Delivery {
	t.Helper()
	d := schema.Delivery{
		Account:     schema.Account{ID: schema.NewAccountID(r.clock()), Platform: schema.GoogleBusiness},
		Credentials: schema.Credentials{AccessToken: token, EntityID: simulator.Locations(token)[0]},
		Entries:     1, Text: text, Media: []schema.Media{r.picture}, Since: r.clock(), Settings: []byte(settings),
	}
	progress, err := r.Prepare(t.Context(), d)
	if err != nil || !progress.Ready {
		t.Fatalf("Prepare = %+v, %v", progress, err)
	}
	d.Progress = progress.State
	return d
}

func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := r.Publish(t.Context(), d)
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

// kept is what the simulator keeps of a post.
func kept(t *testing.T, p simulation.Post) (post localPost) {
	t.Helper()
	if err := json.Unmarshal(p.Fields, &post); err != nil {
		t.Fatal(err)
	}
	return post
}
