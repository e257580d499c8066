// Package restores knows that the database went back to an earlier moment: by a backup that was
// restored, or by a recovery of PostgreSQL's own. It marks the database, and finds what is held by that
// and what is known of it.
//
//	restores ─▶ one row holds all that was open then: posts and comments with ids up to its last_id,
//	            except those in restore_releases
package restores

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store keeps restores.
type Store struct{ *db.DB }

// New returns the store of restores.
func New(d *db.DB) *Store { return &Store{d} }

// Adopt marks the database with the backup that was restored into it, unless it is marked already. A restore that was cut
// off after its last row is as good as a whole one.
func (s *Store) Adopt(ctx context.Context) error {
	const isThere = `select to_regclass('restored_backup') is not null`
	var there bool
	if err := s.Pool.QueryRow(ctx, isThere).Scan(&there); err != nil {
		return db.Wrap(err, "looking for a restored backup")
	}
	if !there { // as at nearly every start: the lock would wait for the releases of others
		return nil
	}
	return s.InTx(ctx, "marking the database as restored", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, tables.LockHolds); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, isThere).Scan(&there); err != nil || !there {
			return err
		}
		var at time.Time
		if err := tx.QueryRow(ctx, `select at from restored_backup`).Scan(&at); err != nil {
			return err
		}
		if err := mark(ctx, tx, at); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `drop table restored_backup`)
		return err
	})
}

// Mark marks the database as one that went back to a moment, and holds what is open in it. It does nothing if it has
// marked that moment before, so each start can ask for it.
func (s *Store) Mark(ctx context.Context, to time.Time) error {
	return s.InTx(ctx, "marking the database as restored", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, tables.LockHolds); err != nil {
			return err
		}
		return mark(ctx, tx, to)
	})
}

// mark takes the same time however much is open. It deletes what an earlier restore has released and found out, which is
// of no use after another.
func mark(ctx context.Context, tx pgx.Tx, to time.Time) error {
	var known bool
	if err := tx.QueryRow(ctx, `select exists (select from restores where restored_to = $1)`, to).Scan(&known); err != nil || known {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`update restores set ended_at = now() where ended_at is null`)
	b.Queue(`truncate restore_releases, restore_findings, restore_looks`)
	b.Queue(`delete from sessions`) // some had ended since, and nobody can tell which
	b.Queue(`delete from sign_in_links`)
	b.Queue(`delete from invitations`)
	b.Queue(`delete from device_requests`)
	b.Queue(`delete from ceremonies`)
	b.Queue(`truncate mails, email_changes`) // some of it was sent since
	b.Queue(sql.Text(`
		insert into restores (restored_to, last_id)
		select $1, coalesce((select id from (
			(select id from posts order by id desc limit 1) union all
			(select id from comments order by id desc limit 1) union all
			(select id from api_keys order by id desc limit 1)
		) ids order by id desc limit 1), {no_id})`), to)
	b.Queue(sql.Text(`
		insert into holds (subject, kind, reason) values ({no_id}, $1, $2)
		on conflict (subject, kind) do update set reason = excluded.reason, created_at = now()`),
		int16(schema.HeldByRestore), "crier went back to "+to.UTC().Format(time.RFC3339)+"; what became of this post afterwards is not known")
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return tellRestore(ctx, tx, to)
}

// tellRestore writes into the audit log that the database went back. In a backup of long ago the log has no place for
// this month yet; the restore is in its own table in any case.
func tellRestore(ctx context.Context, tx pgx.Tx, to time.Time) error {
	var now time.Time
	var hasMonth bool
	err := tx.QueryRow(ctx, `select now(), to_regclass('audit_' || to_char(now() at time zone 'UTC', 'YYYYMM')) is not null`).Scan(&now, &hasMonth)
	if err != nil || !hasMonth {
		return err
	}
	return audit.Write(audit.BySystem(ctx, "installation.restore"), tx, now, audit.Entry{
		Subject: people.Subject{Type: "installation"}, Changes: []people.Change{{Field: "went back to", After: audit.Time(to)}},
	})
}

func scanRestore(row pgx.Row, r *schema.Restore) error {
	return row.Scan(&r.To, &r.MarkedAt, &r.LastID, db.OrZero(&r.EventsUntil))
}

// Held returns the restore whose hold stands; nil where there is none.
func (s *Store) Held(ctx context.Context) (*schema.Restore, error) {
	var r schema.Restore
	err := scanRestore(s.Pool.QueryRow(ctx, `select restored_to, marked_at, last_id, events_until from restores where ended_at is null`), &r)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &r, db.Wrap(err, "reading what a restore holds")
}

