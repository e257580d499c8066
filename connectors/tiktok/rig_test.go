package tiktok

import (
	"context"
	"errors"
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
	"crier/connectors/media"
	"crier/connectors/simulation"
	"crier/connectors/tiktok/simulator"
	"crier/schema"
)

const token = "act.of-a-creator"

// The simulator's calls.
const (
	simCreator = "POST /v2/post/publish/creator_info/query/{$}"
	simInit    = "POST /v2/post/publish/video/init/{$}"
	simPart    = "PUT /video/{$}"
	simStatus  = "POST /v2/post/publish/status/fetch/{$}"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	world  *simulation.World
	base   string
	files  *folder
	limits connectors.Limits

	mu   sync.Mutex
	now  time.Time
	seen []*http.Request // without bodies
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), files: &folder{path: t.TempDir()}}
	r.world = simulation.NewWorld(simulation.Config{Platform: schema.TikTok, Now: r.clock, BaseURL: func() string { return r.base }})
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
			Platform: schema.TikTok, HTTP: client, Now: r.clock, Classify: Classify, Limits: r.limits,
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

// requests returns those of a path, in order.
func (r *rig) requests(path string) (found []*http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, request := range r.seen {
		if request.URL.Path == path {
			found = append(found, request)
		}
	}
	return found
}

func (r *rig) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := r.world.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// delivery is the one entry of an account's post, claimed now.
func (r *rig) delivery(text string, item schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewAccountID(r.clock()), Platform: schema.TikTok},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Media: []schema.Media{item}, Since: r.clock(),
		Settings: []byte(`{"privacy":"PUBLIC_TO_EVERYONE"}`),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made anew
// each time but for the last.
func (r *rig) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	for range 20 {
		r.restart(t)
		p, err := r.Prepare(t.Context(), d)
		if err != nil && schema.KindOf(err) != schema.Retryable && schema.KindOf(err) != schema.RateLimited {
			t.Fatalf("Prepare: %v", err)
		}
		if p.State != nil {
			d.Progress = p.State
		}
		if p.Ready {
			return d
		}
		wait := max(p.RetryIn, time.Second)
		if refused, ok := errors.AsType[*schema.Error](err); ok {
			wait = max(wait, refused.RetryAfter)
		}
		r.pass(wait)
	}
	t.Fatal("Prepare is never ready")
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

// wantPost checks what the platform has: one video, whole.
func (r *rig) wantPost(t *testing.T, size int64) simulation.Post {
	t.Helper()
	posts := r.world.Posts()
	if len(posts) != 1 || len(posts[0].Media) != 1 || posts[0].Media[0].Size != size {
		t.Fatalf("posts %+v, want one of %d bytes", posts, size)
	}
	return posts[0]
}

// The videos there are: one that goes in one part, one in three, of which the last has the
// remainder, and what TikTok does not take.
var (
	short = schema.Media{Kind: schema.Video, URL: "short"}
	film  = schema.Media{Kind: schema.Video, URL: "film"}
	epic  = schema.Media{Kind: schema.Video, URL: "epic"} // longer than anybody may publish
	avi   = schema.Media{Kind: schema.Video, URL: "avi"}
	photo = schema.Media{Kind: schema.Image, URL: "photo"}
)

const (
	shortSize = int64(24)
	filmSize  = int64(3*leastPart + 2)
)

// folder is a media source whose items name what they hold.
type folder struct {
	path  string
	slow  bool // what it opens takes for ever
	other bool // what it opens is another file than before
}

func (f *folder) Open(ctx context.Context, m schema.Media) (*media.File, error) {
	if f.slow {
		<-ctx.Done()
		return nil, &schema.Error{Kind: schema.Retryable, Message: "the media could not be fetched", Err: ctx.Err()}
	}
	facts := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 1080, Height: 1920, Duration: 50 * time.Second, Size: shortSize}
	switch m.URL {
	case "film":
		facts.Size = filmSize
	case "epic":
		facts.Duration = 11 * time.Minute
	case "avi":
		facts.Type = "video/x-msvideo"
	case "photo":
		facts.Kind, facts.Type = schema.Image, "image/jpeg"
	}
	if f.other {
		facts.Size++
	}
	disk, err := os.CreateTemp(f.path, "")
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	head := strings.NewReader("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom")
	if _, err := io.Copy(disk, io.LimitReader(io.MultiReader(head, zeros{}), facts.Size)); err != nil {
		return nil, err
	}
	return &media.File{Path: disk.Name(), MediaFacts: facts}, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// soonOver is a context that ends in a moment.
func soonOver(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
