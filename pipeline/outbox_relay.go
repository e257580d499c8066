package pipeline

import (
	"context"
	"time"

	"crier/schema"
)

type outboxStore interface {
	// Unsent returns batches after a cursor that still have the mark and were sent longer
	// than age ago, and the next cursor.
	Unsent(ctx context.Context, mark schema.Owed, after schema.BatchID, age time.Duration, limit int) (batches []schema.EncodedEvents, next schema.BatchID, err error)
	// Owed returns how many of batches still have the mark.
	Owed(ctx context.Context, mark schema.Owed, batches []schema.BatchID) (int, error)
}

const (
	relayEvery = 2 * time.Second
	// unsentAfter is how long a consumer may take before its events are sent again.
	unsentAfter = 10 * time.Second
	// The number of batches that are sent at a time adapts between these two.
	minRelay, maxRelay = 20, 5000
)

// outboxRelay sends the outbox's events again that one consumer has not handled: their
// messages were lost, or trimmed while the consumer was away. It sends as fast as the
// consumer handles them, so that one which is away for hours does not fill the log with
// copies.
type outboxRelay struct {
	store    outboxStore
	announce func(schema.Announcement)
	mark     schema.Owed

	after  schema.BatchID // cursor of the scan over the outbox
	window int
	sent   []schema.BatchID
	sentAt time.Time
}

func newOutboxRelay(store outboxStore, announce func(schema.Announcement), mark schema.Owed) *outboxRelay {
	return &outboxRelay{store: store, announce: announce, mark: mark, window: minRelay}
}

// relay sends the next batches, unless most of the last ones are not handled yet.
func (r *outboxRelay) relay(ctx context.Context) (rows int, more bool, err error) {
	now := time.Now()
	owed, err := r.owed(ctx)
	if err != nil {
		return 0, false, err
	}
	switch handled := len(r.sent) - owed; {
	case handled > owed:
		r.window = min(2*r.window, maxRelay)
	case owed > 0 && now.Sub(r.sentAt) < unsentAfter:
		return 0, false, nil
	default:
		r.window = minRelay
	}
	batches, next, err := r.store.Unsent(ctx, r.mark, r.after, unsentAfter, r.window)
	if err != nil {
		return 0, false, err
	}
	r.announce(schema.Announcement{Events: batches})
	r.after, r.sent, r.sentAt = next, r.sent[:0], now
	for _, b := range batches {
		r.sent = append(r.sent, b.ID)
	}
	// Others may still owe all that was looked at; then the next call goes on behind it at once.
	// What was found goes at the pace of the consumer.
	return len(batches), len(batches) == 0 && !next.IsZero(), nil
}

// owed returns how many of the batches that were sent last are not handled yet.
func (r *outboxRelay) owed(ctx context.Context) (int, error) {
	if len(r.sent) == 0 {
		return 0, nil
	}
	return r.store.Owed(ctx, r.mark, r.sent)
}
