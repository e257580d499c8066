// Package slots gives out the slots of queues, each once.
package slots

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// stale is after what time a slot whose post is not there is free again: far beyond the time in which a
// creation that was begun could still commit.
const stale = time.Hour

// ScanQueue reads {queue_columns}.
func ScanQueue(row pgx.Row, q *schema.Queue) error {
	return row.Scan((*[16]byte)(&q.ID), (*[16]byte)(&q.Workspace), (*[16]byte)(&q.Brand), &q.Name, &q.Timezone, db.Document("slots of a queue", &q.Slots),
		&q.Default, &q.CreatedAt, &q.UpdatedAt)
}

// LockQueue returns the queue of a choice. Nobody else takes slots of it until the transaction has ended; a
// post that gets one is locked before its queue.
func LockQueue(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, choice schema.QueueChoice) (queue schema.Queue, err error) {
	row := tx.QueryRow(ctx, sql.Text(`
		select {queue_columns} from queues q
		where q.workspace_id = $1 and case when $2::uuid is not null then q.id = $2
			else q.is_default and (q.brand_id is null or q.brand_id = $3) end
		order by q.brand_id nulls last limit 1 for no key update`), workspace, choice.ID, choice.Brand)
	err = ScanQueue(row, &queue)
	return queue, err
}

// Taken returns the coming slots of a queue that are not free for a post, in order; zero: for a new one.
func Taken(ctx context.Context, q db.Querier, queue schema.QueueID, post schema.PostID) ([]time.Time, error) {
	rows, err := q.Query(ctx, `
		select s.slot_at from queue_slots s where s.queue_id = $1 and s.slot_at >= now() and s.post_id is distinct from $2
		  and (s.taken_at > now() - $3::interval or exists (select from posts p where p.id = s.post_id))
		order by s.slot_at`, queue, post, stale.String())
	return db.Collect(rows, err, func(row pgx.Row, at *time.Time) error { return row.Scan(at) })
}

// QueueTake adds the statement that gives slots of a locked queue to posts, in their order.
func QueueTake(b *pgx.Batch, queue schema.QueueID, slots []time.Time, posts []schema.PostID) {
	b.Queue(`
		insert into queue_slots as s (queue_id, slot_at, post_id)
		select $1, * from unnest($2::timestamptz[], $3::uuid[])
		on conflict (queue_id, slot_at) do update set post_id = excluded.post_id, taken_at = now()`, queue, slots, posts)
}
