package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
	"crier/schema/postgres/internal/sql"
)

// looking is one question of Known, with its answer.
type looking struct {
	account  schema.AccountID
	since    time.Time
	owner    [16]byte // as in receipts
	n, entry int16

	known  []string
	shared bool
}

// knownBatch is how many looks share a query: as many as one claim may lease.
const knownBatch = 512

// knownSlack is how much earlier than the call another receipt may be recorded: its
// transaction may have begun before, and the server's clock may have been set back.
const knownSlack = time.Minute

func (s *Store) startLooks() {
	s.looks = groupcommit.Start(s.DB, &groupcommit.Group[looking]{Work: "known", Max: knownBatch, Commit: s.readKnown}, 1)
}

// Known reads what other entries of any workspace have published to a delivery's profile
// since the call that is looked for, and whether other accounts are of that profile: two
// workspaces may have connected one profile, and neither may take the other's post for the
// one it looks for. Native ids alone leave the database. It is schema.ErrReceiptsForgotten if
// the call is longer ago than receipts are kept.
func (s *Store) Known(ctx context.Context, d *schema.Delivery) error {
	since := d.KnownSince()
	if s.Now().Sub(since) > schema.ReceiptRetention {
		return schema.ErrReceiptsForgotten
	}
	look := &looking{account: d.Account.ID, since: since.Add(-knownSlack), owner: d.Ref.Post, n: d.Ref.N, entry: int16(d.Entry)}
	if d.Comment != nil {
		look.owner, look.n, look.entry = d.Comment.ID, 0, 0
	}
	if err := s.looks.Do(ctx, look); err != nil {
		return db.Wrap(err, "reading what is known of a profile")
	}
	d.Known, d.Shared = look.known, look.shared
	return nil
}

func (s *Store) readKnown(ctx context.Context, batch []*looking) error {
	n := len(batch)
	accounts, since, owners := make([]schema.AccountID, n), make([]time.Time, n), make([][16]byte, n)
	ns, entries := make([]int16, n), make([]int16, n)
	for i, l := range batch {
		accounts[i], since[i], owners[i], ns[i], entries[i] = l.account, l.since, l.owner, l.n, l.entry
	}
	rows, err := s.Pool.Query(ctx, selectKnown, pgx.StrictNamedArgs{
		"accounts": db.IDColumn(accounts), "since": since, "owners": owners, "ns": ns, "entries": entries,
	})
	if err != nil {
		return err
	}
	var i int
	var known []string
	var shared bool
	_, err = pgx.ForEachRow(rows, []any{&i, &known, &shared}, func() error {
		batch[i-1].known, batch[i-1].shared = known, shared
		known = nil
		return nil
	})
	return err
}

var selectKnown = sql.Text(`
	select u.i, known.ids, w.live_id is null and a.native_id <> '' and exists (
		select from accounts other join workspaces ow on ow.id = other.workspace_id
		where other.platform = a.platform and other.native_id = a.native_id and other.server = a.server
		  and other.id <> a.id and other.disconnected_at is null and ow.live_id is null)
	from unnest(@accounts::uuid[], @since::timestamptz[], @owners::uuid[], @ns::int2[], @entries::int2[]) with ordinality u (account, since, owner, n, entry, i)
	join accounts a on a.id = u.account
	join workspaces w on w.id = a.workspace_id
	cross join lateral (
		select array_agg(r.native_id) ids from receipts r
		where r.profile = {profile} and r.seen_at >= u.since and (r.owner, r.n, r.entry) <> (u.owner, u.n, u.entry)
	) known`)

// heldDeliveriesPage is how many posts of a workspace HeldDeliveries looks at.
const heldDeliveriesPage = 500

// HeldDeliveries returns what some accounts of a workspace have still to publish of a page of its posts
// that the restore holds, in the order for which they are scheduled; where it goes on; and whether others
// follow. All of that is of one moment.
func (p *Publish) HeldDeliveries(ctx context.Context, r *schema.Restore, workspace schema.WorkspaceID, accounts []schema.AccountID, after schema.HeldPlace) (deliveries []schema.HeldDelivery, next schema.HeldPlace, more bool, err error) {
	place := pgx.NamedArgs{
		"workspace": workspace, "scheduled": after.ScheduledFor, "post": after.Post, "page": heldDeliveriesPage,
		"last": r.LastID, "accounts": db.IDColumn(accounts),
	}
	var n int
	err = pgx.BeginTxFunc(ctx, p.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(heldDeliveriesLast, place).QueryRow(func(row pgx.Row) error {
			return row.Scan(&n, &next.ScheduledFor, (*[16]byte)(&next.Post))
		})
		b.Queue(heldDeliveries, place).Query(db.CollectInto(&deliveries, func(row pgx.Row, d *schema.HeldDelivery) error {
			return p.scanDelivery(row, &d.Delivery, &d.ScheduledFor)
		}))
		return tx.SendBatch(ctx, b).Close()
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, after, false, nil
	}
	if err != nil {
		return nil, after, false, db.Wrap(err, "reading held posts")
	}
	return deliveries, next, n == heldDeliveriesPage, nil
}

var heldDeliveriesLast = sql.Text(`{held_page} select (select count(*) from page), scheduled_for, id from page order by scheduled_for desc, id desc limit 1`)

var heldDeliveries = sql.Text(`{held_page}
	select {delivery_columns}, p.scheduled_for
	from page join posts p on p.id = page.id join targets t on t.post_id = p.id join accounts a on a.id = t.account_id join workspaces w on w.id = a.workspace_id
	where p.status in {open_posts} and p.id <= @last and t.state in {open_targets} and t.account_id = any(@accounts)
	  and not exists (select from restore_releases x where x.post_id = p.id)
	order by p.scheduled_for, p.id, t.n`)
