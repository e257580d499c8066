package postgres

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/collection"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Analytics is the store of the sink that writes events to ClickHouse.
type Analytics struct {
	*Store
	oldest   db.LowWater  // of the events that are owed to the sink
	complete atomic.Int64 // the position up to which ClickHouse was complete when that was last read
}

// NewAnalytics returns the store of the sink.
func NewAnalytics(s *Store) *Analytics { return &Analytics{Store: s} }

// Place returns the position of each batch that the sink has still to handle; a batch that is left out was stored
// before. Events are read in the order of positions. A position is assigned once, and above all earlier ones. It
// follows the clock (microseconds since 1970), so that a database restored from a backup goes on after what ClickHouse
// has.
func (a *Analytics) Place(ctx context.Context, batches []schema.BatchID) (map[schema.BatchID]int64, error) {
	var places map[schema.BatchID]int64
	err := a.InTx(ctx, "placing events", func(tx pgx.Tx) error {
		position, err := tables.NextPosition(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			with owed as (
				select id from outbox where id = any($1) and owed & $2::int2 <> 0 order by id for update
			)
			update outbox set position = coalesce(position, $3) where id = any(array(select id from owed))
			returning id, position`, batches, int16(schema.OwedAnalytics), position)
		places, err = db.CollectMap(rows, err, func(row pgx.Row, batch *schema.BatchID, position *int64) error {
			return row.Scan((*[16]byte)(batch), position)
		})
		return err
	})
	return places, err
}

// Horizon returns how far ClickHouse is complete. It must be read before ClickHouse is
// queried.
func (a *Analytics) Horizon(ctx context.Context) (schema.Horizon, error) {
	var h schema.Horizon
	var oldest *[16]byte
	now := a.Now()
	from := a.oldest.StartWide(now)
	err := a.Pool.QueryRow(ctx, sql.Text(`
		select coalesce((select position - 1 from outbox where position > @complete and owed & @mark::int2 <> 0 order by position limit 1), last),
			(select id from outbox where owed & @mark::int2 <> 0 and id > coalesce(@from::uuid, {no_id}) order by id limit 1), now()
		from event_positions where id`), pgx.StrictNamedArgs{
		"mark": int16(schema.OwedAnalytics), "complete": a.complete.Load(), "from": tables.BatchesFrom(from),
	}).Scan(&h.Position, &oldest, &h.At)
	if err != nil {
		return h, db.Wrap(err, "reading how far events are stored")
	}
	a.complete.Store(h.Position)
	created := tables.BatchTime(oldest)
	a.oldest.Note(from, created, now)
	if !created.IsZero() && created.Before(h.At) {
		h.At = created
	}
	return h, nil
}

// Report stores facts for ClickHouse that belong to no other commit.
func (a *Analytics) Report(ctx context.Context, facts []schema.Event) error {
	b := &pgx.Batch{}
	encoded := tables.QueueFacts(b, facts, a.Now())
	if err := a.Pool.SendBatch(ctx, b).Close(); err != nil {
		return db.Wrap(err, "storing facts")
	}
	a.Announce(schema.Announcement{Events: encoded})
	return nil
}

// Stored takes the sink's mark off batches of events that ClickHouse has. The collections that follow from the events
// are made in the same transaction, so once.
func (a *Analytics) Stored(ctx context.Context, batches []schema.EventBatch) error {
	var due []schema.Job
	err := a.Later(ctx, func(tx pgx.Tx) error {
		marked, err := unmark(ctx, tx, batches, schema.OwedAnalytics)
		if err != nil {
			return err
		}
		var events []schema.Event
		for _, b := range marked {
			events = append(events, b.Events...)
		}
		due, err = collection.Follow(ctx, tx, events, a.Now())
		return err
	})
	if err != nil {
		return db.Wrap(err, "marking events stored")
	}
	a.Announce(schema.Announcement{Jobs: tables.Soon(due, a.Now())})
	return nil
}
