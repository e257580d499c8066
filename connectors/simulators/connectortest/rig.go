package connectortest

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Rig is a simulator behind a server, on a clock that stands until it is moved: what the tests
// of one connector stand on beside the contract.
type Rig struct {
	World *simulation.World
	Base  string        // address of the simulator
	Ahead time.Duration // of the simulator's clock before the connector's

	now  atomic.Int64 // Unix nanoseconds
	mu   sync.Mutex
	seen []*http.Request
}

// RigConfig is what a Rig is made of.
type RigConfig struct {
	Platform  schema.Platform
	Simulator func(*simulation.World) http.Handler
	Puller    *http.Client // fetches media for the simulator; nil: it fetches none
}

// NewRig starts a simulator.
func NewRig(t *testing.T, c RigConfig) *Rig {
	t.Helper()
	r := &Rig{}
	r.now.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixNano())
	r.World = simulation.NewWorld(simulation.Config{
		Platform: c.Platform, HTTP: c.Puller, BaseURL: func() string { return r.Base },
		Now: func() time.Time { return r.Clock().Add(r.Ahead) },
	})
	simulator := c.Simulator(r.World)
	r.Base = Serve(t, http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.seen = append(r.seen, request)
		r.mu.Unlock()
		simulator.ServeHTTP(rw, request)
	}))
	return r
}

// Requests returns those that the simulator has had, in order, without bodies.
func (r *Rig) Requests() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

// Clock is the time of the connector.
func (r *Rig) Clock() time.Time { return time.Unix(0, r.now.Load()).UTC() }

// Pass moves the clock on.
func (r *Rig) Pass(d time.Duration) { r.now.Add(int64(d)) }

// Inject forces a fault on the simulator.
func (r *Rig) Inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := r.World.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// WantPosts returns what was published, and ends the test where that is not so many.
func (r *Rig) WantPosts(t *testing.T, want int) []simulation.Post {
	t.Helper()
	posts := r.World.Posts()
	if len(posts) != want {
		t.Fatalf("%d posts are there, want %d", len(posts), want)
	}
	return posts
}

// FieldsOf returns what a simulator stores of a post beside what every post has.
func FieldsOf[T any](t *testing.T, p simulation.Post) (fields T) {
	t.Helper()
	if err := json.Unmarshal(p.Fields, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// Client makes a client of its own for a connector, with what is set of a config.
func (r *Rig) Client(t *testing.T, c connectors.ClientConfig) *connectors.Client {
	t.Helper()
	c.HTTP, c.Now = NewHTTP(t), r.Clock
	c.Logger, c.Metrics = slog.New(slog.DiscardHandler), connectors.NewMetrics(prometheus.NewRegistry())
	return connectors.NewClient(c)
}

// NewHTTP makes a client with connections of its own, for the length of a test.
func NewHTTP(t *testing.T) *http.Client {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// Serve serves for the length of a test, and returns where.
func Serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// App is the app that simulators know.
func App() connectors.App {
	return connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}
}

// Losing loses the answer of a call. A read is sent again by net/http itself.
func Losing(operation string) simulation.Fault {
	f := simulation.Fault{Operation: operation, Lose: true}
	if strings.HasPrefix(operation, "GET ") {
		f.Times = 2
	}
	return f
}
