package mastodon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/mastodon/simulator"
	"crier/connectors/media"
	"crier/connectors/simulation"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	world *simulation.World
	base  string
	now   *atomic.Int64 // Unix nanoseconds
	ahead time.Duration // of the server's clock before the connector's
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigBehind(t, func(server http.Handler) http.Handler { return server })
}

// newRigBehind has something stand between the connector and the simulator.
func newRigBehind(t *testing.T, proxy func(http.Handler) http.Handler) *rig {
	t.Helper()
	r := &rig{now: new(atomic.Int64)}
	r.now.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixNano())
	r.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Mastodon,
		Now:      func() time.Time { return r.clock().Add(r.ahead) },
		BaseURL:  func() string { return r.base },
	})
	r.base = serve(t, proxy(simulator.New(r.world)))
	r.Connector = connect(t, r.base, r.clock)
	return r
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func connect(t *testing.T, base string, now func() time.Time) *Connector {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return New(Config{
		Base: base, Now: now, Media: folder(t.TempDir()),
		Client: connectors.NewClient(connectors.ClientConfig{
			Platform: schema.Mastodon, HTTP: client, Now: now, Classify: Classify,
			Logger:  slog.New(slog.DiscardHandler),
			Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
		}),
	})
}

func (r *rig) clock() time.Time     { return time.Unix(0, r.now.Load()) }
func (r *rig) pass(d time.Duration) { r.now.Add(int64(d)) }
func (r *rig) account() string      { return r.world.Account(token).ID }
func (r *rig) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	f.Platform = "mastodon"
	if err := r.world.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// add puts a status into the account that no delivery of ours made.
func (r *rig) add(t *testing.T, p simulation.Post) simulation.Post {
	t.Helper()
	p.Account = r.account()
	added, _, err := r.world.Add(p)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

const token = "token-of-the-account"

// delivery is the first entry of a post, claimed now.
func (r *rig) delivery(text string) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{Platform: schema.Mastodon, NativeID: r.account()},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Key: "3f7a9b9e-0000-7000-8000-" + text, Since: r.clock(),
	}
}

func mustPublish(t *testing.T, r *rig, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := r.Publish(t.Context(), d)
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

func wantKind(t *testing.T, err error, kind schema.ErrorKind) schema.Error {
	t.Helper()
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("error = %v, want kind %d", err, kind)
	}
	return *e
}

// folder is a media source whose items name what they hold.
type folder string

const (
	smallImage = "image"
	hugeImage  = "huge image"
	animation  = "animation"
	smallVideo = "video"
	missing    = "missing"
)

func (dir folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	content, kind := contentOfItem(m.URL)
	if content == nil {
		return nil, &schema.Error{Kind: schema.Refused, Message: "the media is not there"}
	}
	disk, err := os.CreateTemp(string(dir), "")
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	if _, err := disk.Write(content); err != nil {
		return nil, err
	}
	return &media.File{
		Path: disk.Name(), MediaFacts: schema.MediaFacts{Size: int64(len(content)), Kind: kind, Type: http.DetectContentType(content)},
	}, nil
}

func contentOfItem(name string) ([]byte, schema.MediaKind) {
	switch name {
	case smallImage:
		return pngImage(), schema.Image
	case hugeImage:
		return append(pngImage(), make([]byte, usualLimits().ImageBytes)...), schema.Image
	case animation:
		return []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), schema.GIF
	case smallVideo:
		return []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov"), schema.Video
	default:
		return nil, ""
	}
}

func pngImage() []byte {
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return encoded.Bytes()
}

func items(names ...string) []schema.Media {
	var list []schema.Media
	for _, name := range names {
		list = append(list, schema.Media{URL: name, Kind: schema.Image, AltText: "alt of " + name})
	}
	return list
}

// ask calls the simulator by itself, as any client would.
func (r *rig) ask(t *testing.T, method, path, key string, body any) (*http.Response, map[string]any) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, r.base+path, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(response.Body).Decode(&decoded); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response, decoded
}
