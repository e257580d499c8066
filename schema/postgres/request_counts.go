package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// leaseRequests takes at most a quarter of what is left, so that the shares of several
// gateways get smaller towards the end and all of a window can be used. The window of a
// row holds where it is the one asked for or the next: clocks differ by milliseconds.
const leaseRequests = `
	insert into request_windows as w (subject, began_at, used) values ($1, $2, least($3::int, $4::int))
	on conflict (subject) do update set (began_at, used) = (
		select case when current then w.began_at else excluded.began_at end,
			case when current then w.used + greatest(least($3::int, ($4::int - w.used + 3) / 4), 0) else excluded.used end
		from (select w.began_at between excluded.began_at and excluded.began_at + interval '1 minute') c (current))
	returning new.began_at, new.used, new.used - case when old.began_at = new.began_at then old.used else 0 end`

// LeaseRequests takes up to n of the requests that a key has left in the window of a
// minute that began at a time. The window it got them of is at most one ahead.
func (g *Gateway) LeaseRequests(ctx context.Context, key schema.KeyID, window time.Time, n, limit int) (schema.RequestLease, error) {
	var lease schema.RequestLease
	err := g.pool.QueryRow(ctx, leaseRequests, key.String(), window, n, limit).Scan(&lease.Window, &lease.Used, &lease.N)
	if err != nil {
		return lease, fmt.Errorf("leasing requests: %w", unavailable(err))
	}
	lease.Window = lease.Window.UTC()
	return lease, nil
}

// countInWindow adds to a window that begins with its first count and lasts for @length.
const countInWindow = `
	insert into request_windows as w (subject, began_at, used) values (@subject, @now, @n)
	on conflict (subject) do update set
		began_at = case when w.began_at > @now::timestamptz - @length::interval then w.began_at else excluded.began_at end,
		used = case when w.began_at > @now::timestamptz - @length::interval then w.used else 0 end + excluded.used
	returning began_at, used`

// CountRefusals adds requests that a key sent in spite of 429. Once they are more than is
// put up with, the key is suspended; until is zero where that did not happen just now.
func (g *Gateway) CountRefusals(ctx context.Context, key schema.Key, n int) (until time.Time, err error) {
	now := g.Now()
	err = g.pool.QueryRow(ctx, `with counted as (`+countInWindow+`)
		update api_keys set suspended_until = @now::timestamptz + @suspension::interval
		where id = @key and (select used from counted) > @patience and (suspended_until is null or suspended_until <= @now)
		returning suspended_until`, pgx.StrictNamedArgs{
		"subject": "refused " + key.ID.String(), "now": now, "length": schema.PatienceWindow, "n": n,
		"suspension": schema.SuspensionTime, "key": key.ID, "patience": key.Patience(),
	}).Scan(&until)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("counting refusals: %w", unavailable(err))
	}
	return until.UTC(), nil
}

// Register makes a workspace with its first key. It is RateLimitExceeded where too many
// came from its network lately.
func (g *Gateway) Register(ctx context.Context, r schema.Registration) error {
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		now := g.Now()
		var began time.Time
		var used int
		row := tx.QueryRow(ctx, countInWindow, pgx.StrictNamedArgs{
			"subject": "register " + r.Address, "now": now, "length": schema.RegistrationWindow, "n": 1,
		})
		if err := row.Scan(&began, &used); err != nil {
			return err
		}
		if used > schema.MaxRegistrations {
			return &schema.Error{
				Kind: schema.RateLimitExceeded, RetryAfter: began.Add(schema.RegistrationWindow).Sub(now),
				Message: fmt.Sprintf("more than %d registrations within %v from this network", schema.MaxRegistrations, schema.RegistrationWindow),
			}
		}
		_, err := tx.Exec(ctx, `insert into workspaces (id, name, plan, email) values ($1, $2, $3, $4)`,
			r.Workspace.ID, registeredName(r.Workspace), r.Workspace.Plan, r.Email)
		if err != nil {
			return err
		}
		return insertKey(ctx, tx, r.Key, r.Hash)
	})
	if err != nil {
		return fmt.Errorf("registering: %w", unavailable(err))
	}
	return nil
}

// registeredName tells those who registered from the workspaces that the operator knows by
// name: nobody can take a name that the operator will use.
func registeredName(w schema.Workspace) string { return w.Name + " (" + w.ID.String() + ")" }

// forgetWindows removes windows that ended long ago.
func (g *Gateway) forgetWindows(ctx context.Context) error {
	_, err := g.pool.Exec(ctx, `delete from request_windows where began_at < $1`, g.Now().Add(-2*schema.RegistrationWindow))
	if err != nil {
		return fmt.Errorf("forgetting windows of requests: %w", unavailable(err))
	}
	return nil
}
