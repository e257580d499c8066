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

// Follow makes the collections that events ask for: metrics of a posted target, and what is read of a connected account.
// Those of a disconnected account it ends. It runs in the transaction that takes the events' mark, so that an event that
// comes again does nothing. It returns the jobs that it made.
func Follow(ctx context.Context, tx pgx.Tx, events []schema.Event, now time.Time) ([]schema.Job, error) {
	var posted, connected, gone []schema.AccountID
	var posts []schema.PostID
	for _, e := range events {
		switch e.Type {
		case schema.TargetWasPosted:
			if e.Platform.Collects(schema.CollectMetrics) {
				posts, posted = append(posts, e.Post), append(posted, e.Account)
			}
		case schema.AccountConnected:
			connected = append(connected, e.Account)
		case schema.AccountDisconnected:
			gone = append(gone, e.Account)
		}
	}
	if len(posted)+len(connected)+len(gone) == 0 {
		return nil, nil
	}
	var due []schema.Job
	b := &pgx.Batch{}
	if len(posts) > 0 {
		queueSnapshots(b, posts, posted)
	}
	if len(posted)+len(connected) > 0 {
		tables.QueueCollections(b, tables.Collecting{Accounts: connected, Posted: posted, Sooner: true, Now: now}, &due)
	}
	if len(gone) > 0 {
		queueForget(b, gone)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	b = &pgx.Batch{}
	tables.QueueCollectionJobs(b, lastOf(due))
	return due, tx.SendBatch(ctx, b).Close()
}

// lastOf returns each job once, as it came last.
func lastOf(jobs []schema.Job) []schema.Job {
	at := make(map[schema.JobID]int, len(jobs))
	var once []schema.Job
	for _, j := range jobs {
		if i, ok := at[j.ID]; ok {
			once[i] = j
			continue
		}
		at[j.ID] = len(once)
		once = append(once, j)
	}
	return once
}

// queueSnapshots has the metrics of posted targets read. They stand among the open ones, or in
// history where ClickHouse was away for long.
func queueSnapshots(b *pgx.Batch, posts []schema.PostID, accounts []schema.AccountID) {
	b.Queue(sql.Text(`
		with u as materialized (select distinct * from unnest($1::uuid[], $2::uuid[]) u (post, account)),
		open as materialized ({posted_targets(u, targets, posts)}),
		others as materialized (select * from u where (post, account) not in (select post_id, account_id from open)), -- hashed: a block has thousands
		past as ({posted_targets(others, targets_history, posts_history)})
		insert into snapshots (post_id, n, account_id, native_id, url, video, posted_at, slot, due_at)
		select post_id, n, account_id, native_id, url, video, posted_at, 0, posted_at + $3::interval
		from (select * from open union all select * from past) f
		where native_id <> '' and posted_at is not null
		order by post_id, n
		on conflict (post_id, n) do nothing`), db.IDColumn(posts), db.IDColumn(accounts), schema.SnapshotAge(0))
}

// queueForget ends the collections of those of the accounts that are still disconnected.
func queueForget(b *pgx.Batch, accounts []schema.AccountID) {
	b.Queue(`
		delete from snapshots s using accounts a
		where a.id = any($1) and a.disconnected_at is not null and s.account_id = a.id`, db.IDColumn(accounts))
	b.Queue(`
		with resting as (
			update collections c set due_at = null from accounts a
			where a.id = any($1) and a.disconnected_at is not null and c.account_id = a.id returning c.id
		)
		delete from jobs j using resting where j.id = resting.id`, db.IDColumn(accounts))
}
