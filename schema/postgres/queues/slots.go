package queues

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Slots are taken in a transaction of their own, right before the posts they are for are
// made: the creation of all other posts has nothing to do with them. A process that dies
// in between leaves a slot that belongs to no post; it is free again after staleSlot,
// far beyond the time in which a creation that was begun could still commit.
const staleSlot = time.Hour

// takenSlots are the coming slots of a queue that are not free.
const takenSlots = `
	select s.slot_at from queue_slots s where s.queue_id = $1 and s.slot_at >= now()
	  and (s.taken_at > now() - $2::interval or exists (select from posts p where p.id = s.post_id))
	order by s.slot_at`

func readTaken(ctx context.Context, q db.Querier, queue schema.QueueID) ([]time.Time, error) {
	rows, err := q.Query(ctx, takenSlots, queue, staleSlot.String())
	return db.Collect(rows, err, func(row pgx.Row, at *time.Time) error {
		return row.Scan(at)
	})
}

// TakenSlots returns the coming slots of a queue that are not free, in order.
func (s *Store) TakenSlots(ctx context.Context, queue schema.QueueID) ([]time.Time, error) {
	taken, err := readTaken(ctx, s.Pool, queue)
	return taken, db.Wrap(err, "reading slots")
}

// TakeSlots takes a slot for each post, in their order, among those that pick chooses,
// and returns them with their queue; fewer where there are no more. The queue is locked
// meanwhile, so that no two requests pick the same.
func (s *Store) TakeSlots(ctx context.Context, workspace schema.WorkspaceID, choice schema.QueueChoice, posts []schema.PostID, pick func(queue schema.Queue, taken []time.Time) ([]time.Time, error)) (schema.QueueID, []time.Time, error) {
	var queue schema.Queue
	var slots []time.Time
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, sql.Text(`
			select {queue_columns} from queues q
			where q.workspace_id = $1 and case when $2::uuid is not null then q.id = $2
				else q.is_default and (q.brand_id is null or q.brand_id = $3) end
			order by q.brand_id nulls last limit 1 for no key update`), workspace, choice.ID, choice.Brand)
		if err := scanQueue(row, &queue); err != nil {
			return err
		}
		taken, err := readTaken(ctx, tx, queue.ID)
		if err != nil {
			return err
		}
		if slots, err = pick(queue, taken); err != nil {
			return err
		}
		slots = slots[:min(len(slots), len(posts))]
		_, err = tx.Exec(ctx, `
			insert into queue_slots as s (queue_id, slot_at, post_id)
			select $1, * from unnest($2::timestamptz[], $3::uuid[])
			on conflict (queue_id, slot_at) do update set post_id = excluded.post_id, taken_at = now()`,
			queue.ID, slots, posts[:len(slots)])
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from queue_slots where queue_id = $1 and slot_at < now()`, queue.ID)
		return err
	})
	return queue.ID, slots, db.OrNotFound(err, "queue")
}

// ReleaseSlots frees the slots that were taken for posts which were not made.
func (s *Store) ReleaseSlots(ctx context.Context, posts []schema.PostID) error {
	_, err := s.Pool.Exec(ctx, `
		delete from queue_slots s where s.post_id = any($1) and not exists (select from posts p where p.id = s.post_id)`, posts)
	return db.Wrap(err, "releasing slots")
}
