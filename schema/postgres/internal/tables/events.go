package tables

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// PostEvent is an event about a post, with the post as webhooks show it.
func PostEvent(t schema.EventType, p *schema.Post, now time.Time) schema.Event {
	data := schema.PostData{Post: p.Summary()}
	return schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: t, Workspace: p.Workspace, Post: p.ID, At: now, Trace: p.Trace,
		Data: appendPostData(make([]byte, 0, documentSize), &data),
	}
}

// TargetFact is the event by which analytics counts a target.
func TargetFact(r *schema.Result, now time.Time) schema.Event {
	e := schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: schema.TargetWasPosted, Workspace: r.Workspace, Post: r.Ref.Post,
		Account: r.Account, Platform: r.Platform, At: now, Lateness: now.Sub(r.DueAt).Seconds(),
	}
	if r.State == schema.TargetFailed {
		e.Type = schema.TargetHasFailed
		if r.Error != nil {
			e.Code = r.Error.Code
		}
	}
	return e
}

// threadEvent is an event about the thread that a post carries.
func threadEvent(t schema.EventType, p *schema.Post, thread *schema.ThreadSummary, now time.Time) schema.Event {
	return schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: t, Workspace: p.Workspace, Post: p.ID, At: now, Data: db.Encode(schema.ThreadData{Thread: *thread}),
	}
}

// ScheduledEvents are the events of a post that is scheduled: its own, and its thread's.
func ScheduledEvents(p *schema.Post, now time.Time) []schema.Event {
	events := []schema.Event{PostEvent(schema.PostScheduled, p, now)}
	if p.Content.Thread != nil {
		thread := p.ThreadSummary()
		events = append(events, threadEvent(schema.ThreadScheduled, p, &thread, now))
	}
	return events
}

// DoneEvents are the events of a post whose last target is done: published when any
// target was posted, failed when none was; and its thread's.
func DoneEvents(p *schema.Post, now time.Time) []schema.Event {
	outcome := schema.PostPublished
	if p.Status == schema.Failed {
		outcome = schema.PostFailed
	}
	events := []schema.Event{PostEvent(outcome, p, now)}
	if p.Content.Thread != nil {
		thread := p.ThreadSummary()
		outcome := schema.EventType("thread." + thread.Status) // one word for both
		events = append(events, threadEvent(outcome, p, &thread, now))
	}
	return events
}

// QueueEvents adds the outbox rows of a commit's events, and returns what is to be announced.
func QueueEvents(batch *pgx.Batch, events []schema.Event, now time.Time) []schema.EncodedEvents {
	return queueOwed(batch, events, schema.OwedNotify|schema.OwedAnalytics, now)
}

// QueueFacts is QueueEvents for what only analytics stores.
func QueueFacts(batch *pgx.Batch, facts []schema.Event, now time.Time) []schema.EncodedEvents {
	return queueOwed(batch, facts, schema.OwedAnalytics, now)
}

// maxEventBatch is from how many bytes on events go into another row of the outbox. A row is one
// message, of which brokers take a megabyte; a single event is bounded by schema.MaxTexts.
const maxEventBatch = 512 << 10

func queueOwed(batch *pgx.Batch, events []schema.Event, owed schema.Owed, now time.Time) (queued []schema.EncodedEvents) {
	for len(events) > 0 {
		n := fitting(events)
		b := schema.EventBatch{ID: schema.NewID[schema.BatchID](now), Events: events[:n]}
		payload := appendEventBatch(make([]byte, 0, n*2*documentSize), &b)
		batch.Queue(`insert into outbox (id, owed, sent_at, payload) values ($1, $2, now(), $3)`, b.ID, int16(owed), payload)
		queued = append(queued, schema.EncodedEvents{ID: b.ID, Payload: payload})
		events = events[n:]
	}
	return queued
}

// fitting returns how many of the first events go into one row: one at least.
func fitting(events []schema.Event) int {
	size := 0
	for n, e := range events {
		if size += len(e.Data) + documentSize/2; n > 0 && size > maxEventBatch {
			return n
		}
	}
	return len(events)
}

// BatchesFrom returns the place behind which batches were made at a time or later.
func BatchesFrom(at time.Time) schema.BatchID {
	if at.IsZero() {
		return schema.BatchID{}
	}
	return schema.FirstID[schema.BatchID](at)
}

// BatchTime returns when a batch was made; zero where there is none.
func BatchTime(batch *[16]byte) time.Time {
	if batch == nil {
		return time.Time{}
	}
	return schema.BatchID(*batch).Time()
}

// NextPosition returns a position that no batch of events has had, above all that were given, and keeps
// others from giving one until the transaction ends. It follows the clock, in microseconds since 1970.
func NextPosition(ctx context.Context, q db.Querier) (position int64, err error) {
	err = q.QueryRow(ctx, `
		update event_positions set last = greatest(last + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
		where id returning last`).Scan(&position)
	return position, err
}

// TakeMark takes a mark off batches of events, deletes those nobody is owed any more, and
// returns those that bore it. Rows are named by an array, here as wherever the outbox is changed:
// while a transaction holds xmin it looks empty to the planner, which then joins by reading all
// that is dead in it.
func TakeMark(ctx context.Context, q db.Querier, ids []schema.BatchID, mark schema.Owed) ([]schema.BatchID, error) {
	rows, err := q.Query(ctx, `
		with locked as (
			select id, owed from outbox where id = any($1) and owed & $2::int2 <> 0 order by id for update
		), gone as (
			delete from outbox where id = any(array(select id from locked where owed = $2::int2))
		), kept as (
			update outbox set owed = owed & ~$2::int2 where id = any(array(select id from locked where owed <> $2::int2))
		)
		select id from locked`, ids, int16(mark))
	return db.Collect(rows, err, db.ScanID[schema.BatchID])
}
