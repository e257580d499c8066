package connectors

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func account(n byte) schema.AccountID { return schema.AccountID{15: n} }

func TestLimiterSpacesCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		limits Limits
		second schema.AccountID
		want   time.Duration // that the second call has to wait; 0: none
	}{
		"no limit":                     {Limits{}, account(1), 0},
		"the same account":             {Limits{Account: Rate{0.1, 1}}, account(1), 10 * time.Second},
		"the same account, with burst": {Limits{Account: Rate{0.1, 2}}, account(1), 0},
		"another account":              {Limits{Account: Rate{0.1, 1}}, account(2), 0},
		"another account, one app":     {Limits{App: Rate{0.1, 1}}, account(2), 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			l := newLimiter(tt.limits, clock.Now)
			if err := l.wait(t.Context(), account(1)); err != nil {
				t.Fatal(err)
			}
			err := l.wait(t.Context(), tt.second)
			if tt.want == 0 {
				if err != nil {
					t.Fatalf("second call: %v", err)
				}
				return
			}
			if e := wantKind(t, err, schema.RateLimited); e.RetryAfter != tt.want {
				t.Fatalf("RetryAfter = %s, want %s", e.RetryAfter, tt.want)
			}
			clock.advance(tt.want)
			if err := l.wait(t.Context(), tt.second); err != nil {
				t.Fatalf("after the wait: %v; a refused call must not use up a turn", err)
			}
		})
	}
}

func TestLimiterWaitsShortly(t *testing.T) {
	l := newLimiter(Limits{Account: Rate{PerSecond: 20, Burst: 1}}, time.Now)
	started := time.Now()
	for range 5 {
		if err := l.wait(t.Context(), account(1)); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(started); took < 190*time.Millisecond {
		t.Errorf("5 calls at 20 a second took %s", took)
	}
}

func TestPlatformsWaitHoldsItsAccount(t *testing.T) {
	var calls atomic.Int32
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	clock, config := newClock(), testConfig(t)
	config.Now = clock.Now
	client := NewClient(config)
	do := func(n byte) error {
		_, err := client.Do(t.Context(), Call{Operation: "test", Method: http.MethodGet, URL: server, Account: account(n)}, nil)
		return err
	}
	wantKind(t, do(1), schema.RateLimited)
	clock.advance(20 * time.Second)
	if e := wantKind(t, do(1), schema.RateLimited); e.RetryAfter != 40*time.Second {
		t.Errorf("RetryAfter = %s, want what is left", e.RetryAfter)
	}
	if calls.Load() != 1 {
		t.Fatal("a call was sent while the platform had asked to wait")
	}
	if err := do(2); err != nil {
		t.Errorf("another account: %v", err)
	}
	clock.advance(40 * time.Second)
	if err := do(1); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestRecentForgets(t *testing.T) {
	made := 0
	r := newRecent(100, func(int) *int { made++; return &made })
	for key := range 10_000 {
		r.of(key)
		r.of(0) // in use all the time
	}
	if got := len(r.values()); got > 200 {
		t.Errorf("holds %d keys, want 200 at most", got)
	}
	if made != 10_000 {
		t.Errorf("made %d values, want each once: a key in use was forgotten", made)
	}
}
