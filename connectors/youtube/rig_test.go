package youtube

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/youtube"
	"crier/schema"
)

const token = "token-of-a-channel"

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	files *folder
	// quotas are those of all connectors that were made.
	quotas connectors.DailyQuotas
	app    connectors.App
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		Rig:    connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.YouTube, Simulator: simulator.New}),
		quotas: connectors.NewOwnQuotas(), app: connectortest.App(), files: &folder{dir: t.TempDir()},
	}
	r.restart(t)
	return r
}

// restart makes the connector again.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	r.Connector = New(connectors.Parts{
		Base: r.Base, Media: r.files, Now: r.Clock, App: r.app, Quotas: r.quotas,
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})
	r.partSize = partSize
}

// delivery is a post of a video, claimed now.
func (r *rig) delivery(settings string) schema.Delivery {
	if settings == "" {
		settings = `{"title": "A train"}`
	}
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](r.Clock()), Platform: schema.YouTube, NativeID: simulator.Channel(token)},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: "arrives", Media: []schema.Media{{Kind: schema.Video, URL: "film"}}, Settings: []byte(settings),
		Since: r.Clock(), Until: r.Clock().Add(24 * time.Hour),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made again
// each time.
func (r *rig) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	return connectortest.Prepared(t, d, func() connectors.Connector { r.restart(t); return r.Connector }, r.Pass)
}

// publish publishes a delivery, and returns it as it is claimed for the looks that follow.
func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	d = r.prepare(t, d)
	receipt, err := r.Publish(t.Context(), d)
	if err != nil || !receipt.Open {
		t.Fatalf("Publish: %+v, %v", receipt, err)
	}
	d.Receipts = []schema.Receipt{receipt}
	return d
}

// closed looks at an open receipt until that is closed, and returns what it was told meanwhile
// that the video is published without.
func (r *rig) closed(t *testing.T, d schema.Delivery) (lacks string) {
	t.Helper()
	for range 20 {
		r.Pass(time.Minute)
		r.restart(t)
		receipt, verdict, err := r.Find(t.Context(), d)
		switch {
		case verdict == schema.CannotTell && schema.KindOf(err) >= schema.RateLimited:
			continue
		case verdict != schema.Found:
			t.Fatalf("Find = %v, %v", verdict, err)
		case err != nil:
			lacks += connectortest.WantKind(t, err, schema.Refused).Message
		}
		d.Receipts = []schema.Receipt{receipt}
		if !receipt.Open {
			return lacks
		}
	}
	t.Fatal("the receipt is never closed")
	return lacks
}

// video returns the only one there is, as its platform shows it.
func (r *rig) video(t *testing.T) simulation.View {
	t.Helper()
	posts := r.World.Posts()
	if len(posts) != 1 || len(posts[0].Media) != 1 || posts[0].Media[0].Size != filmSize {
		t.Fatalf("posts %+v", posts)
	}
	return r.World.View(posts[0])
}

// folder is a media source whose items name what they hold.
type folder struct {
	dir string

	mu    sync.Mutex
	fails error
	size  int64 // of the film; 0: filmSize
}

// filmSize is of three parts, and one byte.
const (
	partSize = 2 * granule
	filmSize = 2*partSize + granule + 1
)

func (f *folder) failWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails = err
}

func (f *folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	f.mu.Lock()
	failed, size := f.fails, f.size
	f.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	facts := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 640, Height: 360, Duration: 5 * time.Second, Size: max(size, filmSize)}
	switch {
	case strings.HasSuffix(m.URL, "picture"):
		facts = schema.MediaFacts{Kind: schema.Image, Type: "image/png", Width: 600, Height: 600}
	case strings.HasSuffix(m.URL, "moving"):
		facts = schema.MediaFacts{Kind: schema.GIF, Type: "image/gif", Width: 600, Height: 600, Size: 100}
	case m.URL == "epic":
		facts.Duration = 20 * time.Minute
	}
	return connectortest.Fetched(f.dir, facts)
}
