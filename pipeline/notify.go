package pipeline

import (
	"context"
	"time"

	"crier/pipeline/tracing"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/recent"
	"crier/schema/retry"
)

// notifyStore is what the notify stage asks of the database.
type notifyStore interface {
	// Claim leases deliveries for one try each; those of a webhook that is gone are left
	// out.
	Claim(ctx context.Context, ids []schema.DeliveryID) ([]schema.NotifyDelivery, error)
	// Finish stores what the try came to and moves the delivery's job on, or deletes it.
	Finish(ctx context.Context, result schema.NotifyResult) error
	// GiveBack gives back a claim under which nothing was delivered: no try is counted.
	GiveBack(ctx context.Context, d schema.NotifyDelivery) error
	worker.Store
}

// Notify delivers events to webhooks: several at a time to a receiver that answers, one
// at a time to one that fails. It does not keep their order.
type Notify = worker.Worker[schema.NotifyMessage, schema.DeliveryID, schema.NotifyDelivery]

// NotifyConfig is what the notify stage is made of.
type NotifyConfig struct {
	Shared
	Store  notifyStore
	Sender *Sender
	Slots  int             // requests at a time
	Tracer *tracing.Tracer // nil: nothing is traced
}

// NewNotify makes the notify stage.
func NewNotify(c NotifyConfig) *Notify {
	known := newReceivers()
	return worker.New(worker.Config[schema.NotifyMessage]{
		Name: schema.TopicNotify, Slots: c.Slots, Log: c.Log, Store: c.Store, Logger: c.Logger, Metrics: c.Metrics.workers, Tracer: c.Tracer,
		AtOnce: known.atOnce,
	}, notify{notifyStore: c.Store, sender: c.Sender, metrics: c.Metrics, receivers: known})
}

// notify is the stage of the worker. Its store claims.
type notify struct {
	notifyStore
	worker.Unlimited[schema.DeliveryID]
	sender    *Sender
	metrics   *Metrics
	receivers receivers
}

func (notify) Place(m schema.NotifyMessage, _ schema.Host) worker.Place[schema.DeliveryID] {
	return worker.Place[schema.DeliveryID]{
		Workspace: m.Workspace, Key: worker.Key(m.Webhook), Bulkhead: worker.Bulkhead(m.Workspace), Claims: m.Delivery,
		// What a receiver failed to take comes again before newer events: else their queue would keep the
		// tries of a dead one apart, and it would not be disabled for days.
		Order: worker.Order{ID: m.Delivery},
	}
}

func (n notify) Key(d schema.NotifyDelivery) schema.DeliveryID { return d.ID }

func (n notify) send(ctx context.Context, d schema.NotifyDelivery) (Answer, error) {
	ctx, span := tracing.Child(ctx, "deliver")
	defer span.End()
	answer, err := n.sender.Send(ctx, Request{URL: d.URL, Secrets: d.Secrets, ID: d.EventID, Body: d.Body})
	if err != nil {
		span.Fail("the delivery failed")
	}
	return answer, err
}

func (n notify) Do(ctx context.Context, d schema.NotifyDelivery, _ schema.Reservation) (worker.Outcome, error) {
	n.showFirstTry(d)
	answer, err := n.send(ctx, d)
	if cutBefore(ctx, err) {
		return worker.Outcome{Store: func(ctx context.Context) error { return n.GiveBack(ctx, d) }, GivenBack: true}, nil
	}
	n.receivers.Put(worker.Key(d.Webhook), err == nil)
	result := schema.NotifyResult{
		ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, Enablings: d.Enablings, State: schema.DeliveryDelivered,
		ResponseCode: answer.Code, ResponseTime: answer.Took, Response: answer.Text,
	}
	outcome := "delivered"
	if err != nil {
		result.Error, result.State, outcome = err.Error(), schema.DeliveryFailed, "failed"
		if d.Attempts+1 < retry.Delivery.Tries {
			result.State, result.NextIn, outcome = schema.DeliveryPending, retry.Delivery.Wait(d.Attempts, 0), "retried"
		}
	}
	result.Fact = d.Try(&result, n.sender.now())
	n.metrics.deliveries.WithLabelValues(outcome).Inc()
	if err == nil && !d.Again {
		n.metrics.delivered.Observe(n.since(d).Seconds())
	}
	return worker.Outcome{Store: func(ctx context.Context) error { return n.Finish(ctx, result) }}, nil
}

// showFirstTry measures how late the first try of an event is. A redelivery that somebody
// asked for is not counted.
func (n notify) showFirstTry(d schema.NotifyDelivery) {
	if d.Again || d.Attempts > 0 {
		return
	}
	receiver := receiverSucceeds
	if n.receivers.fails(d.Webhook) {
		receiver = receiverFails
	}
	n.metrics.firstTries.WithLabelValues(receiver).Observe(n.since(d).Seconds())
}

// since returns how long ago a delivery's event happened.
func (n notify) since(d schema.NotifyDelivery) time.Duration {
	return max(0, n.sender.now().Sub(d.EventID.Time()))
}

// cutBefore reports whether a stop ended a request before it succeeded. The request may
// have arrived: receivers recognize a repeated event by its id.
func cutBefore(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }

// receivers remembers whether the last try to each webhook succeeded. One that succeeds
// gets several deliveries at once; one that fails, or is not known yet, gets one at a
// time until one succeeds: so a dead one takes a single slot.
type receivers struct {
	*recent.Cache[worker.Key, bool] // whether the last try did
}

const (
	// deliveriesAtOnce is how many requests a receiver gets at a time, from one process.
	deliveriesAtOnce = 16
	// receiversKnown is the size of a generation of receivers: what is remembered takes some 10 MB. A
	// forgotten receiver starts with one delivery at a time.
	receiversKnown = 50_000
)

func newReceivers() receivers {
	return receivers{recent.New(receiversKnown, func(worker.Key) bool { return false })}
}

// atOnce returns how many deliveries a receiver gets at a time.
func (r receivers) atOnce(key worker.Key) int {
	if succeeds, _ := r.Known(key); succeeds {
		return deliveriesAtOnce
	}
	return 1
}

// fails reports whether the last try at a receiver failed.
func (r receivers) fails(webhook schema.WebhookID) bool {
	succeeds, known := r.Known(worker.Key(webhook))
	return known && !succeeds
}
