package maintenance

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
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
// limit, the place to go on at, and the zero place once it has come to the end. What was sent a minute from
// now or later was so before the clock was set back, and does not wait for that time to come again.
func (s *Store) Unsent(ctx context.Context, mark schema.Owed, after schema.BatchID, age time.Duration, limit int) (batches []schema.EncodedEvents, next schema.BatchID, err error) {
	now, from, place := s.Now(), time.Time{}, after
	if after.IsZero() {
		from = s.outbox.Start(now)
		place = tables.BatchesFrom(from)
	}
	rows, err := s.Pool.Query(ctx, sql.Text(`
		with seen as materialized (
			select id, owed, sent_at from outbox where id > coalesce(@after::uuid, {no_id}) and id < @younger order by id limit @scan
		), late as (
			select id from seen where owed & @mark::int2 <> 0 and (sent_at < now() - @age::interval or sent_at > now() + interval '1 minute') order by id limit @limit
		), sized as (
			select id, sum(octet_length(payload)) over (order by id) - octet_length(payload) as before from outbox where id = any(array(select id from late))
		), free as (
			select id from outbox where id = any(array(select id from sized where before < @bytes)) order by id for update skip locked
		), sent as (
			update outbox set sent_at = now() where id = any(array(select id from free)) returning id, payload
		)
		select (select id from seen order by id limit 1), (select id from seen order by id offset @scan - 1 limit 1), sent.id, sent.payload
		from (values (0)) always left join sent on true order by sent.id`), pgx.StrictNamedArgs{
		"after": place, "younger": schema.FirstID[schema.BatchID](now.Add(-age)), "scan": unsentScan, "mark": int16(mark), "age": age.String(), "limit": limit, "bytes": unsentBytes,
	})
	var first, last, id *[16]byte
	var payload []byte
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&first, &last, &id, &payload}, func() error {
			if id != nil {
				batches = append(batches, schema.EncodedEvents{ID: *id, Payload: payload})
			}
			return nil
		})
	}
	switch {
	case err != nil:
		return nil, after, db.Wrap(err, "reading unsent events")
	case len(batches) > 0:
		next = batches[len(batches)-1].ID
	case last != nil:
		next = *last
	}
	if after.IsZero() {
		s.outbox.Note(from, tables.BatchTime(first), now)
	}
	return batches, next, nil
}

// Owed returns how many of batches a mark's owner has not handled.
func (s *Store) Owed(ctx context.Context, mark schema.Owed, batches []schema.BatchID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `select count(*) from outbox where id = any($1) and owed & $2::int2 <> 0`, batches, int16(mark)).Scan(&n)
	return n, db.Wrap(err, "counting what is owed")
}
