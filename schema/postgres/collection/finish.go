package collection

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/engagement"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Finish stores what a step has come to: its facts, and when the next is due. It does nothing
// where another claim has followed, and can be called again.
func (s *Store) Finish(ctx context.Context, r schema.CollectionResult) error {
	free, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer free()
	return s.Announcing(ctx, "finishing a collection", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		// Whoever adds a snapshot locks the row as well: either it is seen here, or this is seen there.
		held := false
		b := &pgx.Batch{}
		db.QueueGenericPlans(b)
		b.Queue(`select from collections where id = $1 and claim = $2 and lease_until is not null for update`, r.ID, r.Claim).
			Exec(func(tag pgconn.CommandTag) error { held = tag.RowsAffected() > 0; return nil })
		if err := tx.SendBatch(ctx, b).Close(); err != nil || !held {
			return announcement, err
		}
		return s.finish(ctx, tx, &r)
	})
}

func (s *Store) finish(ctx context.Context, tx pgx.Tx, r *schema.CollectionResult) (announcement schema.Announcement, err error) {
	b := &pgx.Batch{}
	queueLooks(b, r)
	facts, events, err := engagement.Receive(ctx, tx, r.Account, r.Received, s.DB.Now())
	if err != nil {
		return announcement, err
	}
	gone, err := engagement.Missing(ctx, tx, r.Account, r.Whole, s.DB.Now())
	if err != nil {
		return announcement, err
	}
	announcement.Events = append(tables.QueueFacts(b, slices.Concat(facts, gone, r.Facts), s.DB.Now()), tables.QueueEvents(b, events, s.DB.Now())...)
	var due *time.Time
	b.Queue(sql.Text(`
		update collections c set cursor = @cursor, attempts = least(@attempts, 30000), lease_until = null,
			refused_at = case when @permitted::bool then null when not @permitted::bool then coalesce(c.refused_at, @now) else c.refused_at end, due_at = case
			when c.due_at is null then null -- it was stopped meanwhile
			when c.what = {collect_metrics} then (select greatest(min(s.due_at), @next::timestamptz) from snapshots s where s.account_id = c.account_id)
			when c.what = {collect_comments} and c.due_at > @now::timestamptz and c.due_at < @next::timestamptz then c.due_at -- something was posted meanwhile
			else @next end
		where c.id = @id returning c.due_at`),
		pgx.StrictNamedArgs{"id": r.ID, "cursor": r.Cursor, "attempts": r.Attempts, "next": db.OrNull(r.NextAt), "permitted": r.Permitted, "now": s.now()}).
		QueryRow(func(row pgx.Row) error { return row.Scan(&due) })
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return announcement, err
	}
	if due == nil {
		_, err := tx.Exec(ctx, `delete from jobs where id = $1`, r.ID)
		return announcement, err
	}
	jobs := []schema.Job{tables.CollectionJob(schema.CollectMessage{
		Collection: r.ID, Workspace: r.Account.Workspace, Account: r.Account.ID, Platform: r.Account.Platform, What: r.What,
	}, *due)}
	b = &pgx.Batch{}
	tables.QueueCollectionJobs(b, jobs)
	announcement.Jobs = tables.Soon(jobs, s.now())
	return announcement, tx.SendBatch(ctx, b).Close()
}

// queueLooks moves the snapshots that were looked at to their next look, and removes those that have none.
func queueLooks(b *pgx.Batch, r *schema.CollectionResult) {
	var posts, ended []schema.PostID
	var targets, slots, endedTargets []int16
	var due []time.Time
	for _, looked := range r.Read {
		slot, at, more := looked.Next()
		if !more {
			ended, endedTargets = append(ended, looked.Post), append(endedTargets, looked.Target)
			continue
		}
		posts, targets, slots, due = append(posts, looked.Post), append(targets, looked.Target), append(slots, slot), append(due, at)
	}
	for _, gone := range r.Gone {
		ended, endedTargets = append(ended, gone.Post), append(endedTargets, gone.Target)
	}
	if len(posts) > 0 {
		b.Queue(`
			update snapshots s set slot = u.slot, due_at = u.due
			from unnest(@posts::uuid[], @targets::int2[], @slots::int2[], @due::timestamptz[]) u (post, n, slot, due)
			where s.post_id = u.post and s.n = u.n and s.account_id = @account`,
			pgx.StrictNamedArgs{"posts": db.IDColumn(posts), "targets": targets, "slots": slots, "due": due, "account": r.Account.ID})
	}
	if len(ended) > 0 {
		b.Queue(`
			delete from snapshots s using unnest($1::uuid[], $2::int2[]) u (post, n)
			where s.post_id = u.post and s.n = u.n and s.account_id = $3`, db.IDColumn(ended), endedTargets, r.Account.ID)
	}
}
