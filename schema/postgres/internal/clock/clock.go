// Package clock follows the clock of PostgreSQL.
package clock

import (
	"context"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Clock follows the clock of the server, so that all processes have the same time.
// Between two readings it advances by the monotonic clock.
type Clock struct {
	pool  *pgxpool.Pool
	base  atomic.Pointer[reading]
	Lease steadyClock // by which leases expire
	Due   steadyClock // by which what waits for its time is due
	jumps atomic.Int64
}

// reading is the server's time at a moment of the monotonic clock.
type reading struct {
	server time.Time
	local  time.Time     // has a monotonic part
	wall   time.Time     // what this machine's clock shows then, without that part
	within time.Duration // of the true one: half the round trip
}

// at is the server's time at a later moment.
func (r reading) at(local time.Time) time.Time { return r.server.Add(local.Sub(r.local)) }

// better is the more exact of two readings at the moment of the next one. Where they contradict each
// other, the server's clock was set, and the next one has it.
func (r reading) better(next reading) reading {
	age := next.local.Sub(r.local)
	r = reading{server: r.at(next.local), local: next.local, within: r.within + age*driftPPM/1e6}
	if r.within < next.within && r.server.Sub(next.server).Abs() <= r.within+next.within {
		return r
	}
	return next
}

const (
	clockInterval = 5 * time.Second
	// driftPPM is by how much two clocks that are kept right drift apart (PHI in RFC 5905).
	driftPPM = 15
)

// New returns a clock that tells the time once Sync has read it.
func New(pool *pgxpool.Pool) *Clock { return &Clock{pool: pool, Due: steadyClock{asksWall: true}} }

// Now is in microseconds, as PostgreSQL keeps times.
func (c *Clock) Now() time.Time {
	r := c.base.Load()
	return r.at(time.Now()).Truncate(time.Microsecond)
}

// Confirmed is Now but for a jump ahead that nothing confirms yet: then it is by so much behind.
func (c *Clock) Confirmed() (now time.Time, behind time.Duration) {
	local := time.Now()
	now = c.base.Load().at(local).Truncate(time.Microsecond)
	if steady := c.Due.Latest(local); now.After(steady) {
		steady = steady.Add(-jumpTolerance).Truncate(time.Microsecond)
		return steady, now.Sub(steady)
	}
	return now, 0
}

// Sync reads the server's clock three times, and keeps the best of these readings and those before:
// under load the way of an answer is long, and a reading inexact by as much.
func (c *Clock) Sync(ctx context.Context) error {
	best := reading{within: math.MaxInt64}
	for range 3 {
		sent := time.Now()
		var server time.Time
		if err := c.pool.QueryRow(ctx, "select clock_timestamp()").Scan(&server); err != nil {
			return err
		}
		trip := time.Since(sent)
		if r := (reading{server.UTC().Add(trip / 2), sent.Add(trip), sent.Add(trip).Round(0), trip / 2}); r.within < best.within {
			best = r
		}
	}
	c.Lease.observe(best)
	c.Due.observe(best)
	if before := c.base.Load(); before != nil {
		best = before.better(best)
	}
	c.base.Store(&best)
	return nil
}

// Silent returns how long ago the server's clock was last read.
func (c *Clock) Silent() time.Duration {
	r := c.base.Load()
	if r == nil {
		return 0
	}
	return time.Since(r.local)
}

// Jumps returns how many jumps ahead were seen that nothing confirmed at first.
func (c *Clock) Jumps() int64 { return c.jumps.Load() }

// Run reads the server's clock periodically until the store closes. While the server does
// not answer, the time advances by the monotonic clock.
func (c *Clock) Run(closing <-chan struct{}, log *slog.Logger) {
	ticker := time.NewTicker(clockInterval)
	defer ticker.Stop()
	for jumped := false; ; {
		select {
		case <-closing:
			return
		case <-ticker.C:
			ctx, cancel := context.WithTimeout(context.Background(), clockInterval)
			if err := c.Sync(ctx); err != nil {
				log.Warn("reading PostgreSQL's clock failed", "err", err)
			}
			cancel()
			jumped = c.noteJump(jumped, log)
		}
	}
}

// noteJump logs and counts that what is due waits for a jump to be confirmed, and logs that it goes on.
func (c *Clock) noteJump(before bool, log *slog.Logger) (jumped bool) {
	_, behind := c.Confirmed()
	jumped = behind > 0
	switch {
	case jumped && !before:
		c.jumps.Add(1)
		log.Warn("PostgreSQL's clock is ahead at once, and this machine's is not: what is due by it waits until it has stayed so",
			"ahead", behind, "for", jumpWait)
	case before && !jumped:
		log.Warn("PostgreSQL's clock has stayed ahead, or went back: what is due goes on", "time", c.Now())
	}
	return jumped
}
