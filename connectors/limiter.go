package connectors

import (
	"context"
	"errors"
	"sync"
	"time"

	"crier/schema"
	"crier/schema/recent"
	"crier/schema/sleep"
)

const (
	// longestWait is how long a call waits for its turn; a longer wait is left to
	// the pipeline, which holds no goroutine for it.
	longestWait = time.Second
	// longestThrottle bounds what a platform may ask for; no platform's window is longer.
	longestThrottle = 24 * time.Hour
	// limitedAccounts is the size of a generation of accounts in the limiter.
	limitedAccounts = 1 << 14
)

var errThrottled = errors.New("throttled by the limiter")

// limiter spaces the calls of each account and of each app, and throttles an account for as
// long as its platform asked.
type limiter struct {
	now      func() time.Time
	limits   Limits
	limitOf  func(Call) string
	accounts *recent.Cache[schema.AccountID, *accountLimit]
	apps     map[Kind]*recent.Cache[string, *share]
	// appReads are what reads may take of the turns of apps for all calls; nil: these have no limit.
	appReads *recent.Cache[string, *readShare]
}

// quota is what turns are taken from: those of an account, or of an app.
type quota interface {
	// take takes a turn, or returns how long it is until there may be one.
	take(ctx context.Context) (wait time.Duration)
	// give takes a turn back that was not used.
	give()
}

// accountLimit is the turns of one account.
type accountLimit struct {
	quotas    map[Kind]quota
	readQuota quota // what reads may take of the turns for all calls; nil: these have no limit

	mu    sync.Mutex
	call  lastCall  // of those that are no reads
	read  lastCall  // of reads
	media time.Time // no upload before this time
	// perLimit is until when calls are throttled that count against one of its limits; there are few.
	perLimit map[limitKey]time.Time
	seen     time.Time // when any of these times was last looked at
}

// limitKey is one of an account's limits.
type limitKey struct {
	name   string
	isRead bool // and only its reads
}

// lastCall is how the last call of an account was made, as the next one is expected to be made, and when
// that may be.
type lastCall struct {
	known          bool // false: there was none yet
	app            string
	server         *breaker
	throttledUntil time.Time
}

func (a *accountLimit) last(kind Kind) *lastCall {
	if kind == Read {
		return &a.read
	}
	return &a.call
}

func newLimiter(config ClientConfig) *limiter {
	l := &limiter{now: config.Now, limits: config.Limits, limitOf: config.LimitOf, apps: map[Kind]*recent.Cache[string, *share]{}}
	if l.limitOf == nil {
		l.limitOf = func(call Call) string { return call.Operation }
	}
	source := newTurnSource(config)
	for kind, limit := range l.limits {
		if limit.App.PerSecond > 0 {
			l.apps[kind] = source.apps(kind, limit.App)
		}
	}
	if all := l.limits[Any].App; all.PerSecond > 0 {
		l.appReads = source.appReads(all)
	}
	l.accounts = recent.New(limitedAccounts, func(account schema.AccountID) *accountLimit {
		fresh := &accountLimit{quotas: map[Kind]quota{}}
		for kind, limit := range l.limits {
			if limit.Account.PerSecond > 0 {
				fresh.quotas[kind] = source.account(account, kind, limit.Account)
			}
		}
		fresh.readQuota = source.accountReads(account, fresh.quotas[Any])
		return fresh
	})
	return l
}

// of returns the limit of an account. A call without an account, such as one that
// connects one, gets a new, empty limit.
func (l *limiter) of(account schema.AccountID) *accountLimit {
	if account.IsZero() {
		return &accountLimit{}
	}
	return l.accounts.Of(account)
}

// quotas returns all that a call takes a turn of.
func (l *limiter) quotas(limit *accountLimit, app string, kind Kind) []quota {
	var all []quota
	kinds := []Kind{Any, kind}
	switch kind {
	case Any:
		kinds = kinds[:1]
	case Read:
		kinds = kinds[1:]
	}
	for _, k := range kinds {
		if q := limit.quotas[k]; q != nil {
			all = append(all, q)
		}
		if shares := l.apps[k]; shares != nil {
			all = append(all, shares.Of(app))
		}
	}
	if kind == Read && limit.readQuota != nil {
		all = append(all, limit.readQuota)
	}
	if kind == Read && l.appReads != nil {
		all = append(all, l.appReads.Of(app))
	}
	return all
}

// takeAll takes a turn of each, or of none and returns how long to wait.
func takeAll(ctx context.Context, quotas []quota) (wait time.Duration) {
	for i, q := range quotas {
		if wait = q.take(ctx); wait > 0 {
			giveAll(quotas[:i])
			return wait
		}
	}
	return 0
}

func giveAll(quotas []quota) {
	for _, q := range quotas {
		q.give()
	}
}

