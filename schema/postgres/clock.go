package postgres

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// clock follows the clock of the server, so that every process has the same time,
// whatever its own clock says. Between two looks it goes by the monotonic clock.
type clock struct {
	pool *pgxpool.Pool
	base atomic.Pointer[reading]
}

// reading is the server's time at a moment of the monotonic clock.
type reading struct {
	server time.Time
	local  time.Time // has a monotonic part
}

const clockInterval = 5 * time.Second

func newClock(pool *pgxpool.Pool) *clock { return &clock{pool: pool} }

// now is in microseconds, as PostgreSQL keeps times.
func (c *clock) now() time.Time {
	r := c.base.Load()
	return r.server.Add(time.Since(r.local)).Truncate(time.Microsecond)
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
