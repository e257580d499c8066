package client

import (
	"context"
	"iter"
	"time"

	"crier/client/internal/api"
)

type (
	// Webhook is a receiver of events.
	Webhook = api.Webhook
	// WebhookUpdate changes a webhook: what is nil stays as it is.
	WebhookUpdate = api.WebhookUpdate
	// Delivery is one event sent to a webhook, with its tries.
	Delivery = api.DeliveryRecord
	// DeliveryStatus is how far a delivery is: delivered, failed, or pending where a retry follows.
	DeliveryStatus = api.DeliveryRecordStatus
	// DeliveryDetail is a delivery with what was sent.
	DeliveryDetail = api.DeliveryDetailResponse_Delivery
	// WebhookTest is what a receiver answered to a test.
	WebhookTest = api.TestResponse_Test
)

// WebhookService makes receivers of events. Package webhook verifies what they get.
type WebhookService struct{ api *caller }

// Create makes a webhook. Its Secret, by which deliveries are verified, is in this answer alone.
func (w *WebhookService) Create(ctx context.Context, url string, events ...EventName) (*Webhook, error) {
	return part(webhookOf)(w.api.post(ctx, api.WebhookCreate{URL: url, Events: events}, "webhooks"))
}

// List returns all webhooks.
func (w *WebhookService) List(ctx context.Context) ([]Webhook, error) {
	return part(func(r *api.WebhooksResponse) []Webhook { return r.Webhooks })(w.api.get(ctx, nil, "webhooks"))
}

// Get reads a webhook.
func (w *WebhookService) Get(ctx context.Context, id string) (*Webhook, error) {
	return part(func(r *api.WebhookHistoryResponse) *Webhook { return &r.Webhook })(w.api.get(ctx, nil, "webhooks", id))
}

// Update changes a webhook, or makes one active that was disabled.
func (w *WebhookService) Update(ctx context.Context, id string, change WebhookUpdate) (*Webhook, error) {
	return part(webhookOf)(w.api.patch(ctx, change, "webhooks", id))
}

// Delete ends a webhook.
func (w *WebhookService) Delete(ctx context.Context, id string) error {
	return done(w.api.delete(ctx, "webhooks", id))
}

// Test sends sample data of an event, and says what the receiver answered.
func (w *WebhookService) Test(ctx context.Context, id string, event EventName) (*WebhookTest, error) {
	return part(func(r *api.TestResponse) *WebhookTest { return &r.Test })(
		w.api.post(ctx, api.WebhookTest{Event: event}, "webhooks", id, "test"))
}

// RotateSecret makes a new secret; the one before signs too for overlap, in whole seconds up to a week.
func (w *WebhookService) RotateSecret(ctx context.Context, id string, overlap time.Duration) (*Webhook, error) {
	return part(webhookOf)(w.api.post(ctx, api.WebhookRotate{OverlapSeconds: new(int(overlap.Seconds()))}, "webhooks", id, "rotate-secret"))
}

// DeliveryFilter selects deliveries; what is zero selects all.
type DeliveryFilter struct {
	Status  DeliveryStatus
	Event   EventName
	EventID string
	After   time.Time // queued at or after it
	Before  time.Time // queued before it
}

// Deliveries iterates over what was sent to a webhook, newest first.
func (w *WebhookService) Deliveries(ctx context.Context, id string, filter DeliveryFilter) iter.Seq2[*Delivery, error] {
	params := api.SearchDeliveriesParams{
		Status: optional(api.SearchDeliveriesParamsStatus(filter.Status)), Event: optional(filter.Event), EventID: optional(filter.EventID),
		After: instant(filter.After), Before: instant(filter.Before), Limit: pageSize(0),
	}
	return pages(func(cursor string) (Page[Delivery], error) {
		params.Cursor = optional(cursor)
		return part(func(r *api.DeliveriesResponse) Page[Delivery] { return Page[Delivery]{r.Deliveries, r.NextCursor} })(
			w.api.get(ctx, &params, "webhooks", id, "deliveries"))
	})
}

// Delivery reads a delivery with what was sent.
func (w *WebhookService) Delivery(ctx context.Context, id, delivery string) (*DeliveryDetail, error) {
	return part(func(r *api.DeliveryDetailResponse) *DeliveryDetail { return &r.Delivery })(
		w.api.get(ctx, nil, "webhooks", id, "deliveries", delivery))
}

// Redeliver sends a delivery again.
func (w *WebhookService) Redeliver(ctx context.Context, id, delivery string) (*Delivery, error) {
	return part(func(r *api.DeliveryResponse) *Delivery { return &r.Delivery })(
		w.api.post(ctx, nil, "webhooks", id, "deliveries", delivery, "redeliver"))
}

// RedeliverFailed sends again what failed since a time, and says how many deliveries that were
// and whether there are more.
func (w *WebhookService) RedeliverFailed(ctx context.Context, id string, since time.Time) (sent int, more bool, err error) {
	response, err := read[api.RedeliveredResponse](w.api.post(ctx, api.Redeliver{Since: *instant(since)}, "webhooks", id, "redeliver"))
	if err != nil {
		return 0, false, err
	}
	return response.Redelivered, response.HasMore, nil
}

func webhookOf(r *api.WebhookResponse) *Webhook { return &r.Webhook }
