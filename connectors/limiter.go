package connectors

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"crier/schema"
)

// Rate is a token bucket: so many calls a second, and so many at once. The zero Rate
// limits nothing.
type Rate struct {
	PerSecond rate.Limit
	Burst     int
}

// Limits is how fast a platform may be called.
type Limits struct {
	Account Rate // each account by itself
	App     Rate // all accounts of an app together, in all processes
}

const (
	// longestWait is how long a call waits for its turn; a longer wait is left to
	// the pipeline, which holds no goroutine for it.
	longestWait = time.Second
	// longestHold bounds what a platform may ask for; no platform's window is longer.
	longestHold = 24 * time.Hour
	// limitedAccounts is the size of a generation of accounts in the limiter.
	limitedAccounts = 1 << 14
)

var errThrottled = errors.New("held by the limiter")

// limiter spaces the calls of each account, and of each app, and keeps an account
// quiet for as long as its platform asked for.
type limiter struct {
	now      func() time.Time
	apps     *apps // nil: no limit
	accounts *recent[schema.AccountID, *accountLimit]
}

// accountLimit is the turn of one account.
type accountLimit struct {
	bucket *rate.Limiter // nil: no limit

	mu    sync.Mutex
	held  time.Time // no call before this time
	ahead bool      // the turn of the next call is taken already
	// What the last call used, and the next will.
	app    string
	server *breaker
}

func newLimiter(limits Limits, apps *apps, now func() time.Time) *limiter {
	return &limiter{
		now: now, apps: apps,
		accounts: newRecent(limitedAccounts, func(schema.AccountID) *accountLimit {
			return &accountLimit{bucket: newBucket(limits.Account)}
		}),
	}
}

func newBucket(r Rate) *rate.Limiter {
	if r.PerSecond == 0 {
		return nil
	}
	return rate.NewLimiter(r.PerSecond, max(r.Burst, 1))
}

// of returns the limit of an account. A call that is of none yet, as one that connects one,
// has a limit of its own, with nothing in it.
func (l *limiter) of(account schema.AccountID) *accountLimit {
	if account.IsZero() {
		return &accountLimit{}
	}
	return l.accounts.of(account)
}

// turn takes the turn of an account's next call before it is made. Where it has not come
// yet it returns how long that takes. An account that was not called lately has its turn:
// what it will use is not known.
func (l *limiter) turn(ctx context.Context, account schema.AccountID) (wait time.Duration) {
	limit, known := l.accounts.known(account)
	if !known {
		return 0
	}
	limit.mu.Lock()
	ahead, app, server := limit.ahead, limit.app, limit.server
	limit.mu.Unlock()
	if held := limit.heldFor(l.now()); held > 0 {
		return held
	}
	if ahead {
		return 0
	}
	if server != nil {
		if wait := server.admits(); wait > 0 {
			return wait
		}
	}
	if wait = l.take(ctx, limit, app); wait == 0 {
		limit.mu.Lock()
		limit.ahead = true
		limit.mu.Unlock()
	}
	return wait
}

// wait returns when the account's turn has come, or at once with RateLimited when that
// takes longer than patience.
func (l *limiter) wait(ctx context.Context, call Call, server *breaker, patience time.Duration) error {
	limit := l.of(call.Account)
	ahead := limit.uses(call.App, server)
	if held := limit.heldFor(l.now()); held > 0 {
		return throttled(held)
	}
	if ahead {
		return nil
	}
	for {
		delay := l.take(ctx, limit, call.App)
		if delay == 0 {
			return nil
		}
		if patience -= delay; patience < 0 {
			return throttled(delay)
		}
		if err := sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// take takes a turn of the account and of its app, or neither and tells how long it is
// until there may be one.
func (l *limiter) take(ctx context.Context, limit *accountLimit, app string) (wait time.Duration) {
	now := l.now()
	var own *rate.Reservation
	if limit.bucket != nil {
		own = limit.bucket.ReserveN(now, 1)
		if wait = own.DelayFrom(now); wait > 0 {
			own.CancelAt(now)
			return wait
		}
	}
	if l.apps == nil {
		return 0
	}
	if wait = l.apps.take(ctx, app); wait > 0 && own != nil {
		own.CancelAt(now)
	}
	return wait
}

// hold keeps an account quiet for as long as its platform asked for.
func (l *limiter) hold(account schema.AccountID, d time.Duration) {
	if d <= 0 {
		return
	}
	limit := l.of(account)
	until := l.now().Add(min(d, longestHold))
	limit.mu.Lock()
	defer limit.mu.Unlock()
	if until.After(limit.held) {
		limit.held = until
	}
}

func (a *accountLimit) heldFor(now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held.Sub(now)
}

// uses notes what a call uses, and tells whether its turn was taken ahead.
func (a *accountLimit) uses(app string, server *breaker) (ahead bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.app, a.server = app, server
	ahead, a.ahead = a.ahead, false
	return ahead
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return notSent(ctx.Err())
	}
}

func throttled(wait time.Duration) *schema.Error {
	return &schema.Error{
		Kind: schema.RateLimited, Message: "the account has to wait for its platform",
		RetryAfter: wait, Err: errThrottled,
	}
}
