package connectors

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// AppTurns shares the calls of apps among processes.
type AppTurns interface {
	// LeaseTurns takes n turns of an app in a row, a spacing apart, and returns the time
	// of the first. An app that was quiet may have burst of them at once. Where the first
	// is more than within ahead it takes none, and granted is false.
	LeaseTurns(ctx context.Context, app string, n, burst int, spacing, within time.Duration) (first time.Time, granted bool, err error)
}

const (
	// leased is how many seconds of an app's calls a process leases at a time.
	leased = 0.2
	// lateTurn is how late a leased turn may be used: many late ones would come together.
	lateTurn = 250 * time.Millisecond
	// leaseAgain is when to come back after a lease that failed by our fault.
	leaseAgain = 500 * time.Millisecond
	// limitedApps is the size of a generation of apps: bots are apps, and users bring them.
	limitedApps = 1 << 12
)

// apps are the limits that all accounts of an app share.
type apps struct {
	turns   AppTurns
	prefix  string // of the names of apps: the platform, and whether it is the sandbox
	spacing time.Duration
	burst   int
	chunk   int
	now     func() time.Time
	logger  *slog.Logger
	limits  *recent[string, *appLimit]
}

// appLimit is what this process has of an app's turns.
type appLimit struct {
	mu       sync.Mutex
	next     time.Time // the first leased turn; without one, when the next may be
	left     int
	askAt    time.Time // no lease is granted before
	usable   time.Time // turns that were due before the lease are good for as long as those due at it
	promised time.Time // for when a caller was sent away last
}

// newApps returns nil where there is no limit.
func newApps(config ClientConfig) *apps {
	limit := config.Limits.App
	if limit.PerSecond == 0 {
		return nil
	}
	turns := config.AppTurns
	if turns == nil {
		turns = &ownTurns{now: config.Now, next: newRecent(limitedApps, func(string) *time.Time { return &time.Time{} })}
	}
	return &apps{
		turns: turns, prefix: config.AppPrefix,
		spacing: time.Duration(float64(time.Second) / float64(limit.PerSecond)),
		burst:   max(limit.Burst, 1), chunk: max(1, int(leased*float64(limit.PerSecond))),
		now: config.Now, logger: config.Logger,
		limits: newRecent(limitedApps, func(string) *appLimit { return &appLimit{} }),
	}
}

// take takes a turn of an app, or tells how long it is until there may be one. Callers
// are sent away for one spacing longer each, so that they do not come back together.
func (a *apps) take(ctx context.Context, app string) (wait time.Duration) {
	limit := a.limits.of(app)
	limit.mu.Lock()
	defer limit.mu.Unlock()
	now := a.now()
	for limit.left > 0 && now.Sub(later(limit.next, limit.usable)) > lateTurn {
		limit.pop(a.spacing)
	}
	if limit.left == 0 && !now.Before(limit.askAt) {
		if err := a.lease(ctx, app, limit, now); err != nil {
			a.logger.WarnContext(ctx, "leasing turns of an app failed", "apps", a.prefix, "err", err)
			return leaseAgain
		}
	}
	if limit.left > 0 && !limit.next.After(now) {
		limit.pop(a.spacing)
		return 0
	}
	limit.promised = later(limit.promised.Add(a.spacing), later(limit.next, now.Add(time.Millisecond)))
	return limit.promised.Sub(now)
}

func (a *apps) lease(ctx context.Context, app string, limit *appLimit, now time.Time) error {
	first, granted, err := a.turns.LeaseTurns(ctx, a.prefix+app, a.chunk, a.burst, a.spacing, longestWait)
	if err != nil {
		return err
	}
	limit.next = first
	if granted {
		limit.left, limit.usable = a.chunk, now
	} else {
		limit.askAt = first.Add(-longestWait)
	}
	return nil
}

func (l *appLimit) pop(spacing time.Duration) {
	l.next, l.left = l.next.Add(spacing), l.left-1
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// ownTurns are those of apps that no other process calls.
type ownTurns struct {
	now  func() time.Time
	mu   sync.Mutex
	next *recent[string, *time.Time]
}

// LeaseTurns takes turns as AppTurns says.
func (o *ownTurns) LeaseTurns(_ context.Context, app string, n, burst int, spacing, within time.Duration) (first time.Time, granted bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, next := o.now(), o.next.of(app)
	if next.After(now.Add(within)) {
		return *next, false, nil
	}
	first = later(*next, now.Add(-time.Duration(burst-1)*spacing))
	*next = first.Add(time.Duration(n) * spacing)
	return first, true, nil
}
