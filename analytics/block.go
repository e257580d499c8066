package analytics

import (
	"context"
	"maps"
	"slices"
	"time"

	"crier/schema"
)

// block is what is stored at once. While ClickHouse is away the outbox sends its batches
// again and again: of a batch that came several times, the events are taken once.
type block struct {
	items   []item
	batches map[schema.BatchID]bool
	events  []schema.Event
	origins []schema.BatchID // of each event
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
	b := &block{batches: map[schema.BatchID]bool{}}
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
		if !b.batches[i.batch.ID] {
			b.batches[i.batch.ID] = true
			b.events = append(b.events, i.batch.Events...)
			for range i.batch.Events {
				b.origins = append(b.origins, i.batch.ID)
			}
		}
	}
}

// placed returns the events of the batches that have a place, with it.
func (b *block) placed(places map[schema.BatchID]int64) []schema.Event {
	events := make([]schema.Event, 0, len(b.events))
	for n, e := range b.events {
		if position, ok := places[b.origins[n]]; ok {
			e.Position = position
			events = append(events, e)
		}
	}
	return events
}

// store gives a block's batches their places, brings it to ClickHouse, takes its marks off
// the outbox, and acknowledges it: in this order, so that a crash repeats events and loses
// none. It tries for as long as it takes and returns false when ctx has ended before.
func (s *Sink) store(ctx context.Context, b *block) bool {
	batches := slices.Collect(maps.Keys(b.batches))
	var events []schema.Event
	placed := func(ctx context.Context) error {
		places, err := s.marks.Place(ctx, batches)
		events = b.placed(places)
		return err
	}
	inserted := func(ctx context.Context) error { return s.insert(ctx, events) }
	marked := func(ctx context.Context) error { return s.marks.Stored(ctx, batches) }
	if !s.patiently(ctx, "placing events failed", placed) ||
		!s.patiently(ctx, "storing events failed", inserted) ||
		!s.patiently(ctx, "taking marks off the outbox failed", marked) {
		return false
	}
	for _, i := range b.items {
		i.message.Ack()
	}
	s.metrics.hold(nil)
	return true
}

func (s *Sink) insert(ctx context.Context, events []schema.Event) error {
	start := time.Now()
	err := s.blocks.Insert(ctx, events)
	outcome := outcomeStored
	if err != nil {
		outcome = outcomeFailed
	} else {
		s.metrics.rows.Add(float64(len(events)))
	}
	s.metrics.inserts.WithLabelValues(outcome).Observe(time.Since(start).Seconds())
	return err
}

// patiently does something until it works; false means that ctx ended before.
func (s *Sink) patiently(ctx context.Context, failed string, do func(context.Context) error) bool {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		try, cancel := context.WithTimeout(ctx, tryTimeout)
		err := do(try)
		cancel()
		if err == nil {
			return true
		}
		if ctx.Err() == nil {
			s.logger.WarnContext(ctx, failed, "err", err, "again", wait)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
}