// reserve takes a turn for an account's next call of a kind, or returns how long it is
// until there may be one. For an account that was not called lately, or only read, it returns
// no turn and no wait, since it is not known which limits the call will use.
func (l *limiter) reserve(ctx context.Context, account schema.AccountID, kind Kind) (schema.Reservation, time.Duration) {
	limit, known := l.accounts.Known(account)
	if !known {
		return nil, 0
	}
	limit.mu.Lock()
	last := *limit.last(kind)
	limit.mu.Unlock()
	if wait := l.throttledFor(limit, Call{Kind: kind}); wait > 0 {
		return nil, wait
	}
	if last.server != nil {
		if wait := last.server.admits(); wait > 0 {
			return nil, wait
		}
	}
	if !last.known {
		return nil, 0
	}
	quotas := l.quotas(limit, last.app, kind)
	if wait := takeAll(ctx, quotas); wait > 0 || len(quotas) == 0 {
		return nil, wait
	}
	return &reservation{quotas: quotas, until: l.now().Add(longestReservation), now: l.now}, 0
}

// spacing is that of an account's turns, 0 where its calls wait for something else.
func (l *limiter) spacing(account schema.AccountID, kind Kind) (widest time.Duration) {
	limit, known := l.accounts.Known(account)
	if !known || l.throttledFor(limit, Call{Kind: kind}) > 0 {
		return 0
	}
	limit.mu.Lock()
	server := limit.last(kind).server
	limit.mu.Unlock()
	if server != nil && !server.isClosed() {
		return 0
	}
	for _, k := range []Kind{Any, kind} {
		if rate := l.limits[k].Account; rate.PerSecond > 0 {
			widest = max(widest, rate.spacing())
		}
	}
	return widest
}

// wait waits for the account's turn; if that takes longer than patience, it fails at once
// with RateLimited.
func (l *limiter) wait(ctx context.Context, call Call, server *breaker, patience time.Duration) error {
	limit := l.of(call.Account)
	limit.uses(call, server)
	if wait := l.throttledFor(limit, call); wait > 0 {
		return throttled(wait)
	}
	if call.Reservation != nil && call.Reservation.Use() {
		return nil
	}
	quotas := l.quotas(limit, call.App, call.Kind)
	for {
		delay := takeAll(ctx, quotas)
		if delay == 0 {
			return nil
		}
		if patience -= delay; patience < 0 {
			return throttled(delay)
		}
		if err := sleep.For(ctx, delay); err != nil {
			return notSent(err)
		}
	}
}

// throttle keeps calls of an account back for as long as its platform asked; what it asked of a read
// keeps reads back alone, and of an upload uploads: texts and looks go on.
func (l *limiter) throttle(account schema.AccountID, kind Kind, d time.Duration) {
	l.setThrottle(account, d, func(limit *accountLimit, until time.Time) {
		if kind == Media {
			limit.media = later(until, limit.media)
			return
		}
		last := limit.last(kind)
		last.throttledUntil = later(until, last.throttledUntil)
	})
}

// throttleLimit keeps an account's calls back that count against the same limit as a call: it says
// nothing of others, such as a day's videos of the looks at one that is there. That of a read keeps
// reads back alone.
func (l *limiter) throttleLimit(call Call, d time.Duration) {
	of := limitKey{l.limitOf(call), call.Kind == Read}
	l.setThrottle(call.Account, d, func(limit *accountLimit, until time.Time) {
		if limit.perLimit == nil {
			limit.perLimit = map[limitKey]time.Time{}
		}
		limit.perLimit[of] = later(until, limit.perLimit[of])
	})
}

// setThrottle lets note until when calls of an account are throttled.
func (l *limiter) setThrottle(account schema.AccountID, d time.Duration, note func(limit *accountLimit, until time.Time)) {
	if d <= 0 {
		return
	}
	limit := l.of(account)
	limit.mu.Lock()
	defer limit.mu.Unlock()
	now := l.now()
	limit.followClock(now)
	note(limit, now.Add(min(d, longestThrottle)))
}

// followClock moves throttles along with a clock that was set back.
func (a *accountLimit) followClock(now time.Time) {
	back := a.seen.Sub(now)
	if a.seen = now; back <= 0 {
		return
	}
	for _, until := range []*time.Time{&a.call.throttledUntil, &a.read.throttledUntil, &a.media} {
		*until = until.Add(-back)
	}
	for of, until := range a.perLimit {
		a.perLimit[of] = until.Add(-back)
	}
}

// throttledFor returns how long a call is throttled. Before a call is made, only its kind is known.
func (l *limiter) throttledFor(limit *accountLimit, call Call) time.Duration {
	of := limitKey{name: l.limitOf(call)}
	limit.mu.Lock()
	defer limit.mu.Unlock()
	now := l.now()
	limit.followClock(now)
	until := later(later(limit.call.throttledUntil, limit.last(call.Kind).throttledUntil), limit.perLimit[of])
	switch call.Kind {
	case Media:
		until = later(until, limit.media)
	case Read:
		of.isRead = true
		until = later(until, limit.perLimit[of])
	}
	return until.Sub(now)
}

// uses notes the app and the server of a call.
func (a *accountLimit) uses(call Call, server *breaker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := a.last(call.Kind)
	last.known, last.app, last.server = true, call.App, server
}

func throttled(wait time.Duration) *schema.Error {
	return &schema.Error{
		Kind: schema.RateLimited, Message: "the account has to wait for its platform",
		RetryAfter: wait, Err: errThrottled,
	}
}
