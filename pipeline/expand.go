package pipeline

import (
	"context"
	"slices"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
)

// expandStore is what the stage asks of the database.
type expandStore interface {
	// Expand makes the deliveries that events ask for, once for each batch.
	Expand(ctx context.Context, batches []schema.EventBatch) ([]schema.NotifyMessage, error)
	worker.FaultStore
}

// ExpandConfig is what the stage is made of.
type ExpandConfig struct {
	Shared
	Store    expandStore
	Announce func(schema.Announcement) // of the deliveries that were made
}

// NewExpand makes the stage that turns events into deliveries to the webhooks that subscribe to them.
func NewExpand(c ExpandConfig) *stream.Consumer {
	return c.Log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-expand", Topic: schema.TopicEvents, MaxInFlight: worker.ReadAhead, Drain: worker.ConsumerEnd,
	}, expand{c}.deliver)
}

type expand struct{ ExpandConfig }

// deliver expands the batches of one fetch.
func (e expand) deliver(ctx context.Context, messages []*stream.Message) {
	var batches []schema.EventBatch
	for _, m := range messages {
		batch, err := worker.Decode[schema.EventBatch](m.Value)
		if err == nil {
			if !onlyFacts(batch) {
				batches = append(batches, batch)
			}
		} else if !worker.Note(ctx, e.Store, e.Logger, worker.Unreadable(schema.StageExpand, m, err)) {
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
	return len(b.Events) > 0 && !slices.ContainsFunc(b.Events, func(e schema.Event) bool { return !e.Type.IsFact() })
}

// expand stores the deliveries of batches, and tries again for as long as the database
// does not answer; false means that ctx ended first. After a fault of ours each half is
// tried by itself, until the batch at fault is alone: the outbox sends it again, or it
// becomes a dead letter.
func (e expand) expand(ctx context.Context, batches []schema.EventBatch) bool {
	if len(batches) == 0 {
		return true
	}
	var notify []schema.NotifyMessage
	err := worker.Retry(ctx, e.Logger, "expanding events", func() (err error) {
		notify, err = e.Store.Expand(ctx, batches)
		return err
	})
	switch {
	case err == nil:
		e.Announce(schema.Announcement{Notify: notify})
		return true
	case worker.Ended(ctx, err):
		return false
	default:
		return e.isolate(ctx, batches, err)
	}
}

func (e expand) isolate(ctx context.Context, batches []schema.EventBatch, fault error) bool {
	if half := len(batches) / 2; half > 0 {
		return e.expand(ctx, batches[:half]) && e.expand(ctx, batches[half:])
	}
	b := batches[0]
	return worker.Note(ctx, e.Store, e.Logger, schema.Fault{
		Stage: schema.StageExpand, Subject: schema.Subject{ID: b.ID}, Reason: fault.Error(), Tries: 1,
		Message: schema.LogMessage{Topic: schema.TopicEvents, Key: b.ID[:], Value: worker.Encode(b)},
	})
}
