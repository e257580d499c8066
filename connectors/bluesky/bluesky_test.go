package bluesky

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/egress"
	"crier/connectors/media"
	simulator "crier/connectors/simulators/bluesky"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// stage is a simulated PDS and a connector to it.
type stage struct {
	world     *simulation.World
	base      string
	client    *connectors.Client
	connector *Connector
	account   schema.Account
	ahead     atomic.Int64 // of the system's clock
}

func (s *stage) now() time.Time          { return time.Now().Add(time.Duration(s.ahead.Load())) }
func (s *stage) advance(d time.Duration) { s.ahead.Add(int64(d)) }

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{}
	s.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Bluesky, Now: s.now, BaseURL: func() string { return s.base },
	})
	server := httptest.NewUnstartedServer(simulator.New(s.world))
	s.base = "http://" + server.Listener.Addr().String()
	server.Start()
	t.Cleanup(server.Close)
	s.client = s.newClient(t)
	s.connector = s.newConnector(t)
	s.account = schema.Account{ID: schema.NewID[schema.AccountID](s.now()), Platform: schema.Bluesky, Server: s.base}
	return s
}

func (s *stage) newClient(t *testing.T) *connectors.Client {
	out := egress.New(egress.Config{
		Resolver: net.DefaultResolver,
		Allowed:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	t.Cleanup(out.CloseIdle)
	return connectors.NewClient(connectors.ClientConfig{
		Calls: Describe().Calls, HTTP: out.Client(), Now: s.now,
		Logger:  slog.New(slog.DiscardHandler),
		Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
	})
}

func (s *stage) newConnector(t *testing.T) *Connector {
	return New(connectors.Parts{Client: s.client, Base: s.base, Media: files{t.TempDir()}, Now: s.now})
}

// files opens media whose url is a name of testFiles.
type files struct{ dir string }

func (f files) Open(_ context.Context, item schema.Media) (*media.File, error) {
	return media.Save(f.dir, bytes.NewReader(testFile(item.URL)), media.Limits{MaxBytes: 1 << 30})
}

func testFile(name string) []byte {
	var content bytes.Buffer
	width, padding := 2, 0
	switch name {
	case "other.png":
		width = 3
	case "large.png":
		padding = maxImageBytes
	case "page.html":
		return []byte("<!DOCTYPE html><html></html>")
	}
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, width, 4))); err != nil {
		return nil
	}
	return append(content.Bytes(), make([]byte, padding)...)
}

var password = schema.Credentials{Identifier: "alice.example.com", Password: "abcd-efgh-ijkl-mnop"}

func (s *stage) delivery(text string, media ...schema.Media) schema.Delivery {
	now := s.now()
	return schema.Delivery{
		Account: s.account, Credentials: password, Entries: 1, Text: text, Media: media,
		Key: uuid.NewString(), Since: now, DueAt: now,
	}
}

func (s *stage) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := s.connector.Publish(t.Context(), d)
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

func (s *stage) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := s.world.Inject(f); err != nil {
		t.Fatal(err)
	}
}

func (s *stage) wantCalls(t *testing.T, method string, want int) {
	t.Helper()
	if got := s.world.Calls(method); got != want {
		t.Errorf("%s was called %d times, want %d", method, got, want)
	}
}

func (s *stage) wantPosts(t *testing.T, want int) []simulation.Post {
	t.Helper()
	posts := s.world.Posts()
	if len(posts) != want {
		t.Fatalf("the repository has %d posts, want %d", len(posts), want)
	}
	return posts
}

// stored is what the repository keeps of a post.
type stored struct {
	CID    string
	Record post
}

func storedOf(t *testing.T, p simulation.Post) stored {
	t.Helper()
	var s stored
	if err := json.Unmarshal(p.Fields, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func record(t *testing.T, p simulation.Post) post {
	t.Helper()
	return storedOf(t, p).Record
}

func refOfPost(t *testing.T, p simulation.Post) strongRef {
	t.Helper()
	return strongRef{p.ID, storedOf(t, p).CID}
}

// How long a PDS's tokens last, and a refresh token after its use.
const (
	accessLife   = 2 * time.Hour
	refreshLife  = 90 * 24 * time.Hour
	refreshGrace = 2 * time.Hour
)

func (s *stage) didOf(t *testing.T, handle string) string {
	t.Helper()
	_, _, answer := s.raw(t, http.MethodGet, resolveHandle+"?handle="+handle, "", "")
	did, _ := answer["did"].(string)
	return did
}

// raw calls the simulator by hand.
func (s *stage) raw(t *testing.T, verb, method, token, body string) (int, http.Header, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), verb, s.base+"/xrpc/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var decoded map[string]any
	if err := json.Unmarshal(content, &decoded); err != nil {
		t.Fatalf("%s answered %q", method, content)
	}
	return response.StatusCode, response.Header, decoded
}
