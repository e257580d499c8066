// Package collection stores what is read of accounts on their platforms, when, and at which
// posts:
//
//	target.posted is in ClickHouse ─▶ Follow ─▶ snapshots ─┐
//	account.connected likewise ────────┴─▶ collections ◀───┤
//	                                            │          │
//	                       job ─▶ Claim ─▶ a step ─▶ Finish ─▶ facts in the outbox, the next look
package collection

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store is the store of the collect stage.
type Store struct {
	*db.DB
	now  func() time.Time
	turn chan struct{} // holds one: of the stages' connections it takes one at a time, so that publishing does not wait for it
}

// New returns the store. now is the database's clock, except in tests.
func New(d *db.DB, now func() time.Time) *Store { return &Store{d, now, make(chan struct{}, 1)} }

// take waits for the store's one connection, and returns how to give it back.
func (s *Store) take(ctx context.Context) (free func(), err error) {
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, db.Wrap(ctx.Err(), "waiting for PostgreSQL")
	}
}

// Now is the clock by which something is due.
func (s *Store) Now() time.Time { return s.now() }

const (
	// dueAtOnce is how many snapshots a claim brings: no platform takes more in one call.
	dueAtOnce = 100
	// recentAtOnce is how many of an account's posts are looked for comments under, the newest.
	recentAtOnce = 500
	// heldFor is how long what is paused is not looked at again.
	heldFor = time.Hour
)

// Claim leases collections for one step each. What is leased, not due or paused by the operator is left out; so
// is what is to be read of an account that does not work, which then rests until it does.
// Without an answer, what was claimed waits for the end of its lease: nothing was called.
func (s *Store) Claim(ctx context.Context, ids []schema.CollectionID) ([]schema.Collection, error) {
	free, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	var claimed []schema.Collection
	b := &pgx.Batch{}
	db.QueueAsync(b) // what was read without a claim is read once more
	b.Queue(restCollections, ids)
	b.Queue(holdCollections, pgx.StrictNamedArgs{"ids": ids, "now": s.now(), "held": heldFor})
	b.Queue(claimCollections, pgx.StrictNamedArgs{"ids": ids, "now": s.now(), "node": s.Node, "lease": schema.Lease}).
		Query(db.CollectInto(&claimed, func(row pgx.Row, c *schema.Collection) error {
			return tables.ScanAccount(row, &c.Account, (*[16]byte)(&c.ID), &c.What, &c.Cursor, &c.Claim, &c.Attempts)
		}))
	b.Queue(dueSnapshots, pgx.StrictNamedArgs{"ids": ids, "now": s.now(), "early": schema.SnapshotEarly, "limit": dueAtOnce}).
		Query(func(rows pgx.Rows) error {
			return readPosts(rows, claimed, schema.CollectMetrics, func(c *schema.Collection) *[]schema.Snapshot { return &c.Due })
		})
	b.Queue(recentPosts, pgx.StrictNamedArgs{"ids": ids, "limit": recentAtOnce}).
		Query(func(rows pgx.Rows) error {
			return readPosts(rows, claimed, schema.CollectComments, func(c *schema.Collection) *[]schema.Snapshot { return &c.Recent })
		})
	sent := time.Now()
	if err := s.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, db.Wrap(err, "claiming collections")
	}
	for i := range claimed {
		claimed[i].Deadline = sent.Add(schema.CallDeadline)
	}
	return claimed, nil
}

// readPosts gives claimed collections of a kind the posts that they are about.
func readPosts(rows pgx.Rows, claimed []schema.Collection, what schema.Collected, of func(*schema.Collection) *[]schema.Snapshot) error {
	at := make(map[schema.AccountID]int, len(claimed))
	for i, c := range claimed {
		if c.What == what {
			at[c.Account.ID] = i
		}
	}
	var account schema.AccountID
	var snapshot schema.Snapshot
	into := []any{(*[16]byte)(&account), (*[16]byte)(&snapshot.Post), &snapshot.Target, &snapshot.NativeID, &snapshot.URL, &snapshot.Video, &snapshot.PostedAt, &snapshot.Slot}
	_, err := pgx.ForEachRow(rows, into, func() error {
		if i, ok := at[account]; ok {
			posts := of(&claimed[i])
			*posts = append(*posts, snapshot)
		}
		return nil
	})
	return err
}

