package connectors

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

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
	return newLimiter(ClientConfig{Limits: limits, Now: now})
}

func TestLimiterSpacesCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		limits Limits
		second Call
		want   time.Duration // that the second call has to wait; 0: none
	}{
		"no limit":                     {Limits{}, Call{Account: account(1)}, 0},
		"the same account":             {Limits{Any: {Account: Rate{0.1, 1}}}, Call{Account: account(1)}, 10 * time.Second},
		"the same account, with burst": {Limits{Any: {Account: Rate{0.1, 2}}}, Call{Account: account(1)}, 0},
		"another account":              {Limits{Any: {Account: Rate{0.1, 1}}}, Call{Account: account(2)}, 0},
		"another account, one app":     {Limits{Any: {App: Rate{0.1, 1}}}, Call{Account: account(2)}, 10 * time.Second},
		"another account, with burst":  {Limits{Any: {App: Rate{0.1, 2}}}, Call{Account: account(2)}, 0},
		"another kind":                 {Limits{Post: {Account: Rate{0.1, 1}}}, Call{Account: account(1), Kind: Media}, 0},
		"another kind of all together": {Limits{Any: {Account: Rate{0.1, 1}}}, Call{Account: account(1), Kind: Media}, 10 * time.Second},
		"the same kind":                {Limits{Post: {Account: Rate{0.1, 1}}}, Call{Account: account(1), Kind: Post}, 10 * time.Second},
		"the same kind of one app":     {Limits{Post: {App: Rate{0.1, 1}}}, Call{Account: account(2), Kind: Post}, 10 * time.Second},
		"another app":                  {Limits{Any: {App: Rate{0.1, 1}}}, Call{Account: account(2), App: "bot"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			l := limiterOf(tt.limits, clock.Now)
			if err := l.wait(t.Context(), Call{Account: account(1), Kind: Post}, nil, longestWait); err != nil {
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
	l := limiterOf(Limits{Any: {Account: Rate{PerSecond: 20, Burst: 1}}}, time.Now)
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
	config.Limits = Limits{Any: {Account: Rate{PerSecond: 2, Burst: 1}}}
	client := NewClient(config)
	for i, want := range []bool{true, false} {
		_, err := client.Do(t.Context(), Call{
			Operation: "test", Method: http.MethodPost, URL: server, Account: account(1), Visible: true,
		}, nil)
		if passed := err == nil; passed != want {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// calledFirst is a limiter on which accounts 1 to n have called, a turn of their app apart,
// and have used all there were.
func calledFirst(t *testing.T, limits Limits, n byte) (*limiter, *clock) {
	t.Helper()
	clock := newClock()
	l := limiterOf(limits, clock.Now)
	for i := range n {
		clock.advance(10 * time.Second)
		if err := l.wait(t.Context(), Call{Account: account(i + 1)}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return l, clock
}

// TestAReservedTurnIsOfItsCallAlone holds what the pipeline relies on: whose turn was
// reserved makes its call, however many others come meanwhile, and nobody else has it.
func TestAReservedTurnIsOfItsCallAlone(t *testing.T) {
	l, clock := calledFirst(t, Limits{Any: {App: Rate{0.1, 1}}}, 2)
	if reservation, wait := l.reserve(t.Context(), account(3), Post); reservation != nil || wait != 0 {
		t.Errorf("an account of which nothing is known has %v, and waits %s", reservation, wait)
	}
	clock.advance(10 * time.Second)
	reservation, wait := l.reserve(t.Context(), account(1), Post)
	if reservation == nil || wait != 0 {
		t.Fatalf("the first has no turn, and waits %s", wait)
	}
	for n := range byte(2) {
		if _, wait := l.reserve(t.Context(), account(n+1), Post); wait < 10*time.Second {
			t.Errorf("account %d waits %s, want 10s at least", n+1, wait)
		}
	}
	err := l.wait(t.Context(), Call{Account: account(1)}, nil, 0)
	wantKind(t, err, schema.RateLimited) // another call of the account finds nothing of it
	for i, want := range []bool{true, false} {
		if err := l.wait(t.Context(), Call{Account: account(1), Reservation: reservation}, nil, 0); (err == nil) != want {
			t.Errorf("use %d of the turn: %v", i, err)
		}
	}
	l.throttle(account(1), Any, time.Minute)
	if _, wait := l.reserve(t.Context(), account(1), Post); wait != time.Minute {
		t.Errorf("an account that its platform throttles waits %s, want 1m", wait)
	}
}

// Accounts of different apps that were only read take no turns of each other.
func TestAnAccountThatWasOnlyReadReservesNothing(t *testing.T) {
	l := limiterOf(Limits{Any: {App: Rate{0.1, 1}}}, newClock().Now)
	for n, app := range []string{"one", "another"} {
		if err := l.wait(t.Context(), Call{Account: account(byte(n)), App: app, Kind: Read}, nil, 0); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if reservation, wait := l.reserve(t.Context(), account(byte(n)), Post); reservation != nil || wait != 0 {
				t.Errorf("that of %s has %v, and waits %s", app, reservation, wait)
			}
		}
	}
}

func TestAReservedTurnThatIsNotUsedIsTheNext(t *testing.T) {
	for name, limits := range map[string]Limits{
		"of an account": {Any: {Account: Rate{0.1, 1}}},
		"of an app":     {Any: {App: Rate{0.1, 1}}},
		"of a kind":     {Post: {Account: Rate{0.1, 1}}},
	} {
		for ends, end := range map[string]func(*clock, schema.Reservation){
			"cancelled": func(clock *clock, reservation schema.Reservation) {
				clock.advance(time.Second)
				reservation.Cancel()
				reservation.Cancel()
			},
			"too late": func(clock *clock, reservation schema.Reservation) {
				clock.advance(longestReservation + 1)
				reservation.Use()
			},
		} {
			t.Run(name+" "+ends, func(t *testing.T) {
				l, clock := calledFirst(t, limits, 1)
				clock.advance(10 * time.Second)
				reservation, _ := l.reserve(t.Context(), account(1), Post)
				if reservation == nil {
					t.Fatal("no turn")
				}
				if _, wait := l.reserve(t.Context(), account(1), Post); wait == 0 {
					t.Fatal("there were two turns")
				}
				end(clock, reservation)
				if reservation.Use() {
					t.Error("it is used though it is over")
				}
				again, wait := l.reserve(t.Context(), account(1), Post)
				if again == nil || wait != 0 {
					t.Errorf("the next waits %s, though a turn was not used", wait)
				}
				if more, _ := l.reserve(t.Context(), account(1), Post); more != nil {
					t.Error("the turn came back twice")
				}
			})
		}
	}
}

// sharing are two processes that share the turns of accounts.
func sharing(now func() time.Time, limit Rate) [2]*limiter {
	config := ClientConfig{
		Limits: Limits{Any: {Account: limit}}, Now: now, Turns: newOwnTurns(now),
	}
	return [2]*limiter{newLimiter(config), newLimiter(config)}
}

// TestProcessesShareAnAccount has two processes call for one account.
func TestProcessesShareAnAccount(t *testing.T) {
	const burst, minutes = 16, 5
	clock := newClock()
	processes := sharing(clock.Now, Rate{0.5, burst})
	rare, calls := 0, 0
	for range minutes * 60 {
		clock.advance(time.Second)
		if calls++; calls%10 == 0 { // each of them every 10 s is less than there is
			for _, l := range processes {
				if l.wait(t.Context(), Call{Account: account(1)}, nil, 0) == nil {
					rare++
				}
			}
		}
	}
	if rare != 2*minutes*6 {
		t.Errorf("%d calls were let through that are fewer than the limit, of %d", rare, 2*minutes*6)
	}
	often := 0
	for range minutes * 60 {
		clock.advance(time.Second)
		for _, l := range processes {
			for range 3 {
				if l.wait(t.Context(), Call{Account: account(1)}, nil, 0) == nil {
					often++
				}
			}
		}
	}
	if maximum := minutes*30 + burst + 2*burst/leasedPart; often > maximum || often < minutes*30-burst {
		t.Errorf("%d calls were let through, want some %d and at most %d", often, minutes*30, maximum)
	}
}

// The first of an account's line waits for its next turn, however many others have asked: its first
// comments, the steps of a post, another process's share. Sent further away, it would leave the line.
func TestCallersOfAnAccountWaitForItsNextTurn(t *testing.T) {
	const spacing = 20 * time.Second
	clock := newClock()
	for _, shared := range []bool{false, true} {
		config := ClientConfig{Limits: Limits{Any: {Account: Rate{rate.Every(spacing), 1}}}, Now: clock.Now}
		if shared {
			config.Turns = newOwnTurns(clock.Now)
		}
		l := newLimiter(config)
		if err := l.wait(t.Context(), Call{Account: account(1)}, nil, 0); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, wait := l.reserve(t.Context(), account(1), Post); (wait - spacing).Abs() > time.Millisecond {
				t.Errorf("shared %t: it waits %s, want %s", shared, wait, spacing)
			}
		}
		clock.advance(spacing + time.Millisecond)
		if reservation, wait := l.reserve(t.Context(), account(1), Post); reservation == nil {
			t.Errorf("shared %t: then it waits %s more", shared, wait)
		}
	}
}

// Turns that one process leased for minutes to come would look to another one like those of before the
// clock was set back, and it would take them again.
func TestProcessesShareTheTurnsOfASlowAccount(t *testing.T) {
	const spacing, burst, hours = 20 * time.Second, 50, 2
	clock := newClock()
	processes := sharing(clock.Now, Rate{rate.Every(spacing), burst})
	var calls [2]int
	for second := range hours * 3600 {
		clock.advance(time.Second)
		for i := range processes {
			first := (second/7 + i) % 2 // nobody is always the first
			err := processes[first].wait(t.Context(), Call{Account: account(1)}, nil, 0)
			if err == nil {
				calls[first]++
			} else if e := wantKind(t, err, schema.RateLimited); second > 600 && e.RetryAfter > spacing+longestWait {
				t.Fatalf("one is to come back in %s, want the next turn in at most %s", e.RetryAfter, spacing+longestWait)
			}
		}
	}
	turns := int(hours * time.Hour / spacing)
	if all := calls[0] + calls[1]; all > burst+turns+burst/leasedPart || all < turns {
		t.Errorf("%d calls were let through in %d turns after a burst of %d", all, turns, burst)
	}
	if min(calls[0], calls[1]) < turns/3 {
		t.Errorf("the processes had %v turns, want each about half of them", calls)
	}
}

func TestWhatAProcessLeasesAfterAPauseIsItsOwn(t *testing.T) {
	const spacing, burst = 20 * time.Second, 50
	clock := newClock()
	processes := sharing(clock.Now, Rate{rate.Every(spacing), burst})
	paused, other, call := processes[0], processes[1], Call{Account: account(1)}
	for range burst {
		if err := paused.wait(t.Context(), call, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 * time.Minute / time.Second { // the other has all turns meanwhile
		clock.advance(time.Second)
		_ = other.wait(t.Context(), call, nil, 0)
	}
	clock.advance(spacing)
	if err := paused.wait(t.Context(), call, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := other.wait(t.Context(), call, nil, 0); err == nil {
		t.Error("the other has a turn at once, too")
	}
}

// TestCallersOfAnAppReturnOneAfterTheOther keeps a herd from coming back all at once.
func TestCallersOfAnAppReturnOneAfterTheOther(t *testing.T) {
	clock := newClock()
	l := limiterOf(Limits{Any: {App: Rate{1, 1}}}, clock.Now)
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

func TestPlatformsWaitThrottlesItsAccount(t *testing.T) {
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
	l := limiterOf(Limits{Any: {Account: Rate{0.1, 1}}}, clock.Now)
	l.throttle(schema.AccountID{}, Any, time.Hour) // what the platform asked of one
	for range 3 {
		if err := l.wait(t.Context(), Call{}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// A clock that is set back, as PostgreSQL's may be, keeps nobody waiting for the time to
// come round again.
func TestAClockThatIsSetBackHoldsUpNobody(t *testing.T) {
	clock := newClock()
	source := newTurnSource(ClientConfig{Now: clock.Now})
	for name, q := range map[string]quota{
		"an account": newBucket(Rate{PerSecond: 1, Burst: 2}, clock.Now),
		"an app":     source.apps(Any, Rate{PerSecond: 5, Burst: 1}).Of("bot"),
	} {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				q.take(t.Context())
			}
			clock.advance(-10 * time.Minute)
			if wait := q.take(t.Context()); wait > 2*time.Second {
				t.Errorf("the next turn is in %v", wait)
			}
			clock.advance(10 * time.Minute)
		})
	}
}

func TestAClockThatIsSetBackThrottlesNoAccountForLonger(t *testing.T) {
	clock := newClock()
	l := limiterOf(nil, clock.Now)
	for name, throttle := range map[string]func(Call){
		"all its calls":  func(call Call) { l.throttle(call.Account, call.Kind, time.Minute) },
		"one sort alone": func(call Call) { l.throttleLimit(call, time.Minute) },
	} {
		for n, kind := range []Kind{Any, Post, Media, Read} {
			call := Call{Operation: name, Account: account(byte(n + 1)), Kind: kind}
			throttle(call)
			clock.advance(20 * time.Second)
			if left := l.throttledFor(l.of(call.Account), call); left != 40*time.Second {
				t.Errorf("%s of kind %s: throttled for %v", name, kind, left)
			}
			clock.advance(-time.Hour)
			if left := l.throttledFor(l.of(call.Account), call); left != 40*time.Second {
				t.Errorf("%s of kind %s: throttled for %v once the clock is set back", name, kind, left)
			}
		}
	}
}

func TestTurnsThatComeBackMakeNoMoreThanABurst(t *testing.T) {
	clock := newClock()
	b := newBucket(Rate{PerSecond: 1, Burst: 3}, clock.Now)
	for range 3 {
		b.take(t.Context())
	}
	clock.advance(2 * time.Second)
	for range 3 {
		b.give()
	}
	taken := 0
	for b.take(t.Context()) == 0 {
		taken++
	}
	if taken != 3 {
		t.Errorf("%d turns are taken at once, want a burst of 3", taken)
	}
}
