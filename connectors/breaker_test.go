package connectors

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

// failing is a server whose status can be changed.
type failing struct {
	status atomic.Int32
	calls  atomic.Int32
	url    string
}

func newFailing(t *testing.T, status int) *failing {
	f := &failing{}
	f.status.Store(int32(status))
	f.url = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		f.calls.Add(1)
		w.WriteHeader(int(f.status.Load()))
	})
	return f
}

func (f *failing) get(t *testing.T, client *Client) error {
	_, err := client.Do(t.Context(), Call{Operation: "test", Method: http.MethodGet, URL: f.url}, nil)
	return err
}

func TestBreakerOpensForTheFailingServerOnly(t *testing.T) {
	client := NewClient(testConfig(t))
	bad, good := newFailing(t, 500), newFailing(t, 200)
	for range breakerFaults {
		wantKind(t, bad.get(t, client), schema.Retryable)
	}
	e := wantKind(t, bad.get(t, client), schema.RateLimited)
	if e.RetryAfter <= 0 || e.RetryAfter > breakerOpen {
		t.Errorf("RetryAfter = %s, want until half-open", e.RetryAfter)
	}
	if got := bad.calls.Load(); got != breakerFaults {
		t.Errorf("server was called %d times, want %d", got, breakerFaults)
	}
	if err := good.get(t, client); err != nil {
		t.Errorf("another server: %v", err)
	}
}

// What a server says may be meant for the account that called it: others learn of the fault alone.
func TestAnOpenBreakerSaysWhatTheServerDid(t *testing.T) {
	for name, tt := range map[string]struct {
		answers http.HandlerFunc
		says    string
	}{
		"an error":         {answer(502, nil, `{"error":"@somebody is private"}`), "(at last: the platform answered 502 Bad Gateway)"},
		"too much":         {answer(200, nil, `"`+strings.Repeat("a", 2<<20)+`"`), "(at last: the platform's answer could not be understood: it is larger than 1 MiB)"},
		"it was cut off":   {hangUp("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), "(at last: the platform's answer was lost: it was cut off, with status 200 and 1 bytes)"},
		"nothing was said": {hangUp(""), "(at last: the platform's answer was lost: the connection was closed before it came)"},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := NewClient(testConfig(t)), serve(t, tt.answers)
			var err error
			for range breakerFaults + 1 {
				_, err = client.Do(t.Context(), Call{Operation: "test", Method: http.MethodPost, URL: server, JSON: 1}, new(any))
			}
			e := wantKind(t, err, schema.RateLimited)
			if !strings.HasSuffix(e.Message, "is failing, calls to it wait "+tt.says) {
				t.Errorf("it says %q, want %q", e.Message, tt.says)
			}
		})
	}
}

func TestRefusalsOpenNoBreaker(t *testing.T) {
	for name, status := range map[string]int{"refused": 422, "token dead": 401, "rate limited": 429} {
		t.Run(name, func(t *testing.T) {
			client, server := NewClient(testConfig(t)), newFailing(t, status)
			for range 3 * breakerFaults {
				server.get(t, client)
			}
			if got := server.calls.Load(); got != 3*breakerFaults {
				t.Errorf("server was called %d times, want %d", got, 3*breakerFaults)
			}
		})
	}
}

func TestHalfOpenBreakerLetsOneProbeThrough(t *testing.T) {
	const open = 300 * time.Millisecond
	registry := prometheus.NewRegistry()
	config := testConfig(t)
	config.Metrics = NewMetrics(registry)
	client := newClient(config, open)
	release := make(chan struct{})
	var probing atomic.Bool
	var calls atomic.Int32
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		if !probing.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		<-release
	})
	get := func() error {
		_, err := client.Do(t.Context(), Call{Operation: "test", Method: http.MethodGet, URL: server}, nil)
		return err
	}
	for range breakerFaults {
		wantKind(t, get(), schema.Retryable)
	}
	wantOpen(t, registry, 1)
	probing.Store(true)
	time.Sleep(open + 50*time.Millisecond)
	var refused atomic.Int32
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if err := get(); err != nil && refused.Add(1) == 19 {
				close(release)
			}
		})
	}
	callers.Wait()
	if got := calls.Load(); got != breakerFaults+1 {
		t.Errorf("%d calls reached the server, want one probe after %d faults", got, breakerFaults)
	}
	if err := get(); err != nil {
		t.Errorf("after a good probe: %v", err)
	}
	wantOpen(t, registry, 0)
}

