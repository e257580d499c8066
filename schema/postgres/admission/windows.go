package admission

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// leaseRequests takes at most a quarter of what is left, so that the leases of several
// gateways get smaller towards the end and the whole window can be used. The window of
// the row counts if it is the one asked for or the next: clocks differ by milliseconds.
const leaseRequests = `
	insert into request_windows as w (subject, began_at, used) values ($1, $2, least($3::int, $4::int))
	on conflict (subject) do update set (began_at, used) = (
		select case when current then w.began_at else excluded.began_at end,
			case when current then w.used + greatest(least($3::int, ($4::int - w.used + 3) / 4), 0) else excluded.used end
		from (select w.began_at between excluded.began_at and excluded.began_at + interval '1 minute') c (current))
	returning new.began_at, new.used, new.used - case when old.began_at = new.began_at then old.used else 0 end`

// LeaseRequests takes up to n of the requests that a key has left in the window of a
// minute that began at a time. The window it got them of is at most one ahead.
func (s *Store) LeaseRequests(ctx context.Context, key schema.KeyID, window time.Time, n, limit int) (schema.RequestLease, error) {
	var lease schema.RequestLease
	err := s.Pool.QueryRow(ctx, leaseRequests, key.String(), window, n, limit).Scan(&lease.Window, &lease.Used, &lease.N)
	if err != nil {
		return lease, db.Wrap(err, "leasing requests")
	}
	return lease, nil
}

// CountRefusals adds requests of a key that were answered 429. Beyond Patience the key is
// suspended; until is zero unless that happened now.
func (s *Store) CountRefusals(ctx context.Context, key schema.Key, n int) (until time.Time, err error) {
	err = s.InTx(ctx, "counting refusals", func(tx pgx.Tx) error {
		if until, err = s.countRefusals(ctx, tx, key, n); err != nil || until.IsZero() {
			return err
		}
		err = audit.Write(audit.BySystem(ctx, "key.suspend"), tx, s.Now(), audit.Entry{
			Workspace: key.Workspace, Subject: audit.Of("key", key.ID, key.Name), Changes: []people.Change{{Field: "suspended until", After: audit.Time(until)}},
		})
		if err != nil {
			return err
		}
		return s.tellSuspension(ctx, tx, key.Workspace)
	})
	return until, err
}

// tellSuspension has those who care for the keys of a workspace told by mail: of a sandbox, those of its live one.
func (s *Store) tellSuspension(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) error {
	about := people.Mail{Kind: people.MailSuspension}
	if err := tx.QueryRow(ctx, `select coalesce(live_id, id) from workspaces where id = $1`, workspace).Scan(&about.About); err != nil {
		return err
	}
	_, err := tables.PutMail(ctx, s.DB, tx, about)
	return err
}

func (s *Store) countRefusals(ctx context.Context, tx pgx.Tx, key schema.Key, n int) (until time.Time, err error) {
	now := s.Now()
	err = tx.QueryRow(ctx, `with counted as (
	insert into request_windows as w (subject, began_at, used) values (@subject, @now, @n)
	on conflict (subject) do update set
		began_at = case when w.began_at > @now::timestamptz - @length::interval then w.began_at else excluded.began_at end,
		used = case when w.began_at > @now::timestamptz - @length::interval then w.used else 0 end + excluded.used
	returning began_at, used)
		update api_keys set suspended_until = @now::timestamptz + @suspension::interval, suspended_at = @now
		where id = @key and (select used from counted) > @patience and (suspended_until is null or suspended_until <= @now)
		returning suspended_until`, pgx.StrictNamedArgs{
		"subject": tables.RefusalsOf(key.ID), "now": now, "length": schema.PatienceWindow, "n": n,
		"suspension": schema.SuspensionTime, "key": key.ID, "patience": key.Patience(),
	}).Scan(&until)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	return until, err
}

// forgetWindows removes windows that ended long ago.
func (s *Store) forgetWindows(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, `delete from request_windows where began_at < $1`, s.Now().Add(-2*people.RegistrationWindow))
	return db.Wrap(err, "forgetting windows of requests")
}
