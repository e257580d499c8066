package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
	"crier/schema/postgres/internal/tables"
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
// since the call that is looked for, and whether other accounts are of that profile. It
// is schema.ErrReceiptsForgotten if the call is longer ago than receipts are kept.
func (s *Store) Known(ctx context.Context, d *schema.Delivery) error {
	since := d.KnownSince()
	if s.Now().Sub(since) > schema.ReceiptRetention {
		return schema.ErrReceiptsForgotten
	}
	asked := &looking{account: d.Account.ID, since: since.Add(-knownSlack), owner: d.Ref.Post, n: d.Ref.N, entry: int16(d.Entry)}
	if d.Comment != nil {
		asked.owner, asked.n, asked.entry = d.Comment.ID, 0, 0
	}
	if err := s.looks.Do(ctx, asked); err != nil {
		return fmt.Errorf("reading what is known of a profile: %w", db.Unavailable(err))
	}
	d.Known, d.Shared = asked.known, asked.shared
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

const selectKnown = `
	select u.i, known.ids, w.live_id is null and a.native_id <> '' and exists (
		select from accounts other join workspaces ow on ow.id = other.workspace_id
		where other.platform = a.platform and other.native_id = a.native_id and other.server = a.server
		  and other.id <> a.id and other.disconnected_at is null and ow.live_id is null)
	from unnest(@accounts::uuid[], @since::timestamptz[], @owners::uuid[], @ns::int2[], @entries::int2[]) with ordinality u (account, since, owner, n, entry, i)
	join accounts a on a.id = u.account
	join workspaces w on w.id = a.workspace_id
	cross join lateral (
		select array_agg(r.native_id) ids from receipts r
		where r.profile = ` + tables.ProfileOf + ` and r.seen_at >= u.since and (r.owner, r.n, r.entry) <> (u.owner, u.n, u.entry)
	) known`
