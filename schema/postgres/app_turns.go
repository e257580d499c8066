package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// LeaseTurns takes n turns of an app in a row, a spacing apart, and returns the time of
// the first. An app that was quiet may have burst of them at once. Where the first is more
// than within ahead it takes none, and granted is false. Whoever leases a turn may let it
// lapse, but never use another.
func (s *Store) LeaseTurns(ctx context.Context, app string, n, burst int, spacing, within time.Duration) (first time.Time, granted bool, err error) {
	taken := time.Duration(n) * spacing
	err = s.pool.QueryRow(ctx, `
		insert into app_turns as a (app, next_at) values ($1, now() - $2::interval + $3::interval)
		on conflict (app) do update set next_at = greatest(a.next_at, now() - $2::interval) + $3::interval
			where a.next_at <= now() + $4::interval
		returning next_at - $3::interval`, app, time.Duration(burst-1)*spacing, taken, within).Scan(&first)
	if err == nil {
		return first.UTC(), true, nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.pool.QueryRow(ctx, `select next_at from app_turns where app = $1`, app).Scan(&first)
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("leasing turns: %w", unavailable(err))
	}
	return first.UTC(), false, nil
}
