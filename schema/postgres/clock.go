package postgres

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"crier/schema"
)

// clock follows the clock of the server, so that every process has the same time,
// whatever its own clock says. Between two looks it goes by the monotonic clock.
type clock struct {
	pool  *pgxpool.Pool
	base  atomic.Pointer[reading]
	lease leaseClock
}

// reading is the server's time at a moment of the monotonic clock.
type reading struct {
	server time.Time
	local  time.Time // has a monotonic part
}

// at is the server's time at a later moment.
func (r reading) at(local time.Time) time.Time { return r.server.Add(local.Sub(r.local)) }

const clockInterval = 5 * time.Second

func newClock(pool *pgxpool.Pool) *clock { return &clock{pool: pool} }

// now is in microseconds, as PostgreSQL keeps times.
func (c *clock) now() time.Time {
	r := c.base.Load()
	return r.at(time.Now()).Truncate(time.Microsecond)
}

// sync takes the best of three readings: the one with the shortest round trip.
func (c *clock) sync(ctx context.Context) error {
	var best reading
	shortest := time.Duration(1<<63 - 1)
	for range 3 {
		sent := time.Now()
		var server time.Time
		if err := c.pool.QueryRow(ctx, "select clock_timestamp()").Scan(&server); err != nil {
			return err
		}
		trip := time.Since(sent)
		if trip < shortest {
			shortest = trip
			best = reading{server: server.UTC().Add(trip / 2), local: sent.Add(trip)}
		}
	}
	c.base.Store(&best)
	c.lease.observe(best)
	return nil
}

// silent returns how long ago the server last told its time.
func (c *clock) silent() time.Duration {
	r := c.base.Load()
	if r == nil {
		return 0
	}
	return time.Since(r.local)
}

// run keeps the clock until the store closes. While the server does not answer, the
// monotonic clock goes on alone.
func (c *clock) run(closing <-chan struct{}, log *slog.Logger) {
	ticker := time.NewTicker(clockInterval)
	defer ticker.Stop()
	for {
		select {
		case <-closing:
			return
		case <-ticker.C:
			ctx, cancel := context.WithTimeout(context.Background(), clockInterval)
			if err := c.sync(ctx); err != nil {
				log.Warn("reading PostgreSQL's clock failed", "err", err)
			}
			cancel()
		}
	}
}

// leaseClock is the time by which leases of visible calls end. It is the server's, but goes
// along with a jump ahead of it only when every lease from before is over: who claimed
// then may still be at the call, though his lease ended with the jump.
type leaseClock struct {
	followed atomic.Pointer[reading]
	jumped   *reading // the first since the last jump; nil: there was none
}

const (
	// jumpTolerance is how far the server's clock may get ahead of the monotonic one without
	// having jumped.
	jumpTolerance = time.Second
	jumpWait      = schema.Lease + schema.SettleTime
)

// observe takes the readings of one clock in their order.
func (l *leaseClock) observe(r reading) {
	jumpedFrom := func(before reading) bool { return r.server.Sub(before.at(r.local)) > jumpTolerance }
	followed := l.followed.Load()
	switch {
	case followed == nil || !jumpedFrom(*followed):
	case l.jumped == nil || jumpedFrom(*l.jumped):
		l.jumped = &r
		return
	case r.local.Sub(l.jumped.local) < jumpWait:
		return
	}
	l.followed.Store(&r)
	l.jumped = nil
}

// latest is the latest time at a moment by which a lease may be taken for over.
func (l *leaseClock) latest(local time.Time) time.Time {
	return l.followed.Load().at(local).Add(jumpTolerance)
}
