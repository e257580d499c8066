package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

const (
	// unsentScan is how many rows one call looks at: those that others still have to handle
	// may be as many as came in hours.
	unsentScan = 20_000
	// unsentBytes bounds what one call returns.
	unsentBytes = 16 << 20
)

// Unsent returns batches behind a place in the outbox that a mark's owner has not handled
// since they were sent, the oldest first, and counts them as sent now. It returns at most
// limit, the place to go on at, and the zero place once it has come to the end.
func (s *Store) Unsent(ctx context.Context, mark schema.Owed, after schema.BatchID, age time.Duration, limit int) (batches []schema.EncodedEvents, next schema.BatchID, err error) {
	rows, err := s.Pool.Query(ctx, `
		with seen as (
			select id, owed, sent_at from outbox where id > coalesce(@after::uuid, `+db.NoID+`) order by id limit @scan
		), late as (
			select id from seen where owed & @mark::int2 <> 0 and sent_at < now() - @age::interval order by id limit @limit
		), sized as (
			select id, sum(octet_length(payload)) over (order by id) - octet_length(payload) as before from outbox where id in (select id from late)
		), free as (
			select id from outbox where id in (select id from sized where before < @bytes) order by id for update skip locked
		), sent as (
			update outbox o set sent_at = now() from free where o.id = free.id returning o.id, o.payload
		)
		select id, payload from sent order by id`, pgx.StrictNamedArgs{
		"after": after, "scan": unsentScan, "mark": int16(mark), "age": age.String(), "limit": limit, "bytes": unsentBytes,
	})
	batches, err = db.Collect(rows, err, func(row pgx.Row, b *schema.EncodedEvents) error {
		return row.Scan((*[16]byte)(&b.ID), &b.Payload)
	})
	if err != nil {
		return nil, after, fmt.Errorf("reading unsent events: %w", db.Unavailable(err))
	}
	if n := len(batches); n > 0 {
		return batches, batches[n-1].ID, nil
	}
	next, err = s.endOfScan(ctx, after)
	return nil, next, err
}

// endOfScan is how far a call behind a place has looked; zero: to the end.
func (s *Store) endOfScan(ctx context.Context, after schema.BatchID) (schema.BatchID, error) {
	var last *[16]byte
	err := s.Pool.QueryRow(ctx, `
		select (select id from outbox where id > coalesce($1::uuid, `+db.NoID+`) order by id offset $2 limit 1)`, after, unsentScan-1).Scan(&last)
	if err != nil {
		return after, fmt.Errorf("reading how far events were looked at: %w", db.Unavailable(err))
	}
	if last == nil {
		return schema.BatchID{}, nil
	}
	return *last, nil
}

// Owed returns how many of batches a mark's owner has not handled.
func (s *Store) Owed(ctx context.Context, mark schema.Owed, batches []schema.BatchID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `select count(*) from outbox where id = any($1) and owed & $2::int2 <> 0`, batches, int16(mark)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting what is owed: %w", db.Unavailable(err))
	}
	return n, nil
}
