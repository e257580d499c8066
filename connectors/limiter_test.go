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

func limiterOf(limits Limits, now func() time.Time) *limiter {
	return newLimiter(limits, newApps(ClientConfig{Limits: limits, Now: now}), now)
}

func TestLimiterSpacesCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		limits Limits
		second Call
		want   time.Duration // that the second call has to wait; 0: none
	}{
		"no limit":                     {Limits{}, Call{Account: account(1)}, 0},
		"the same account":             {Limits{Account: Rate{0.1, 1}}, Call{Account: account(1)}, 10 * time.Second},
		"the same account, with burst": {Limits{Account: Rate{0.1, 2}}, Call{Account: account(1)}, 0},
		"another account":              {Limits{Account: Rate{0.1, 1}}, Call{Account: account(2)}, 0},
		"another account, one app":     {Limits{App: Rate{0.1, 1}}, Call{Account: account(2)}, 10 * time.Second},
		"another account, with burst":  {Limits{App: Rate{0.1, 2}}, Call{Account: account(2)}, 0},
		"another app":                  {Limits{App: Rate{0.1, 1}}, Call{Account: account(2), App: "bot"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			l := limiterOf(tt.limits, clock.Now)
			if err := l.wait(t.Context(), Call{Account: account(1)}, nil, longestWait); err != nil {
				t.Fatal(err)
			}
			err := l.wait(t.Context(), tt.second, nil, longestWait)
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
			if err := l.wait(t.Context(), tt.second, nil, longestWait); err != nil {
				t.Fatalf("after the wait: %v; a refused call must not use up a turn", err)
			}
		})
	}
}

func TestLimiterWaitsShortly(t *testing.T) {
	l := limiterOf(Limits{Account: Rate{PerSecond: 20, Burst: 1}}, time.Now)
	started := time.Now()
	for range 5 {
		if err := l.wait(t.Context(), Call{Account: account(1)}, nil, longestWait); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(started); took < 190*time.Millisecond {
		t.Errorf("5 calls at 20 a second took %s", took)
	}
}

func TestAVisibleCallNeverWaits(t *testing.T) {
	server := serve(t, answer(http.StatusOK, nil, "{}"))
	config := testConfig(t)
	config.Limits = Limits{Account: Rate{PerSecond: 2, Burst: 1}}
	client := NewClient(config)
	for i, want := range []bool{true, false} {
		_, err := client.Do(t.Context(), Call{
			Operation: "test", Method: http.MethodPost, URL: server, Account: account(1), Visible: true,
		}, nil)
		if made := err == nil; made != want {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// TestATurnIsTakenAheadOfItsCall holds what the pipeline relies on: whose turn was taken
// makes its call, however many others come meanwhile.
func TestATurnIsTakenAheadOfItsCall(t *testing.T) {
	clock := newClock()
	l := limiterOf(Limits{App: Rate{0.1, 1}}, clock.Now)
	first, second, stranger := Call{Account: account(1)}, Call{Account: account(2)}, account(3)
	for _, call := range []Call{first, second} {
		clock.advance(10 * time.Second)
		if err := l.wait(t.Context(), call, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if wait := l.turn(t.Context(), stranger); wait != 0 {
		t.Errorf("an account of which nothing is known waits %s", wait)
	}
	clock.advance(10 * time.Second)
	for range 2 {
		if wait := l.turn(t.Context(), first.Account); wait != 0 {
			t.Errorf("the first waits %s for the turn it has", wait)
		}
	}
	if wait := l.turn(t.Context(), second.Account); wait != 10*time.Second {
		t.Errorf("the second waits %s, want 10s", wait)
	}
	if err := l.wait(t.Context(), first, nil, 0); err != nil {
		t.Errorf("the call whose turn was taken: %v", err)
	}
	l.hold(first.Account, time.Minute)
	if wait := l.turn(t.Context(), first.Account); wait != time.Minute {
		t.Errorf("an account that its platform holds waits %s, want 1m", wait)
	}
}

// TestCallersOfAnAppAreSentAwayApart keeps a herd from coming back all at once.
func TestCallersOfAnAppAreSentAwayApart(t *testing.T) {
	clock := newClock()
	l := limiterOf(Limits{App: Rate{1, 1}}, clock.Now)
	if err := l.wait(t.Context(), Call{Account: account(1)}, nil, 0); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		err := l.wait(t.Context(), Call{Account: account(byte(i))}, nil, 0)
		if e := wantKind(t, err, schema.RateLimited); e.RetryAfter != time.Duration(i+1)*time.Second {
			t.Errorf("caller %d is to come back in %s", i, e.RetryAfter)
		}
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

func TestAccountsThatConnectWaitForNoOther(t *testing.T) {
	clock := newClock()
	l := limiterOf(Limits{Account: Rate{0.1, 1}}, clock.Now)
	l.hold(schema.AccountID{}, time.Hour) // what the platform asked of one
	for range 3 {
		if err := l.wait(t.Context(), Call{}, nil, 0); err != nil {
			t.Fatal(err)
		}
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
