package twitter

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/twitter"
	"crier/schema"
)

// rig is a connector before a simulator, on one clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	files source
	calls func(operation string) // sees each call before the simulator does
}

const token = "token-of-the-account"

func newRig(t *testing.T) *rig { return newRigOf(t, simulator.New) }

func newRigOf(t *testing.T, simulate func(*simulation.World) http.Handler) *rig {
	t.Helper()
	r := &rig{files: source{}, calls: func(string) {}}
	r.Rig = connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.Twitter, Simulator: func(w *simulation.World) http.Handler {
		x := simulate(w)
		return http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
			r.calls(request.Method + " " + request.URL.Path)
			x.ServeHTTP(rw, request)
		})
	}})
	r.restart(t)
	return r
}

// restart makes the connector again: what it held in memory is gone.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	r.Connector = New(connectors.Parts{
		Base: r.Base, Now: r.Clock, Media: r.files, App: connectortest.App(),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})
}

func (r *rig) account() string { return r.World.Account(token).ID }

// delivery is the first entry of a post, claimed now.
func (r *rig) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](r.Clock()), Platform: schema.Twitter, NativeID: r.account()},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Media: items, Key: uuid.NewString(), Since: r.Clock(),
	}
}

// publish prepares and publishes what must succeed.
func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	for range 20 {
		p, err := r.Prepare(t.Context(), d)
		if err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		if d.Progress = p.State; p.Ready {
			receipt, err := r.Publish(t.Context(), d)
			if err != nil {
				t.Fatalf("Publish: %v", err)
			}
			return receipt
		}
		r.Pass(p.RetryIn)
	}
	t.Fatal("Prepare is never ready")
	return schema.Receipt{}
}

func (r *rig) posts(t *testing.T, want int) []simulation.Post {
	t.Helper()
	posts := r.World.Posts()
	if len(posts) != want {
		t.Fatalf("X has %d posts, want %d", len(posts), want)
	}
	return posts
}

// source holds media by url.
type source map[string]*media.File

func (s source) Open(_ context.Context, item schema.Media) (*media.File, error) {
	file, ok := s[item.URL]
	if !ok {
		return nil, connectors.Refuse("the media is not there")
	}
	link := file.Path + "-" + uuid.NewString() // closing a file removes it
	if err := os.Link(file.Path, link); err != nil {
		return nil, err
	}
	return &media.File{MediaFacts: file.MediaFacts, Path: link}, nil
}

// add puts media of a size into the source. It begins as what it is, and is empty from
// there on.
func (s source) add(t *testing.T, name string, facts schema.MediaFacts) schema.Media {
	t.Helper()
	head := map[string]string{
		"image/png": "\x89PNG\x0D\x0A\x1A\x0A", "image/gif": "GIF89a", "video/mp4": "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom",
	}[facts.Type]
	path := filepath.Join(t.TempDir(), "media")
	if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, facts.Size); err != nil {
		t.Fatal(err)
	}
	facts.Width, facts.Height = 640, 360
	s[name] = &media.File{MediaFacts: facts, Path: path}
	return schema.Media{URL: name, Kind: facts.Kind, AltText: "alt of " + name}
}

func (r *rig) video(t *testing.T, size int64) schema.Media {
	t.Helper()
	return r.files.add(t, "video", schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: size, Duration: time.Second})
}

func (r *rig) image(t *testing.T, name string) schema.Media {
	t.Helper()
	return r.files.add(t, name, schema.MediaFacts{Kind: schema.Image, Type: "image/png", Size: 1000})
}
