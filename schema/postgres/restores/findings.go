package restores

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// AddEvents stores what events of ClickHouse tell of posts that the restore holds, and of accounts. It can
// be called again with the same.
func (s *Store) AddEvents(ctx context.Context, r *schema.Restore, events []schema.Event) error {
	var posts, accounts []schema.PostID
	var kinds []int16
	var times []time.Time
	b := &pgx.Batch{}
	for _, e := range events {
		switch e.Type {
		case schema.AccountDisconnected, schema.AccountConnected:
			var at *time.Time
			if e.Type == schema.AccountDisconnected {
				at = &e.At
			}
			b.Queue(`
				insert into restore_looks (account_id, disconnected_at) select $1, $2 where exists (select from accounts where id = $1)
				on conflict (account_id) do update set disconnected_at = excluded.disconnected_at`, e.Account, at)
		default:
			if kind, ok := findingOf(e.Type); ok {
				posts, accounts, kinds, times = append(posts, e.Post), append(accounts, schema.PostID(e.Account)), append(kinds, int16(kind)), append(times, e.At)
			}
		}
	}
	b.Queue(`
		insert into restore_findings (post_id, n, kind, at)
		select u.post, coalesce(t.n, -1), u.kind, max(u.at)
		from unnest($1::uuid[], $2::uuid[], $3::int2[], $4::timestamptz[]) u (post, account, kind, at)
		left join targets t on t.post_id = u.post and t.account_id = u.account
		where u.post <= $5
		group by 1, 2, 3
		on conflict (post_id, n, kind) do nothing`, db.IDColumn(posts), db.IDColumn(accounts), kinds, times, r.LastID)
	return db.Wrap(s.Pool.SendBatch(ctx, b).Close(), "storing what events tell")
}

func findingOf(e schema.EventType) (schema.FindingKind, bool) {
	switch e {
	case schema.PostCancelled:
		return schema.FoundCancelled, true
	case schema.PostUpdated:
		return schema.FoundUpdated, true
	case schema.TargetWasPosted:
		return schema.FoundPublished, true
	case schema.TargetHasFailed:
		return schema.FoundFailed, true
	default:
		return 0, false
	}
}

// EventsRead notes that all events of ClickHouse since the restored moment were added, and of what time the newest is.
// From then on, what they do not tell of did not happen.
func (s *Store) EventsRead(ctx context.Context, r *schema.Restore, until time.Time) error {
	_, err := s.Pool.Exec(ctx, `update restores set events_until = $2 where restored_to = $1`, r.To, until)
	return db.Wrap(err, "noting that events were read")
}

// Lease lets one process at a time look at the platforms, as long as it renews the lease. It is false while another
// process has it.
func (s *Store) Lease(ctx context.Context, r *schema.Restore, mine *time.Time) (leased bool, err error) {
	rows, err := s.Pool.Query(ctx, `
		update restores set looking_until = now() + $2::interval
		where restored_to = $1 and ended_at is null and (looking_until is null or looking_until < now() or looking_until = $3)
		returning looking_until`, r.To, lookLease, db.OrNull(*mine))
	leases, err := db.Collect(rows, err, func(row pgx.Row, t *time.Time) error { return row.Scan(t) })
	if err != nil || len(leases) == 0 {
		return false, db.Wrap(err, "leasing the looks at platforms")
	}
	*mine = leases[0]
	return true, nil
}

// lookLease is longer than the look at an account takes between two of its posts.
const lookLease = 3 * time.Minute

// retryLook is how long after a look that failed an account is looked at again: by then its token may
// have been renewed.
const retryLook = 5 * time.Minute

// ToLook returns the accounts after a given one that are still to be looked at, in the order of their ids.
func (s *Store) ToLook(ctx context.Context, r *schema.Restore, after schema.AccountID, limit int) ([]schema.Account, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select a.id, a.workspace_id, a.platform from accounts a left join restore_looks l on l.account_id = a.id
		where a.id > coalesce($1::uuid, {no_id}) and a.disconnected_at is null
		  and l.looked_upto is null and (l.tried_at is null or l.tried_at < now() - $2::interval)
		  and a.created_at < $3
		order by a.id limit $4`), after, retryLook, r.MarkedAt, limit)
	accounts, err := db.Collect(rows, err, func(row pgx.Row, a *schema.Account) error {
		return row.Scan((*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace), &a.Platform)
	})
	return accounts, db.Wrap(err, "reading accounts to look at")
}

// AddFindings stores what a look has found.
func (s *Store) AddFindings(ctx context.Context, findings []schema.Finding) error {
	b := &pgx.Batch{}
	for _, f := range findings {
		b.Queue(`
			insert into restore_findings (post_id, n, kind, at, native_id, url) values ($1, $2, $3, $4, $5, $6)
			on conflict (post_id, n, kind) do update set at = excluded.at, native_id = excluded.native_id, url = excluded.url`,
			f.Post, f.N, int16(f.Kind), f.At, f.NativeID, f.URL)
	}
	return db.Wrap(s.Pool.SendBatch(ctx, b).Close(), "storing what looks have found")
}

// Looked notes that an account was looked at, for its posts that are scheduled before a time (zero: all), or why it could
// not be.
func (s *Store) Looked(ctx context.Context, account schema.AccountID, before time.Time, why string) error {
	_, err := s.Pool.Exec(ctx, `
		insert into restore_looks as l (account_id, tried_at, looked_upto, error)
		values ($1, now(), case when $3 = '' then coalesce($2, 'infinity'::timestamptz) end, $3)
		on conflict (account_id) do update set tried_at = now(), looked_upto = excluded.looked_upto, error = excluded.error`,
		account, db.OrNull(before), why)
	return db.Wrap(err, "noting a look")
}

// CannotLook notes that an account is on a platform that shows nobody what it has.
func (s *Store) CannotLook(ctx context.Context, account schema.AccountID) error {
	_, err := s.Pool.Exec(ctx, `
		insert into restore_looks (account_id, tried_at, looked_upto) values ($1, now(), '-infinity')
		on conflict (account_id) do update set tried_at = now(), looked_upto = '-infinity'`, account)
	return db.Wrap(err, "noting that there is no look")
}
