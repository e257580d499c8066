package pipeline

import (
	"context"
	"log/slog"

	"crier/pipeline/stream"
	"crier/schema"
)

// expandStore is what turning events into deliveries asks of the database.
type expandStore interface {
	// Expand makes the deliveries that events ask for, once for each batch.
	Expand(ctx context.Context, batches []schema.EventBatch) ([]schema.NotifyMessage, error)
}

// Expand turns events into deliveries to the webhooks that subscribe to them.
type Expand struct {
	store    expandStore
	announce func(schema.Announcement)
	logger   *slog.Logger
	consumer *stream.Consumer
}

// NewExpand makes the stage.
func NewExpand(store expandStore, announce func(schema.Announcement), log *stream.Log, logger *slog.Logger) *Expand {
	e := &Expand{store: store, announce: announce, logger: logger}
	e.consumer = log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-expand", Topic: schema.TopicEvents, MaxInFlight: readAhead, Drain: consumerEnd,
	}, e.deliver)
	return e
}

// Ready tells whether the stage consumes.
func (e *Expand) Ready() error { return e.consumer.Ready() }

// Run expands events until ctx ends.
func (e *Expand) Run(ctx context.Context) error { return e.consumer.Run(ctx) }

// deliver expands what came in one fetch in one transaction. A batch that cannot be read
// is left to the outbox, which sends it again and keeps it in sight.
func (e *Expand) deliver(ctx context.Context, messages []*stream.Message) {
	var batches []schema.EventBatch
	for _, m := range messages {
		batch, err := decode[schema.EventBatch](m.Value)
		if err != nil {
			e.logger.ErrorContext(ctx, "reading events of the log failed", "err", err)
			continue
		}
		batches = append(batches, batch)
	}
	for wait := claimRetry; ; wait = min(2*wait, longestRetry) {
		notify, err := e.store.Expand(ctx, batches)
		if err == nil {
			e.announce(schema.Announcement{Notify: notify})
			break
		}
		e.logger.WarnContext(ctx, "expanding events failed", "err", err)
		if !pause(ctx, wait) {
			return
		}
	}
	for _, m := range messages {
		m.Ack()
	}
}