var (
	// restCollections has what is to be read of accounts that do not work rest, and removes jobs
	// without anything to do.
	restCollections = sql.Text(`
	with resting as (
		update collections c set due_at = null, lease_until = null from accounts a
		where c.id = any($1) and a.id = c.account_id and not ({collected_account})
		returning c.id
	)
	delete from jobs j where j.id = any($1)
	  and (j.id in (select id from resting) or (select c.due_at from collections c where c.id = j.id) is null)`)

	holdCollections = ofReadings(`
	with held as (
		update collections c set due_at = @now::timestamptz + @held::interval from accounts a
		where c.id = any(@ids) and a.id = c.account_id and coalesce(c.due_at, 'infinity') <= @now::timestamptz and c.lease_until is null and {held}
		returning c.id, c.due_at
	)
	update jobs j set due_at = held.due_at, fires = 0 from held where j.id = held.id`)

	claimCollections = ofReadings(`
	with free as materialized (
		select c.id, c.account_id from collections c
		where c.id = any(@ids) and {free_collection}
		order by c.account_id, c.what for no key update of c
	)
	update collections c set claim = c.claim + 1, node = @node, lease_until = @now::timestamptz + @lease::interval
	from free join accounts a on a.id = free.account_id join workspaces w on w.id = a.workspace_id
	where c.id = free.id and {collected_account} and not {held}
	returning {account_columns}, c.id, c.what, c.cursor, c.claim, c.attempts`)
)

// ofReadings writes out a statement in which {held} is true of collections c of accounts a whose work the operator has
// paused. A member pauses what goes out on an account, and reads on.
func ofReadings(statement string) string {
	return sql.Text(statement, "held", `(exists (select from holds h where h.subject in (c.workspace_id, c.account_id) and h.kind <> {paused_by_member})
		or a.platform = any (array(select h.platform from holds h where h.platform is not null)))`)
}

// recentPosts are those whose metrics are looked at still, which is for 30 days.
var recentPosts = sql.Text(`
	select c.account_id, s.post_id, s.n, s.native_id, s.url, s.video, s.posted_at, s.slot
	from collections c cross join lateral (
		select * from snapshots s where s.account_id = c.account_id order by s.posted_at desc, s.post_id, s.n limit @limit
	) s
	where c.id = any(@ids) and c.what = {collect_comments}
	order by c.account_id, s.posted_at desc, s.post_id, s.n`)

var dueSnapshots = sql.Text(`
	select c.account_id, s.post_id, s.n, s.native_id, s.url, s.video, s.posted_at, s.slot
	from collections c cross join lateral (
		select * from snapshots s where s.account_id = c.account_id and s.due_at <= @now::timestamptz + @early::interval
		order by s.due_at, s.post_id, s.n limit @limit
	) s
	where c.id = any(@ids) and c.what = {collect_metrics}
	order by c.account_id, s.due_at, s.post_id, s.n`)

// Postpone delays collections that have to wait for their platform, each by its wait, with
// their jobs, and returns those that it delayed.
func (s *Store) Postpone(ctx context.Context, ids []schema.CollectionID, waits []time.Duration) ([]schema.CollectionID, error) {
	free, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	var postponed []schema.CollectionID
	b := &pgx.Batch{}
	b.Queue(sql.Text(`
		with off as materialized (
			select c.id, u.wait from unnest(@ids::uuid[], @waits::interval[]) u (id, wait) join collections c on c.id = u.id
			where {free_collection}
			order by c.account_id, c.what for no key update of c
		), late as (
			update collections c set due_at = @now::timestamptz + off.wait from off where c.id = off.id
			returning c.id, c.due_at
		), moved as (
			update jobs j set due_at = late.due_at, fires = 0 from late where j.id = late.id
		)
		select id from late`), pgx.StrictNamedArgs{"ids": db.IDColumn(ids), "waits": waits, "now": s.now()}).
		Query(db.CollectInto(&postponed, db.ScanID[schema.CollectionID]))
	err = s.Pool.SendBatch(ctx, b).Close()
	return postponed, db.Wrap(err, "postponing collections")
}

// Backlog returns how many collections are due and not done, and since when the oldest is due.
func (s *Store) Backlog(ctx context.Context) (due int, oldest time.Duration, err error) {
	var since *time.Time
	err = s.Pool.QueryRow(ctx, `
		select count(*), min(due_at) from (select due_at from collections where due_at < $1 order by due_at limit $2) d`, s.now(), backlogLimit).
		Scan(&due, &since)
	if err != nil {
		return 0, 0, db.Wrap(err, "reading what is to be collected")
	}
	if since != nil {
		oldest = s.now().Sub(*since)
	}
	return due, oldest, nil
}

// backlogLimit is how far a backlog is counted.
const backlogLimit = 10_000
