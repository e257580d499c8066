package tables

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/wording"
)

// CountInWindow adds to a window that begins with its first count and lasts for @length.
const CountInWindow = `
	insert into request_windows as w (subject, began_at, used) values (@subject, @now, @n)
	on conflict (subject) do update set
		began_at = case when w.began_at > @now::timestamptz - @length::interval then w.began_at else excluded.began_at end,
		used = case when w.began_at > @now::timestamptz - @length::interval then w.used else 0 end + excluded.used
	returning began_at, used`

// RefusalsOf names the window of a key's requests that were refused.
func RefusalsOf(key schema.KeyID) string { return "refused " + key.String() }

// Window bounds what somebody may do in a while.
type Window struct {
	Subject string
	Length  time.Duration
	Max     int
	Refusal string // what there was, before how long the window is: too many attempts to sign in
}

// Count adds one. The error is RateLimitExceeded where there were too many.
func (w Window) Count(ctx context.Context, q db.Querier, now time.Time) error {
	var began time.Time
	var used int
	row := q.QueryRow(ctx, CountInWindow, pgx.StrictNamedArgs{"subject": w.Subject, "now": now, "length": w.Length, "n": 1})
	if err := row.Scan(&began, &used); err != nil {
		return db.Wrap(err, "counting in a window")
	}
	if used > w.Max {
		return &schema.Error{
			Kind: schema.RateLimitExceeded, RetryAfter: began.Add(w.Length).Sub(now), Message: w.Refusal + " within " + wording.Duration(w.Length),
		}
	}
	return nil
}
