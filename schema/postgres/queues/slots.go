package queues

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/slots"
)

// TakenSlots returns the coming slots of a queue that are not free, in order.
func (s *Store) TakenSlots(ctx context.Context, queue schema.QueueID) ([]time.Time, error) {
	taken, err := slots.Taken(ctx, s.Pool, queue, schema.PostID{})
	return taken, db.Wrap(err, "reading slots")
}

// TakeSlots takes a slot for each post, in their order, among those that pick chooses,
// and returns them with their queue; fewer where there are no more. It is a transaction of its own,
// right before the posts are made: the creation of all other posts has nothing to do with slots. A
// process that dies in between leaves a slot that belongs to no post, and is free again after a while.
func (s *Store) TakeSlots(ctx context.Context, workspace schema.WorkspaceID, choice schema.QueueChoice, posts []schema.PostID, pick func(queue schema.Queue, taken []time.Time) ([]time.Time, error)) (schema.QueueID, []time.Time, error) {
	var queue schema.Queue
	var picked []time.Time
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) (err error) {
		if queue, err = slots.LockQueue(ctx, tx, workspace, choice); err != nil {
			return err
		}
		taken, err := slots.Taken(ctx, tx, queue.ID, schema.PostID{})
		if err != nil {
			return err
		}
		if picked, err = pick(queue, taken); err != nil {
			return err
		}
		picked = picked[:min(len(picked), len(posts))]
		b := &pgx.Batch{}
		slots.QueueTake(b, queue.ID, picked, posts[:len(picked)])
		b.Queue(`delete from queue_slots where queue_id = $1 and slot_at < now()`, queue.ID)
		return tx.SendBatch(ctx, b).Close()
	})
	return queue.ID, picked, db.OrNotFound(err, "queue")
}

// ReleaseSlots frees the slots that were taken for posts which were not made.
func (s *Store) ReleaseSlots(ctx context.Context, posts []schema.PostID) error {
	_, err := s.Pool.Exec(ctx, `
		delete from queue_slots s where s.post_id = any($1) and not exists (select from posts p where p.id = s.post_id)`, posts)
	return db.Wrap(err, "releasing slots")
}
