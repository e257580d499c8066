package connectors

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"crier/schema"
	"crier/schema/recent"
)

// SharedTurns shares turns among processes.
type SharedTurns interface {
	// LeaseTurns takes turns and returns the time of the first. If that is further ahead
	// than asked for it takes none, and granted is false.
	LeaseTurns(ctx context.Context, lease schema.TurnLease) (first time.Time, granted bool, err error)
}

const (
	// leased is how many seconds of an app's calls a process leases at a time.
	leased = 0.2
	// leasedPart is the part of an account's burst that a process leases at most.
	leasedPart = 8
	// lateTurn is how late a leased turn may be used at least: many late ones would come
	// together.
	lateTurn = 250 * time.Millisecond
	// leaseAgain is when to come back after a lease that failed by our fault.
	leaseAgain = 500 * time.Millisecond
	// clockStep is further ahead than a leased turn can be, unless the clock was set back.
	clockStep = time.Minute
	// limitedApps is the size of a generation of apps: bots are apps, and users bring them.
	limitedApps = 1 << 12
)

// leases is how the turns of a Rate are leased.
type leases struct {
	turns    SharedTurns
	spacing  time.Duration
	burst    int
	min, max int  // turns of a lease
	apart    bool // callers are told to return one after the other: there are many
	now      func() time.Time
	logger   *slog.Logger
}

// share is what this process has of the turns of an app or an account. While all that it
// leased is used, each lease is twice the one before: an account that is called now and
// then takes no more turns from other processes than it uses.
type share struct {
	*leases
	name string

	mu       sync.Mutex
	next     time.Time // the first leased turn; without one, when the next may be
	left     int
	ask      int       // turns, with the next lease
	askAt    time.Time // no lease is granted before
	usable   time.Time // turns that were due before the lease are good for as long as those due at it
	promised time.Time // when the last caller is to return, where they return one after the other
	// Turns that were taken and not used come first, for as long as they could be late.
	unused   int
	unusedAt time.Time
}

func (l *leases) share(name string) *share { return &share{leases: l, name: name, ask: l.min} }

// late is how long after its time a leased turn may be used: for an account, until others
// may have leased as many.
func (s *share) late() time.Duration { return max(lateTurn, time.Duration(s.ask)*s.spacing) }

// take takes a turn, or tells how long it is until there may be one. Callers of an app are each told
// one spacing more, so that they do not return together. An account has few callers, and the first in
// its line waits for the very next turn, whoever else has asked.
func (s *share) take(ctx context.Context) (wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.followClock(now)
	if s.takeUnused(now) {
		return 0
	}
	s.lapse(now)
	if s.left == 0 && !now.Before(s.askAt) {
		if err := s.lease(ctx, now); err != nil {
			s.logger.WarnContext(ctx, "leasing turns failed", "err", err)
			return leaseAgain
		}
	}
	if s.left > 0 && !s.next.After(now) {
		s.pop()
		if s.left == 0 {
			s.ask = min(2*s.ask, s.max)
		}
		return 0
	}
	next := later(s.next, now.Add(time.Millisecond))
	if s.apart {
		s.promised = later(s.promised.Add(s.spacing), next)
		next = s.promised
	}
	return next.Sub(now)
}

// followClock forgets the turns of before the clock was set back.
func (s *share) followClock(now time.Time) {
	if later(s.next, s.askAt).Sub(now) > clockStep {
		s.next, s.askAt, s.promised, s.left = time.Time{}, time.Time{}, time.Time{}, 0
	}
}

// give takes a turn back that was not used.
func (s *share) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unused, s.unusedAt = min(s.unused+1, s.max), s.now()
}

func (s *share) takeUnused(now time.Time) bool {
	if now.Sub(s.unusedAt) > s.late() {
		s.unused = 0
	}
	if s.unused == 0 {
		return false
	}
	s.unused--
	return true
}

// lapse gives up turns that are too late to be used.
func (s *share) lapse(now time.Time) {
	for late := s.late(); s.left > 0 && now.Sub(later(s.next, s.usable)) > late; {
		s.pop()
		s.ask = s.min
	}
}

// lease leases turns: those that have come since the end of the last lease, and of those to come the
// ones of longestWait, or of an account one. Other processes wait for what is leased further ahead.
func (s *share) lease(ctx context.Context, now time.Time) error {
	soon := now.Add(longestWait).Sub(s.next) / s.spacing
	n := max(s.min, min(s.ask, int(soon)))
	first, granted, err := s.turns.LeaseTurns(ctx, schema.TurnLease{
		Name: s.name, N: n, Burst: s.burst, Spacing: s.spacing, Within: longestWait,
	})
	if err != nil {
		return err
	}
	s.next = first
	if granted {
		s.left, s.usable = n, now
	} else {
		s.askAt = first.Add(-longestWait)
	}
	return nil
}

func (s *share) pop() {
	s.next, s.left = s.next.Add(s.spacing), s.left-1
}

// readShare is what reads may take of the turns that processes share: one, while as many are left as
// are reserved.
type readShare struct {
	*leases
	name string

	mu    sync.Mutex
	askAt time.Time // no lease is granted before
}

func (l *leases) readShare(name string) *readShare { return &readShare{leases: l, name: name} }

func (s *readShare) take(ctx context.Context) (wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, reserve := s.now(), time.Duration(reserved(s.burst))*s.spacing
	if wait := s.askAt.Sub(now); wait > 0 && wait <= reserve+clockStep {
		return wait
	}
	next, granted, err := s.turns.LeaseTurns(ctx, schema.TurnLease{Name: s.name, N: 1, Burst: s.burst, Spacing: s.spacing, Within: -reserve})
	if err != nil {
		s.logger.WarnContext(ctx, "leasing turns failed", "err", err)
		return leaseAgain
	}
	if granted {
		return 0
	}
	s.askAt = later(next.Add(reserve), now.Add(time.Millisecond))
	return s.askAt.Sub(now)
}

// give lets the turn lapse: it is not worth a trip to the database.
func (s *readShare) give() {}

// ownTurns are those that no other process takes.
type ownTurns struct {
	now  func() time.Time
	mu   sync.Mutex
	next *recent.Cache[string, *time.Time]
}

func newOwnTurns(now func() time.Time) *ownTurns {
	return &ownTurns{now: now, next: recent.New(limitedApps, func(string) *time.Time { return &time.Time{} })}
}

// LeaseTurns takes turns as SharedTurns says.
func (o *ownTurns) LeaseTurns(_ context.Context, lease schema.TurnLease) (first time.Time, granted bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, next := o.now(), o.next.Of(lease.Name)
	if next.Sub(now) > max(lease.Within, 0)+clockStep {
		*next = now
	}
	if next.After(now.Add(lease.Within)) {
		return *next, false, nil
	}
	first = later(*next, now.Add(-time.Duration(lease.Burst-1)*lease.Spacing))
	*next = first.Add(time.Duration(lease.N) * lease.Spacing)
	return first, true, nil
}
