package pipeline

import (
	"context"
	"log/slog"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
)

// expandStore is what Expand asks of the database.
type expandStore interface {
	// Expand makes the deliveries that events ask for, once for each batch.
	Expand(ctx context.Context, batches []schema.EventBatch) ([]schema.NotifyMessage, error)
	worker.FaultStore
}

// Expand turns events into deliveries to the webhooks that subscribe to them.
type Expand struct {
	store    expandStore
	announce func(schema.Announcement)
	logger   *slog.Logger
	consumer *stream.Consumer
}

// ExpandConfig is what the stage is made of.
type ExpandConfig struct {
	Shared
	Store    expandStore
	Announce func(schema.Announcement) // of the deliveries that were made
}

// NewExpand makes the stage.
func NewExpand(c ExpandConfig) *Expand {
	e := &Expand{store: c.Store, announce: c.Announce, logger: c.Logger}
	e.consumer = c.Log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-expand", Topic: schema.TopicEvents, MaxInFlight: worker.ReadAhead, Drain: worker.ConsumerEnd,
	}, e.deliver)
	return e
}

// Ready reports whether the stage consumes.
func (e *Expand) Ready() error { return e.consumer.Ready() }

// Run expands events until ctx ends.
func (e *Expand) Run(ctx context.Context) error { return e.consumer.Run(ctx) }

// deliver expands the batches of one fetch.
func (e *Expand) deliver(ctx context.Context, messages []*stream.Message) {
	var batches []schema.EventBatch
	for _, m := range messages {
		batch, err := worker.Decode[schema.EventBatch](m.Value)
		if err == nil {
			if !onlyFacts(batch) {
				batches = append(batches, batch)
			}
		} else if !worker.Note(ctx, e.store, e.logger, worker.Unreadable(schema.StageExpand, m, err)) {
			return
		}
	}
	if !e.expand(ctx, batches) {
		return
	}
	for _, m := range messages {
		m.Ack()
	}
}

// onlyFacts reports whether no webhook can subscribe to anything in a batch, which then was
// never owed to this stage.
func onlyFacts(b schema.EventBatch) bool {
	for _, e := range b.Events {
		if !e.Type.IsFact() {
			return false
		}
	}
	return len(b.Events) > 0
}

// expand stores the deliveries of batches, and tries again for as long as the database
// does not answer; false means that ctx ended first. After a fault of ours each half is
// tried by itself, until the batch at fault is alone: the outbox sends it again, or it
// becomes a dead letter.
func (e *Expand) expand(ctx context.Context, batches []schema.EventBatch) bool {
	if len(batches) == 0 {
		return true
	}
	var notify []schema.NotifyMessage
	err := worker.Retry(ctx, e.logger, "expanding events", func() (err error) {
		notify, err = e.store.Expand(ctx, batches)
		return err
	})
	switch {
	case err == nil:
		e.announce(schema.Announcement{Notify: notify})
		return true
	case worker.Ended(ctx, err):
		return false
	default:
		return e.isolate(ctx, batches, err)
	}
}

func (e *Expand) isolate(ctx context.Context, batches []schema.EventBatch, fault error) bool {
	if half := len(batches) / 2; half > 0 {
		return e.expand(ctx, batches[:half]) && e.expand(ctx, batches[half:])
	}
	b := batches[0]
	return worker.Note(ctx, e.store, e.logger, schema.Fault{
		Stage: schema.StageExpand, Subject: schema.Subject{ID: b.ID}, Reason: fault.Error(), Tries: 1,
		Message: schema.LogMessage{Topic: schema.TopicEvents, Key: b.ID[:], Value: worker.Encode(b)},
	})
}
