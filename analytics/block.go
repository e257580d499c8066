package analytics

import (
	"context"
	"slices"
	"time"

	"crier/schema"
)

// block is what is stored at once. While ClickHouse is away the outbox sends its batches
// again and again: of a batch that came several times, the events are taken once.
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

// gather waits for a first batch and adds what comes until the block is full or old
// enough; nil means that ctx has ended.
func (s *Sink) gather(ctx context.Context) *block {
	b := &block{known: map[schema.BatchID]bool{}}
	var old <-chan time.Time
	for len(b.events) < gatherRows {
		select {
		case items := <-s.arrived:
			b.add(items)
			s.metrics.hold(b.events)
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

// placed returns the batches that have a place, with it in their events.
func (b *block) placed(places map[schema.BatchID]int64) []schema.EventBatch {
	var placed []schema.EventBatch
	for _, batch := range b.batches {
		if position, ok := places[batch.ID]; ok {
			batch.Events = slices.Clone(batch.Events)
			for i := range batch.Events {
				batch.Events[i].Position = position
			}
			placed = append(placed, batch)
		}
	}
	return placed
}

// store gives a block's batches their places, brings it to ClickHouse, takes its marks off
// the outbox, and acknowledges it: in this order, so that a crash repeats events and loses
// none. It tries for as long as it takes and returns false when ctx has ended before.
func (s *Sink) store(ctx context.Context, b *block) bool {
	var placed []schema.EventBatch
	place := func(ctx context.Context) error {
		places, err := s.marks.Place(ctx, idsOf(b.batches))
		placed = b.placed(places)
		return err
	}
	if err := s.patiently(ctx, "placing events failed", always, place); err != nil {
		return false
	}
	stored, ok := s.insert(ctx, placed)
	if !ok {
		return false
	}
	mark := func(ctx context.Context) error { return s.marks.Stored(ctx, stored) }
	if err := s.patiently(ctx, "taking marks off the outbox failed", always, mark); err != nil {
		return false
	}
	for _, i := range b.items {
		i.message.Ack()
	}
	s.metrics.hold(nil)
	return true
}

func idsOf(batches []schema.EventBatch) []schema.BatchID {
	ids := make([]schema.BatchID, len(batches))
	for i, b := range batches {
		ids[i] = b.ID
	}
	return ids
}

// insert brings batches to ClickHouse in one block, and returns which of them are there;
// false means that ctx ended before. Where they are refused, each half goes on by itself,
// until the one at fault is alone.
func (s *Sink) insert(ctx context.Context, batches []schema.EventBatch) (stored []schema.BatchID, ok bool) {
	if len(batches) == 0 {
		return nil, true
	}
	err := s.insertEvents(ctx, eventsOf(batches))
	switch half := len(batches) / 2; {
	case err == nil:
		return idsOf(batches), true
	case ctx.Err() != nil:
		return nil, false
	case half == 0:
		return s.insertPart(ctx, batches[0], err)
	default:
		first, ok := s.insert(ctx, batches[:half])
		if !ok {
			return nil, false
		}
		second, ok := s.insert(ctx, batches[half:])
		return append(first, second...), ok
	}
}

func eventsOf(batches []schema.EventBatch) []schema.Event {
	var events []schema.Event
	for _, b := range batches {
		events = append(events, b.Events...)
	}
	return events
}

// insertPart stores what it can of a batch that is refused: the events of a commit have
// nothing to do with each other. The rest is a fault: the outbox sends the batch again,
// which changes nothing of what is stored, or the rest is a dead letter.
func (s *Sink) insertPart(ctx context.Context, b schema.EventBatch, refusal error) (stored []schema.BatchID, ok bool) {
	refused, refusal := s.sift(ctx, b.Events, refusal)
	switch {
	case ctx.Err() != nil:
		return nil, false
	case len(refused) == 0:
		return []schema.BatchID{b.ID}, true
	default:
		b.Events = refused
		return nil, s.note(ctx, refusalOf(b, refusal))
	}
}

// sift stores those of the refused events that are not at fault, and returns the others
// with what was said to the last of them.
func (s *Sink) sift(ctx context.Context, events []schema.Event, refusal error) (refused []schema.Event, last error) {
	if len(events) == 1 {
		return events, refusal
	}
	half := len(events) / 2
	for _, part := range [][]schema.Event{events[:half], events[half:]} {
		err := s.insertEvents(ctx, part)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			more, err := s.sift(ctx, part, err)
			refused, last = append(refused, more...), err
		}
	}
	return refused, last
}

// insertEvents brings events to ClickHouse in one block, for as long as it does not answer.
func (s *Sink) insertEvents(ctx context.Context, events []schema.Event) error {
	return s.patiently(ctx, "storing events failed", isUnavailable, func(ctx context.Context) error {
		start := time.Now()
		err := guarded(func() error { return s.blocks.Insert(ctx, events) })
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

// always is for what has no fault but that the database is away.
func always(error) bool { return true }

// patiently does something until it works, or fails in a way that trying again does not
// help, or ctx ends.
func (s *Sink) patiently(ctx context.Context, failed string, mends func(error) bool, do func(context.Context) error) error {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		try, cancel := context.WithTimeout(ctx, tryTimeout)
		err := do(try)
		cancel()
		if err == nil || ctx.Err() != nil || !mends(err) {
			return err
		}
		s.logger.WarnContext(ctx, failed, "err", err, "again", wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}
