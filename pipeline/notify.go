package pipeline

import (
	"context"
	"log/slog"
	"time"

	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/schema"
)

// notifyStore is what delivering to webhooks asks of the database.
type notifyStore interface {
	// Claim leases deliveries for one try each; those of a webhook that is gone are left
	// out.
	Claim(ctx context.Context, ids []schema.DeliveryID) ([]schema.NotifyDelivery, error)
	// Finish stores what the try came to and moves the delivery's job on, or deletes it.
	Finish(ctx context.Context, result schema.NotifyResult) error
	faultStore
}

// retries are the waits before the second, third and fourth try of a delivery.
var retries = [...]time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}

// Notify delivers events to webhooks, one at a time for each receiver.
type Notify struct {
	caller  caller[schema.NotifyMessage, schema.NotifyDelivery]
	store   notifyStore
	sender  *Sender
	metrics *Metrics
	logger  *slog.Logger
}

// NewNotify makes the notify stage; slots is how many requests it makes at a time.
func NewNotify(store notifyStore, sender *Sender, log *stream.Log, slots int, logger *slog.Logger, metrics *Metrics, tracer *tracing.Tracer) *Notify {
	n := &Notify{store: store, sender: sender, metrics: metrics, logger: logger}
	n.caller = caller[schema.NotifyMessage, schema.NotifyDelivery]{
		name: schema.TopicNotify, log: log, logger: logger, metrics: metrics, faults: store, slots: slots, tracer: tracer,
		place: func(m schema.NotifyMessage) (schema.WorkspaceID, lane, bulkhead) {
			return m.Workspace, lane(m.Webhook), bulkhead(m.Workspace)
		},
		claim:  n.claim,
		origin: func(d schema.NotifyDelivery) schema.NotifyMessage { return schema.NotifyMessage{Delivery: d.ID} },
		same:   func(m schema.NotifyMessage) schema.NotifyMessage { return schema.NotifyMessage{Delivery: m.Delivery} },
		step:   n.step,
	}
	n.caller.start()
	return n
}

// Ready tells whether the stage consumes.
func (n *Notify) Ready() error { return n.caller.consumer.Ready() }

// Run delivers until ctx ends, then finishes the requests in hand within drain.
func (n *Notify) Run(ctx context.Context, drain time.Duration) error { return n.caller.run(ctx, drain) }

func (n *Notify) claim(ctx context.Context, messages []schema.NotifyMessage) ([]schema.NotifyDelivery, error) {
	ids := make([]schema.DeliveryID, len(messages))
	for i, m := range messages {
		ids[i] = m.Delivery
	}
	return n.store.Claim(ctx, ids)
}

func (n *Notify) send(ctx context.Context, d schema.NotifyDelivery) (Answer, error) {
	ctx, span := tracing.Child(ctx, "deliver")
	defer span.End()
	answer, err := n.sender.Send(ctx, Request{URL: d.URL, Secrets: d.Secrets, ID: d.EventID, Body: d.Body})
	if err != nil {
		span.Fail("the delivery failed")
	}
	return answer, err
}

func (n *Notify) step(ctx context.Context, d schema.NotifyDelivery) (again bool, err error) {
	answer, err := n.send(ctx, d)
	result := schema.NotifyResult{
		ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, State: schema.DeliveryDelivered,
		ResponseCode: answer.Code, ResponseTime: answer.Took, Response: answer.Text,
	}
	outcome := "delivered"
	if err != nil {
		result.Error, result.State, outcome = err.Error(), schema.DeliveryFailed, "failed"
		if d.Attempts < len(retries) {
			result.State, result.NextIn, outcome = schema.DeliveryPending, retries[d.Attempts], "retried"
		}
	}
	n.metrics.deliveries.WithLabelValues(outcome).Inc()
	_, err = persist(ctx, n.logger, func(ctx context.Context) error { return n.store.Finish(ctx, result) })
	return false, err
}
