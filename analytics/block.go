package analytics

import (
	"context"
	"slices"
	"time"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// block is what is inserted at once. While ClickHouse is away, the outbox sends its batches
// repeatedly; a block holds the events of a repeated batch once.
type block struct {
	items   []item
	known   map[schema.BatchID]bool
	batches []schema.EventBatch
	events  []schema.Event
}

// write stores one block after the other until ctx ends.
func (s *Sink) write(ctx context.Context) {
	for {
		b := s.gather(ctx)
		if b == nil || !s.store(ctx, b) {
			return
		}
	}
}

// gather waits for a first batch and adds more until the block is full or a second
// old. It returns nil if ctx has ended.
func (s *Sink) gather(ctx context.Context) *block {
	b := &block{known: map[schema.BatchID]bool{}}
	var old <-chan time.Time
	for len(b.events) < gatherRows {
		select {
		case items := <-s.arrived:
			b.add(items)
			s.metrics.setInHand(b.events)
		case <-old:
			return b
		case <-ctx.Done():
			return nil
		}
		if old == nil {
			old = time.After(gatherTime)
		}
	}
	return b
}

func (b *block) add(items []item) {
	for _, i := range items {
		b.items = append(b.items, i)
		if !b.known[i.batch.ID] {
			b.known[i.batch.ID] = true
			b.batches = append(b.batches, i.batch)
			b.events = append(b.events, i.batch.Events...)
		}
	}
}

// positioned returns the batches that have a position, with it set in their events.
func (b *block) positioned(positions map[schema.BatchID]int64) []schema.EventBatch {
	var positioned []schema.EventBatch
	for _, batch := range b.batches {
		if position, ok := positions[batch.ID]; ok {
			batch.Events = slices.Clone(batch.Events)
			for i := range batch.Events {
				batch.Events[i].Position = position
			}
			positioned = append(positioned, batch)
		}
	}
	return positioned
}

// store gives the batches of a block their positions, inserts them into ClickHouse, removes
// their marks from the outbox, and acknowledges them: in this order, so that a crash repeats
// events and loses none. It retries until it succeeds; false means that ctx ended first.
func (s *Sink) store(ctx context.Context, b *block) bool {
	var batches []schema.EventBatch
	position := func(ctx context.Context) error {
		positions, err := s.Outbox.Place(ctx, idsOf(b.batches))
		batches = b.positioned(positions)
		return err
	}
	if err := s.retry(ctx, "giving events their positions failed", anyError, position); err != nil {
		return false
	}
	stored, ok := s.insert(ctx, batches)
	if !ok {
		return false
	}
	mark := func(ctx context.Context) error { return s.Outbox.Stored(ctx, stored) }
	if err := s.retry(ctx, "removing marks from the outbox failed", anyError, mark); err != nil {
		return false
	}
	for _, i := range b.items {
		i.message.Ack()
	}
	s.metrics.setInHand(nil)
	return true
}

func idsOf(batches []schema.EventBatch) []schema.BatchID {
	ids := make([]schema.BatchID, len(batches))
	for i, b := range batches {
		ids[i] = b.ID
	}
	return ids
}

// insert inserts batches as one block and returns those that are stored; false means that
// ctx ended first. A refused block is bisected until the batch at fault is alone.
func (s *Sink) insert(ctx context.Context, batches []schema.EventBatch) (stored []schema.EventBatch, ok bool) {
	if len(batches) == 0 {
		return nil, true
	}
	insert := func(part []schema.EventBatch) error { return s.insertEvents(ctx, eventsOf(part)) }
	isRefused := map[schema.BatchID]bool{}
	if err := insert(batches); err != nil && ctx.Err() == nil {
		bisect(ctx, batches, err, insert, func(b schema.EventBatch, err error) { isRefused[b.ID] = !s.insertPart(ctx, b, err) })
	}
	stored = slices.DeleteFunc(slices.Clone(batches), func(b schema.EventBatch) bool { return isRefused[b.ID] })
	return stored, ctx.Err() == nil
}

func eventsOf(batches []schema.EventBatch) []schema.Event {
	var events []schema.Event
	for _, b := range batches {
		events = append(events, b.Events...)
	}
	return events
}

// insertPart stores what it can of a refused batch, since the events of a commit are
// independent of each other, and reports whether that is all of it. The rest is noted as a fault: the outbox
// sends the batch again, which leaves stored events as they are, until the rest becomes a dead letter.
func (s *Sink) insertPart(ctx context.Context, b schema.EventBatch, refusal error) (whole bool) {
	var refused []schema.Event
	insert := func(part []schema.Event) error { return s.insertEvents(ctx, part) }
	bisect(ctx, b.Events, refusal, insert, func(e schema.Event, err error) {
		refused, refusal = append(refused, e), err
	})
	if len(refused) > 0 && ctx.Err() == nil {
		b.Events = refused
		s.note(ctx, refusalOf(b, refusal))
	}
	return len(refused) == 0
}

// bisect inserts the halves of what was refused, and so on, until what is at fault is alone: that refuse gets,
// with its error. It ends early with ctx.
func bisect[T any](ctx context.Context, parts []T, refusal error, insert func([]T) error, refuse func(T, error)) {
	if len(parts) == 1 {
		refuse(parts[0], refusal)
		return
	}
	for _, half := range [][]T{parts[:len(parts)/2], parts[len(parts)/2:]} {
		if err := insert(half); err != nil && ctx.Err() == nil {
			bisect(ctx, half, err, insert, refuse)
		}
	}
}

// insertEvents inserts events as one block, and retries while ClickHouse does not answer.
func (s *Sink) insertEvents(ctx context.Context, events []schema.Event) error {
	return s.retry(ctx, "storing events failed", isUnavailable, func(ctx context.Context) error {
		start := time.Now()
		err := guard.Do(func() error { return s.Store.Insert(ctx, events) })
		outcome := outcomeStored
		if err != nil {
			outcome = outcomeFailed
		} else {
			s.metrics.rows.Add(float64(len(events)))
		}
		s.metrics.inserts.WithLabelValues(outcome).Observe(time.Since(start).Seconds())
		return err
	})
}

// anyError retries every error: it can only mean that the database is away.
func anyError(error) bool { return true }

// retry calls do until it succeeds, fails with an error that is not retryable, or ctx ends.
func (s *Sink) retry(ctx context.Context, failed string, retryable func(error) bool, do func(context.Context) error) error {
	for failures := 0; ; failures++ {
		try, cancel := context.WithTimeout(ctx, tryTimeout)
		err := do(try)
		cancel()
		if err == nil || ctx.Err() != nil || !retryable(err) {
			return err
		}
		wait := retry.Sink.Wait(failures, 0)
		s.Logger.WarnContext(ctx, failed, "err", err, "again", wait)
		if sleep.For(ctx, wait) != nil {
			return err
		}
	}
}