// End lifts the hold of the restore once it holds no post any more. It first ends replies that have not gone out, which
// nothing else would hold.
func (s *Store) End(ctx context.Context) (ended bool, err error) {
	r, err := s.Held(ctx)
	if err != nil || r == nil {
		return false, err
	}
	for after, more := ([16]byte{}), true; more; {
		var held int
		after, held, more, err = s.countHeld(ctx, r, after)
		if err != nil || held > 0 {
			return false, err
		}
	}
	err = s.InTx(ctx, "ending the hold of a restore", func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(tables.LockHolds)
		b.Queue(sql.Text(`
			with ended as (
				update comments c set state = {comment_failed}, claim = claim + 1, lease_until = null, error = $2::text::json
				where c.post_id is null and c.id <= $1 and c.state in {open_comments} returning c.id
			)
			delete from jobs j using ended where j.id = ended.id`), r.LastID, string(db.Encode(schema.RestoredReply(s.Now()))))
		b.Queue(`update restores set ended_at = now() where restored_to = $1`, r.To)
		b.Queue(`delete from holds where kind = $1`, int16(schema.HeldByRestore))
		b.Queue(`truncate restore_releases, restore_findings, restore_looks`)
		return tx.SendBatch(ctx, b).Close()
	})
	return true, err
}

// ConfirmKeys lets the keys of the backup work again: those of a workspace and of its sandbox, or all where workspace is
// nil. It returns how many waited for that.
func (s *Store) ConfirmKeys(ctx context.Context, workspace *schema.WorkspaceID) (confirmed int, err error) {
	err = s.InTx(ctx, "confirming keys", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql.Text(`
			update api_keys k set confirmed_at = now() from workspaces w
			where w.id = k.workspace_id and ($1::uuid is null or $1 in (w.id, w.live_id)) and k.revoked_at is null and {unconfirmed_key}`), workspace)
		if confirmed = int(tag.RowsAffected()); err != nil || confirmed == 0 {
			return err
		}
		e := audit.Entry{Subject: people.Subject{Type: "keys"}, Changes: []people.Change{{Field: "number", After: strconv.Itoa(confirmed)}}}
		if workspace != nil {
			e.Workspace = *workspace
		}
		return audit.Write(ctx, tx, s.Now(), e)
	})
	return confirmed, err
}

// Undone is what a restore undid as far as the database can tell.
type Undone struct{ Keys, Accounts int }

// Undone counts the keys that wait to be confirmed, and the accounts that are connected as they were in
// the backup.
func (s *Store) Undone(ctx context.Context) (u Undone, err error) {
	err = s.Pool.QueryRow(ctx, sql.Text(`
		select (select count(*) from api_keys k where k.revoked_at is null and {unconfirmed_key}),
			(select count(*) from accounts where disconnected_at is null)`)).Scan(&u.Keys, &u.Accounts)
	return u, db.Wrap(err, "counting what a restore undid")
}

// Newest returns what the database knows of the newest events.
func (s *Store) Newest(ctx context.Context) (n schema.NewestKnown, err error) {
	var marked time.Time
	err = s.Pool.QueryRow(ctx, `
		select last, (select max(marked_at) from restores), not exists (select from posts) from event_positions where id`).
		Scan(&n.Position, db.OrZero(&marked), &n.Empty)
	if err != nil {
		return n, db.Wrap(err, "reading the newest events")
	}
	n.At = time.UnixMicro(n.Position).UTC()
	if marked.After(n.At) { // what was before the restore is known to be lost
		n.Position, n.At = marked.UnixMicro(), marked
	}
	return n, nil
}

// knownSlack is how much before its batch an event's position may seem to be given, by two readings of
// one clock.
const knownSlack = 100 * time.Millisecond

// Unknown returns, of the batches that the database never had, when the newest was made; zero if it had them all. It has
// those that wait in the outbox. It had those that are older than the last position it has given, since nothing leaves the
// outbox without one. That position is read last: other processes may be giving positions meanwhile.
func (s *Store) Unknown(ctx context.Context, batches []schema.BatchID) (at time.Time, err error) {
	now := s.Now()
	rows, err := s.Pool.Query(ctx, `select u.id from unnest($1::uuid[]) u (id) where not exists (select from outbox o where o.id = u.id)`, db.IDColumn(batches))
	gone, err := db.Collect(rows, err, db.ScanID[schema.BatchID])
	if err != nil {
		return at, db.Wrap(err, "looking for batches of events")
	}
	n, err := s.Newest(ctx)
	if err != nil {
		return at, err
	}
	for _, id := range gone {
		if created := id.Time(); created.After(n.At.Add(knownSlack)) && created.After(at) && !created.After(now) {
			at = created
		}
	}
	return at, nil
}