func TestForgottenServersAreNotCountedAsFailing(t *testing.T) {
	registry := prometheus.NewRegistry()
	config := testConfig(t)
	config.Metrics = NewMetrics(registry)
	client := NewClient(config)
	bad := newFailing(t, 500)
	for range breakerFaults {
		wantKind(t, bad.get(t, client), schema.Retryable)
	}
	wantOpen(t, registry, 1)
	for n := range 2 * guardedServers {
		client.breakers.Of(strconv.Itoa(n))
	}
	wantOpen(t, registry, 0)
}

func TestServersThatNobodyCallsAreNotCountedAsFailing(t *testing.T) {
	b := newBreaker(schema.Mastodon, "mastodon.example", time.Millisecond, testConfig(t).Logger)
	for range breakerFaults {
		b.do(func() (*Response, error) { return nil, &schema.Error{Kind: schema.Retryable} })
	}
	if !b.fails() {
		t.Fatal("a server that has just failed does not count as failing")
	}
	b.halfAt = b.halfAt.Add(-2 * breakerMemory)
	if b.fails() {
		t.Error("a server that was not called for long counts as failing")
	}
}

func wantOpen(t *testing.T, registry *prometheus.Registry, want float64) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "crier_open_breakers" {
			continue
		}
		if got := family.GetMetric()[0].GetGauge().GetValue(); got != want {
			t.Errorf("%v breakers are open, want %v", got, want)
		}
		return
	}
	t.Error("no breaker is counted")
}

func TestOneCallIsPreparedForAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const open = 300 * time.Millisecond
		config := testConfig(t)
		b := newBreaker(schema.Mastodon, "mastodon.example", open, config.Logger)
		fail := func() (*Response, error) { return nil, &schema.Error{Kind: schema.Retryable} }
		for range breakerFaults {
			if wait := b.admits(); wait != 0 {
				t.Fatalf("closed: a wait of %s", wait)
			}
			if _, err := b.do(fail); err == nil {
				t.Fatal("a fault is no error")
			}
		}
		if wait := b.admits(); wait <= 0 || wait > open {
			t.Errorf("open: a wait of %s, want up to %s", wait, open)
		}
		time.Sleep(open + 50*time.Millisecond)
		for i, want := range []time.Duration{0, probeWait, probeWait} {
			if wait := b.admits(); wait != want {
				t.Errorf("half open, look %d: a wait of %s, want %s", i, wait, want)
			}
		}
		time.Sleep(probeWait)
		if wait := b.admits(); wait != 0 {
			t.Errorf("the probe never came, and the next is to wait %s", wait)
		}
	})
}

func TestAnOpenBreakerIsWaitedForBeforeACall(t *testing.T) {
	client, server := NewClient(testConfig(t)), newFailing(t, 500)
	began := time.Now()
	for range breakerFaults {
		_, err := client.Do(t.Context(), Call{Operation: "test", Method: http.MethodGet, URL: server.url, Account: account(1)}, nil)
		wantKind(t, err, schema.Retryable)
	}
	if _, wait := client.Reserve(t.Context(), account(1), Post); wait < breakerOpen-time.Since(began) || wait > breakerOpen {
		t.Errorf("its account waits %s, want until half-open", wait)
	}
	if _, wait := client.Reserve(t.Context(), account(2), Post); wait != 0 {
		t.Errorf("an account of another server waits %s", wait)
	}
}
