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
	// longestHold bounds what a platform may ask for; no platform's window is longer.
	longestHold = 24 * time.Hour
	// limitedAccounts is the size of a generation of accounts in the limiter.
	limitedAccounts = 1 << 14
)

var errThrottled = errors.New("held by the limiter")

// limiter spaces the calls of each account and of each app, and holds an account for as
// long as its platform asked.
type limiter struct {
	now      func() time.Time
	limits   Limits
	accounts *recent[schema.AccountID, *accountLimit]
	apps     map[Kind]*recent[string, *share]
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

	mu   sync.Mutex
	held time.Time // no call before this time
	// What the last call used; the next one is expected to use the same.
	app    string
	server *breaker
}

func newLimiter(config ClientConfig) *limiter {
	l := &limiter{now: config.Now, limits: config.Limits, apps: map[Kind]*recent[string, *share]{}}
	for kind, limit := range config.Limits {
		if limit.App.PerSecond > 0 {
			l.apps[kind] = config.appShares(kind, limit.App)
		}
	}
	l.accounts = newRecent(limitedAccounts, func(account schema.AccountID) *accountLimit {
		one := &accountLimit{quotas: map[Kind]quota{}}
		for kind, limit := range l.limits {
			if limit.Account.PerSecond > 0 {
				one.quotas[kind] = config.accountQuota(account, kind, limit.Account)
			}
		}
		return one
	})
	return l
}

// appShares are this process's shares of the turns of apps.
func (c ClientConfig) appShares(kind Kind, limit Rate) *recent[string, *share] {
	chunk := max(1, int(leased*float64(limit.PerSecond)))
	leases := &leases{
		turns: c.Turns, spacing: limit.spacing(), burst: limit.burst(), least: chunk, most: chunk, now: c.Now, logger: c.Logger,
	}
	if leases.turns == nil {
		leases.turns = &ownTurns{now: c.Now, next: newRecent(limitedApps, func(string) *time.Time { return &time.Time{} })}
	}
	return newRecent(limitedApps, func(app string) *share { return leases.share(c.turnName(kind, app)) })
}

// accountQuota is what turns of an account are taken from.
func (c ClientConfig) accountQuota(account schema.AccountID, kind Kind, limit Rate) quota {
	if c.Turns == nil || !c.ShareAccounts {
		return newBucket(limit, c.Now)
	}
	leases := &leases{
		turns: c.Turns, spacing: limit.spacing(), burst: limit.burst(), least: 1, most: max(1, limit.burst()/leasedPart), now: c.Now, logger: c.Logger,
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
	kinds := []Kind{Any, kind}
	if kind == Any {
		kinds = kinds[:1]
	}
	var all []quota
	for _, k := range kinds {
		if q := limit.quotas[k]; q != nil {
			all = append(all, q)
		}
		if shares := l.apps[k]; shares != nil {
			all = append(all, shares.of(app))
		}
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
// until there may be one. For an account that was not called lately it returns no turn
// and no wait, since it is not known which limits the call will use.
func (l *limiter) reserve(ctx context.Context, account schema.AccountID, kind Kind) (schema.Turn, time.Duration) {
	limit, known := l.accounts.known(account)
	if !known {
		return nil, 0
	}
	limit.mu.Lock()
	app, server := limit.app, limit.server
	limit.mu.Unlock()
	if held := limit.heldFor(l.now()); held > 0 {
		return nil, held
	}
	if server != nil {
		if wait := server.admits(); wait > 0 {
			return nil, wait
		}
	}
	quotas := l.quotas(limit, app, kind)
	if wait := takeAll(ctx, quotas); wait > 0 || len(quotas) == 0 {
		return nil, wait
	}
	return &reservation{quotas: quotas, until: l.now().Add(longestReservation), now: l.now}, 0
}

// wait waits for the account's turn; if that takes longer than patience, it fails at once
// with RateLimited.
func (l *limiter) wait(ctx context.Context, call Call, server *breaker, patience time.Duration) error {
	limit := l.of(call.Account)
	limit.uses(call.App, server)
	if held := limit.heldFor(l.now()); held > 0 {
		return throttled(held)
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

// hold keeps calls of an account back for as long as its platform asked.
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

// uses notes the app and the server of a call.
func (a *accountLimit) uses(app string, server *breaker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.app, a.server = app, server
}

func throttled(wait time.Duration) *schema.Error {
	return &schema.Error{
		Kind: schema.RateLimited, Message: "the account has to wait for its platform",
		RetryAfter: wait, Err: errThrottled,
	}
}
