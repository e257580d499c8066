package tiktok

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/tiktok"
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
	*connectortest.Rig
	files  *folder
	limits connectors.Limits
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		Rig:   connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.TikTok, Simulator: simulator.New}),
		files: &folder{path: t.TempDir()},
	}
	r.restart(t)
	return r
}

// restart makes the connector again.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	r.Connector = New(connectors.Parts{
		Base: r.Base, Media: r.files, Now: r.Clock, App: connectortest.App(),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls, Limits: r.limits}),
	})
	r.shape = r.shape.smaller() // else a film of several parts is one of 64 MB
}

// requestsTo returns those of a path, in order.
func (r *rig) requestsTo(path string) []*http.Request {
	return slices.DeleteFunc(r.Requests(), func(request *http.Request) bool { return request.URL.Path != path })
}

// delivery is the one entry of an account's post, claimed now.
func (r *rig) delivery(text string, item schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](r.Clock()), Platform: schema.TikTok},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Media: []schema.Media{item}, Since: r.Clock(), Until: r.Clock().Add(24 * time.Hour),
		Settings: []byte(`{"privacy":"PUBLIC_TO_EVERYONE"}`),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made again
// each time except the last.
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
		r.Pass(wait)
	}
	t.Fatal("Prepare is never ready")
	return d
}

func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	return connectortest.Published(t, r.Connector, d)
}

// wantPost checks what the platform has: one video, whole.
func (r *rig) wantPost(t *testing.T, size int64) simulation.Post {
	t.Helper()
	posts := r.World.Posts()
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
	filmSize  = int64(3*10<<20 + 2)
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
	return connectortest.Fetched(f.path, facts)
}

// soonOver is a context that ends in a moment.
func soonOver(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
