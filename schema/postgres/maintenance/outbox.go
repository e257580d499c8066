package maintenance

import (
	"context"
	"fmt"
	"sync"
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
	from, now := after, s.Now()
	if after.IsZero() {
		from = s.outbox.start(now)
	}
	rows, err := s.Pool.Query(ctx, `
		with seen as materialized (
			select id, owed, sent_at from outbox where id > coalesce(@after::uuid, `+db.NoID+`) order by id limit @scan
		), late as (
			select id from seen where owed & @mark::int2 <> 0 and sent_at < now() - @age::interval order by id limit @limit
		), sized as (
			select id, sum(octet_length(payload)) over (order by id) - octet_length(payload) as before from outbox where id = any(array(select id from late))
		), free as (
			select id from outbox where id = any(array(select id from sized where before < @bytes)) order by id for update skip locked
		), sent as (
			update outbox set sent_at = now() where id = any(array(select id from free)) returning id, payload
		)
		select (select id from seen order by id limit 1), (select id from seen order by id offset @scan - 1 limit 1), sent.id, sent.payload
		from (values (0)) always left join sent on true order by sent.id`, pgx.StrictNamedArgs{
		"after": from, "scan": unsentScan, "mark": int16(mark), "age": age.String(), "limit": limit, "bytes": unsentBytes,
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
		return nil, after, fmt.Errorf("reading unsent events: %w", db.Unavailable(err))
	case len(batches) > 0:
		next = batches[len(batches)-1].ID
	case last != nil:
		next = *last
	}
	if after.IsZero() {
		s.outbox.note(first, now)
	}
	return batches, next, nil
}

// outboxStart is where a pass over the outbox starts. While a transaction holds xmin, what is
// deleted stays in the index, and a scan from the very beginning walks over all of it.
type outboxStart struct {
	mu     sync.Mutex
	oldest time.Time // nothing is there that was made before it
	full   time.Time // when a pass last started at the very beginning
}

const (
	// outboxLookback is how far before now a pass starts at least: longer than any transaction
	// lasts, so that no batch can still appear with an earlier id.
	outboxLookback = time.Minute
	// outboxFullEvery is how often a pass starts at the very beginning: there a dead letter's
	// events come back with their first id.
	outboxFullEvery = 30 * time.Second
)

// start returns the place behind which a pass starts; zero: at the very beginning.
func (o *outboxStart) start(now time.Time) schema.BatchID {
	o.mu.Lock()
	defer o.mu.Unlock()
	if since := now.Sub(o.full); o.oldest.IsZero() || since > outboxFullEvery || since < 0 { // or the clock was set back
		o.full = now
		return schema.BatchID{}
	}
	return schema.FirstBatchID(o.oldest)
}

// note takes the first batch that a pass has found.
func (o *outboxStart) note(first *[16]byte, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.oldest = now.Add(-outboxLookback)
	if first == nil {
		return
	}
	if made := schema.BatchID(*first).Time(); made.Before(o.oldest) {
		o.oldest = made
	}
}

// Owed returns how many of batches a mark's owner has not handled.
func (s *Store) Owed(ctx context.Context, mark schema.Owed, batches []schema.BatchID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `select count(*) from outbox where id = any($1) and owed & $2::int2 <> 0`, batches, int16(mark)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting what is owed: %w", db.Unavailable(err))
	}
	return n, nil
}
