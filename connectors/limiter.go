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
	App     Rate // all accounts of this process together
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

// limiter spaces the calls of each account, and of the app, and keeps an account
// quiet for as long as its platform asked for.
type limiter struct {
	now      func() time.Time
	app      *rate.Limiter // nil: no limit
	accounts *recent[schema.AccountID, *accountLimit]
}

// accountLimit is the turn of one account.
type accountLimit struct {
	bucket *rate.Limiter // nil: no limit

	mu   sync.Mutex
	held time.Time // no call before this time
}

func newLimiter(limits Limits, now func() time.Time) *limiter {
	return &limiter{
		now: now,
		app: newBucket(limits.App),
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

// wait returns when the account's turn has come, or at once with RateLimited when
// that takes longer than longestWait.
func (l *limiter) wait(ctx context.Context, account schema.AccountID) error {
	limit := l.accounts.of(account)
	now := l.now()
	if held := limit.heldFor(now); held > 0 {
		return throttled(held)
	}
	own, ownDelay := reserve(limit.bucket, now)
	app, appDelay := reserve(l.app, now)
	delay := max(ownDelay, appDelay)
	if delay <= 0 {
		return nil
	}
	var err error
	if delay > longestWait {
		err = throttled(delay)
	} else {
		err = sleep(ctx, delay)
	}
	if err != nil {
		giveBack(own, now)
		giveBack(app, now)
	}
	return err
}

// hold keeps an account quiet for as long as its platform asked for.
func (l *limiter) hold(account schema.AccountID, d time.Duration) {
	if d <= 0 {
		return
	}
	limit := l.accounts.of(account)
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

func reserve(bucket *rate.Limiter, now time.Time) (*rate.Reservation, time.Duration) {
	if bucket == nil {
		return nil, 0
	}
	turn := bucket.ReserveN(now, 1)
	return turn, turn.DelayFrom(now)
}

func giveBack(turn *rate.Reservation, now time.Time) {
	if turn != nil {
		turn.CancelAt(now)
	}
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
