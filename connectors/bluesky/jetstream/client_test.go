package jetstream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"crier/connectors"
	simulator "crier/connectors/simulators/bluesky"
	"crier/schema"
)

var errEnough = errors.New("enough")

func newClient(t *testing.T, hosts ...http.Handler) (*Client, *atomic.Int64) {
	t.Helper()
	var lost atomic.Int64
	config := Config{HTTP: http.DefaultClient, Now: time.Now, Lost: func(string, error) { lost.Add(1) }, LargestMessage: 64 << 10}
	for _, host := range hosts {
		server := httptest.NewServer(host)
		t.Cleanup(server.Close)
		config.Hosts = append(config.Hosts, server.URL)
	}
	c := New(config)
	c.retry.First = time.Millisecond
	return c, &lost
}

// TestAStreamThatIsCutIsResumed reads a quarter of an hour of a stream whose hosts, which meet
// events at different times, break connections in the middle.
func TestAStreamThatIsCutIsResumed(t *testing.T) {
	t.Parallel()
	const rate, seconds = 20, 900
	begin := time.Now().Add(-seconds * time.Second).Truncate(time.Second)
	end := begin.Add(seconds * time.Second)
	var left atomic.Int64
	left.Store(900)
	cut := func() bool { // between two events of which the second is in the overlap of the first
		if left.Add(-1) > 0 {
			return false
		}
		left.Store(700 + rand.Int64N(500))
		return true
	}
	config := simulator.StreamConfig{
		Rate: rate, Seed: 7, Words: []string{"coffee", "tea"}, Since: begin.Add(-time.Minute), Cut: cut,
		Now: func() time.Time { return end.Add(time.Minute) },
	}
	first := simulator.NewStream(config)
	config.Skew = 3 * time.Second
	late := simulator.NewStream(config)
	client, lost := newClient(t, first, late)

	seen := map[string]bool{}
	client.config.Now = config.Now
	err := client.Read(t.Context(), schema.StreamPlace{Host: client.config.Hosts[0], Time: begin}, func(e connectors.StreamEvent) error {
		if e.Kind == connectors.StreamPost {
			seen[e.Item.NativeID+e.Item.Revision] = true
		}
		if !e.At.Time.Before(end.Add(10 * time.Second)) {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || lost.Load() < 15 {
		t.Fatalf("Read = %v after %d cuts", err, lost.Load())
	}
	missed := 0
	for n := first.Number(begin); n < first.Number(end); n++ {
		e := first.Entry(n)
		if (e.Operation == "create" || e.Operation == "update") && !seen["at://"+e.DID+"/app.bsky.feed.post/"+e.RKey+e.Rev] {
			missed++
		}
	}
	if missed != 0 {
		t.Errorf("%d posts are missed over %d cuts", missed, lost.Load())
	}
}

const good = `{"did":"did:plc:abcdefghijklmnopqrstuvwx","time_us":%d,"kind":"commit","commit":{"rev":"3mmoojpaqkn2z","operation":"create","collection":"app.bsky.feed.post","rkey":"3mmoojp4cd223","record":{"$type":"app.bsky.feed.post","createdAt":"2026-05-25T14:23:28.757Z","langs":["en"],"text":"well"},"cid":"x"}}`

// TestWhatIsNoEventIsPassedOver sends what a broken or hostile host might.
func TestWhatIsNoEventIsPassedOver(t *testing.T) {
	t.Parallel()
	now := time.Now()
	post := fmt.Sprintf(good, now.UnixMicro())
	messages := map[string]connectors.StreamKind{
		"": connectors.StreamMalformed, "null": connectors.StreamMalformed, "[]": connectors.StreamMalformed, "{": connectors.StreamMalformed, "\xff\xfe": connectors.StreamMalformed,
		`{"did":"did:plc:a","time_us":-5,"kind":"identity"}`:                                   connectors.StreamMalformed,
		`{"did":"did:plc:a","time_us":"soon","kind":"identity"}`:                               connectors.StreamMalformed,
		strings.Repeat(`{"commit":`, 5000) + "1" + strings.Repeat("}", 5000):                   connectors.StreamMalformed,
		strings.Replace(post, "did:plc:abcdefghijklmnopqrstuvwx", "did:plc:a/../../x", 1):      connectors.StreamMalformed,
		strings.Replace(post, "3mmoojp4cd223", `x?y=<script>`, 1):                              connectors.StreamMalformed,
		strings.Replace(post, "3mmoojp4cd223", strings.Repeat("x", 513), 1):                    connectors.StreamMalformed,
		strings.Replace(post, "3mmoojpaqkn2z", "", 1):                                          connectors.StreamMalformed,
		strings.Replace(post, "did:plc:abcdefghijklmnopqrstuvwx", "plc:abc:def", 1):            connectors.StreamMalformed,
		strings.Replace(post, "did:plc:abcdefghijklmnopqrstuvwx", "did:plc:", 1):               connectors.StreamMalformed,
		strings.Replace(post, "did:plc:abcdefghijklmnopqrstuvwx", "did:plc:é", 1):              connectors.StreamMalformed,
		strings.Replace(post, `"text":"well"`, `"text":17`, 1):                                 connectors.StreamMalformed,
		strings.Replace(post, `"commit":{`, `"commit":null,"other":{`, 1):                      connectors.StreamOther,
		strings.Replace(post, "app.bsky.feed.post\",\"rkey", "app.bsky.feed.like\",\"rkey", 1): connectors.StreamOther,
		strings.Replace(post, "well", strings.Repeat("x", 100<<10), 1):                         connectors.StreamOversized,
		strings.Replace(post, "well", strings.Repeat("x", 3<<20), 1):                           connectors.StreamOversized,
	}
	want := map[connectors.StreamKind]int{connectors.StreamPost: 2}
	for _, kind := range messages {
		want[kind]++
	}
	client, lost := newClient(t, serving(func(ctx context.Context, conn *websocket.Conn) {
		for message := range messages {
			_ = conn.Write(ctx, websocket.MessageText, []byte(message))
		}
		_ = conn.Write(ctx, websocket.MessageBinary, []byte(post))
		_ = conn.Write(ctx, websocket.MessageText, []byte(strings.Replace(post, `"langs":["en"]`, `"langs":["en"],"tags":["good","`+strings.Repeat("y", 99)+`"]`, 1)))
		_ = conn.Write(ctx, websocket.MessageText, []byte(post))
		<-ctx.Done()
	}))
	want[connectors.StreamMalformed]++ // the binary one
	got := map[connectors.StreamKind]int{}
	err := client.Read(t.Context(), schema.StreamPlace{}, func(e connectors.StreamEvent) error {
		got[e.Kind]++
		if e.Kind == connectors.StreamPost && got[connectors.StreamPost] == 1 && e.Item.Text != "well\n#good" {
			t.Errorf("text = %q", e.Item.Text)
		}
		if got[connectors.StreamPost] == 2 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || lost.Load() != 0 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Read = %v with %v, want %v; %d connections lost", err, got, want, lost.Load())
	}
}

// serving is a host that does as it is told once somebody has connected.
func serving(do func(context.Context, *websocket.Conn)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(rw, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		do(conn.CloseRead(r.Context()), conn)
	}
}

func TestAnotherHostIsAskedForOneThatFails(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var addresses []string
	client, lost := newClient(t,
		http.NotFoundHandler(),
		serving(func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() }), // says nothing
		http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			addresses = append(addresses, r.URL.Query().Get("cursor"))
			serving(func(ctx context.Context, conn *websocket.Conn) {
				for _, at := range []time.Time{now.AddDate(9, 0, 0), time.UnixMicro(1), now} {
					_ = conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, good, at.UnixMicro()))
				}
				<-ctx.Done()
			})(rw, r)
		}))
	client.config.Silence = 50 * time.Millisecond
	from := schema.StreamPlace{Host: client.config.Hosts[0], Time: now.Add(-10 * time.Second)}
	var places []schema.StreamPlace
	err := client.Read(t.Context(), from, func(e connectors.StreamEvent) error {
		if places = append(places, e.At); len(places) == 3 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || lost.Load() != 2 {
		t.Fatalf("Read = %v, %d connections lost", err, lost.Load())
	}
	// A time that cannot be is no place.
	if places[0] != from || places[1] != from || places[2].Host != client.config.Hosts[2] || places[2].Time.UnixMicro() != now.UnixMicro() {
		t.Errorf("places = %v", places)
	}
	if want := fmt.Sprint(from.Time.Add(-otherOverlap).UnixMicro()); len(addresses) != 1 || addresses[0] != want {
		t.Errorf("cursors = %v, want %s", addresses, want)
	}
}

// BenchmarkEvent is what reading an event costs.
func BenchmarkEvent(b *testing.B) {
	event := fmt.Appendf(nil, good, time.Now().UnixMicro())
	b.ReportAllocs()
	for b.Loop() {
		if parse(event).Kind != connectors.StreamPost {
			b.Fatal("no post")
		}
	}
}
