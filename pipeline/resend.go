package pipeline

import (
	"context"
	"time"

	"crier/schema"
)

// outboxStore is what sending events again asks of the database.
type outboxStore interface {
	// Unsent returns batches behind a place that are owed to a mark's owner though they were
	// sent before that age, and the place to go on at.
	Unsent(ctx context.Context, mark schema.Owed, after schema.BatchID, age time.Duration, limit int) (batches []schema.EncodedEvents, next schema.BatchID, err error)
	// Owed returns how many of batches are still owed.
	Owed(ctx context.Context, mark schema.Owed, batches []schema.BatchID) (int, error)
}

const (
	resendEvery = 2 * time.Second
	// unsentAfter is how long an event may be on its way before it is sent again.
	unsentAfter = 10 * time.Second
	// fewest and most are how many batches are sent again at a time.
	fewest, most = 20, 5000
)

// resender sends events again to one who owes their effect: messages the log has lost, or
// trimmed while nobody read them. It sends more only as fast as what it sent is handled;
// whoever is away for hours does not fill the log with what it holds already.
type resender struct {
	store    outboxStore
	announce func(schema.Announcement)
	mark     schema.Owed

	after  schema.BatchID // how far the round over the outbox is
	window int
	sent   []schema.BatchID
	sentAt time.Time
}

func newResender(store outboxStore, announce func(schema.Announcement), mark schema.Owed) *resender {
	return &resender{store: store, announce: announce, mark: mark, window: fewest}
}

// resend sends the next batches, if it is time for some.
func (r *resender) resend(ctx context.Context) error {
	now := time.Now()
	owed, err := r.owed(ctx)
	if err != nil {
		return err
	}
	switch handled := len(r.sent) - owed; {
	case handled > owed:
		r.window = min(2*r.window, most)
	case owed > 0 && now.Sub(r.sentAt) < unsentAfter:
		return nil
	default:
		r.window = fewest
	}
	batches, next, err := r.store.Unsent(ctx, r.mark, r.after, unsentAfter, r.window)
	if err != nil {
		return err
	}
	r.announce(schema.Announcement{Events: batches})
	r.after, r.sent, r.sentAt = next, r.sent[:0], now
	for _, b := range batches {
		r.sent = append(r.sent, b.ID)
	}
	return nil
}

// owed returns how many of those that were sent last are not handled yet.
func (r *resender) owed(ctx context.Context) (int, error) {
	if len(r.sent) == 0 {
		return 0, nil
	}
	return r.store.Owed(ctx, r.mark, r.sent)
}
