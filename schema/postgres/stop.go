package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// BringForward makes jobs due now that are due later, or were until a moment ago: those may have fired and not been
// moved on, which would put them off once more. It returns how many. Firing early is harmless: what is not due yet,
// or claimed, is not claimed again.
func (s *Store) BringForward(ctx context.Context, jobs []schema.JobID) (int, error) {
	var moved []schema.Job
	batch := &pgx.Batch{}
	batch.Queue(`
		with late as (
			select id from jobs where id = any($1) and due_at > now() - interval '1 second' and not held order by id for no key update
		)
		update jobs j set due_at = now() from late where j.id = late.id
		returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`, jobs).
		Query(db.CollectInto(&moved, tables.ScanJob))
	if err := s.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return 0, db.Wrap(err, "bringing jobs forward")
	}
	s.Announce(schema.Announcement{Jobs: moved})
	return len(moved), nil
}

// GiveBack gives a delivery's claim back: it is due now, and no try is counted.
func (n *Notify) GiveBack(ctx context.Context, d schema.NotifyDelivery) error {
	var moved []schema.Job
	batch := &pgx.Batch{}
	batch.Queue(sql.Text(`
		update deliveries set state = {delivery_pending}, lease_until = null, next_at = now()
		where id = $1 and state = {delivery_claimed} and claim = $2`), d.ID, d.Claim)
	batch.Queue(sql.Text(`
		update jobs j set due_at = now() from deliveries d
		where j.id = $1 and d.id = j.id and d.state = {delivery_pending}
		returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`), d.ID).
		Query(db.CollectInto(&moved, tables.ScanJob))
	if err := n.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return db.Wrap(err, "giving a delivery back")
	}
	n.Announce(schema.Announcement{Jobs: moved})
	return nil
}
