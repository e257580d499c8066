package connectors

import (
	"context"
	"errors"
	"sync"
	"time"

	"crier/schema"
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
	accounts *recent[schema.AccountID, *accountLimit]
	apps     map[Kind]*recent[string, *share]
	// spareApps are the turns of apps for any call as reads see them; nil: there is no limit.
	spareApps *recent[string, *spareShare]
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
	quotas map[Kind]quota
	spare  quota // those for any call as reads see them; nil: there is no limit

	mu          sync.Mutex
	calls, read manner    // but reads; and those
	media       time.Time // no upload before this time
	// alone is until when calls are throttled that count against one of its limits; there are few of them.
	alone map[aloneLimit]time.Time
	seen  time.Time // when any of these times was last looked at
}

// aloneLimit is one of an account's limits, or reads by themselves of one.
type aloneLimit struct {
	name   string
	isRead bool
}

// manner is how the last call of an account was made; the next one is expected to be made alike.
type manner struct {
	until  time.Time // no call before this time
	made   bool
	app    string
	server *breaker
}

func (a *accountLimit) manner(kind Kind) *manner {
	if kind == Read {
		return &a.read
	}
	return &a.calls
}

func newLimiter(config ClientConfig) *limiter {
	if config.appTurns = config.Turns; config.appTurns == nil {
		config.appTurns = newOwnTurns(config.Now)
	}
	l := &limiter{now: config.Now, limits: config.Limits, limitOf: config.LimitOf, apps: map[Kind]*recent[string, *share]{}}
	if l.limitOf == nil {
		l.limitOf = func(call Call) string { return call.Operation }
	}
	for kind, limit := range config.Limits {
		if limit.App.PerSecond > 0 {
			l.apps[kind] = config.appShares(kind, limit.App)
		}
	}
	if whole := config.Limits[Any].App; whole.PerSecond > 0 {
		leases := config.appLeases(whole)
		l.spareApps = newRecent(limitedApps, func(app string) *spareShare { return leases.spare(config.turnName(Any, app)) })
	}
	l.accounts = newRecent(limitedAccounts, func(account schema.AccountID) *accountLimit {
		one := &accountLimit{quotas: map[Kind]quota{}}
		for kind, limit := range l.limits {
			if limit.Account.PerSecond > 0 {
				one.quotas[kind] = config.accountQuota(account, kind, limit.Account)
			}
		}
		one.spare = config.spareQuota(account, one.quotas[Any])
		return one
	})
	return l
}

// appShares are this process's shares of the turns of apps.
func (c ClientConfig) appShares(kind Kind, limit Rate) *recent[string, *share] {
	leases := c.appLeases(limit)
	return newRecent(limitedApps, func(app string) *share { return leases.share(c.turnName(kind, app)) })
}

// appLeases is how the turns of apps are leased.
func (c ClientConfig) appLeases(limit Rate) *leases {
	chunk := max(1, int(leased*float64(limit.PerSecond)))
	return &leases{
		turns: c.appTurns, spacing: limit.spacing(), burst: limit.burst(), least: chunk, most: chunk, apart: true, now: c.Now, logger: c.Logger,
	}
}

// spareQuota is what turns of an account for any call are taken from as reads see it.
func (c ClientConfig) spareQuota(account schema.AccountID, of quota) quota {
	switch of := of.(type) {
	case *bucket:
		return spareBucket{of}
	case *share:
		return of.spare(c.turnName(Any, account.String()))
	default:
		return nil
	}
}

// accountQuota is what turns of an account are taken from.
func (c ClientConfig) accountQuota(account schema.AccountID, kind Kind, limit Rate) quota {
	if c.Turns == nil {
		return newBucket(limit, c.Now)
	}
	ahead := int((clockStep - longestWait) / limit.spacing()) // further would look like a clock that was set back
	leases := &leases{
		turns: c.Turns, spacing: limit.spacing(), burst: limit.burst(), least: 1, most: max(1, min(limit.burst()/leasedPart, ahead)), now: c.Now, logger: c.Logger,
	}
	return leases.share(c.turnName(kind, account.String()))
}

// turnName is the name of a kind's turns that processes share.
func (c ClientConfig) turnName(kind Kind, of string) string {
	if kind == Any {
		return c.TurnPrefix + of
	}
	return c.TurnPrefix + of + "/" + kind.String()
}

// of returns the limit of an account. A call without an account, such as one that
// connects one, gets a new, empty limit.
func (l *limiter) of(account schema.AccountID) *accountLimit {
	if account.IsZero() {
		return &accountLimit{}
	}
	return l.accounts.of(account)
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
			all = append(all, shares.of(app))
		}
	}
	if kind == Read && limit.spare != nil {
		all = append(all, limit.spare)
	}
	if kind == Read && l.spareApps != nil {
		all = append(all, l.spareApps.of(app))
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
func (l *limiter) reserve(ctx context.Context, account schema.AccountID, kind Kind) (schema.Turn, time.Duration) {
	limit, known := l.accounts.known(account)
	if !known {
		return nil, 0
	}
	limit.mu.Lock()
	last := *limit.manner(kind)
	limit.mu.Unlock()
	if wait := l.throttledFor(limit, Call{Kind: kind}); wait > 0 {
		return nil, wait
	}
	if last.server != nil {
		if wait := last.server.admits(); wait > 0 {
			return nil, wait
		}
	}
	if !last.made {
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
	limit, known := l.accounts.known(account)
	if !known || l.throttledFor(limit, Call{Kind: kind}) > 0 {
		return 0
	}
	limit.mu.Lock()
	server := limit.manner(kind).server
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
	if call.Turn != nil && call.Turn.Use() {
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
		last := limit.manner(kind)
		last.until = later(until, last.until)
	})
}

// throttleOne keeps an account's calls back that count against the same limit as a call: it says
// nothing of others, such as a day's videos of the looks at one that is there. That of a read keeps
// reads back alone.
func (l *limiter) throttleOne(call Call, d time.Duration) {
	of := aloneLimit{l.limitOf(call), call.Kind == Read}
	l.setThrottle(call.Account, d, func(limit *accountLimit, until time.Time) {
		if limit.alone == nil {
			limit.alone = map[aloneLimit]time.Time{}
		}
		limit.alone[of] = later(until, limit.alone[of])
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
	for _, until := range []*time.Time{&a.calls.until, &a.read.until, &a.media} {
		*until = until.Add(-back)
	}
	for of, until := range a.alone {
		a.alone[of] = until.Add(-back)
	}
}

// throttledFor returns how long a call is throttled. Before a call is made, only its kind is known.
func (l *limiter) throttledFor(limit *accountLimit, call Call) time.Duration {
	of := aloneLimit{name: l.limitOf(call)}
	limit.mu.Lock()
	defer limit.mu.Unlock()
	now := l.now()
	limit.followClock(now)
	until := later(later(limit.calls.until, limit.manner(call.Kind).until), limit.alone[of])
	switch call.Kind {
	case Media:
		until = later(until, limit.media)
	case Read:
		of.isRead = true
		until = later(until, limit.alone[of])
	}
	return until.Sub(now)
}

// uses notes the app and the server of a call.
func (a *accountLimit) uses(call Call, server *breaker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := a.manner(call.Kind)
	last.made, last.app, last.server = true, call.App, server
}

func throttled(wait time.Duration) *schema.Error {
	return &schema.Error{
		Kind: schema.RateLimited, Message: "the account has to wait for its platform",
		RetryAfter: wait, Err: errThrottled,
	}
}
