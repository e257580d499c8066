package postgrestest

import (
	"time"

	"crier/schema"
)

// NewDelivery creates a delivery of an event to a webhook.
func (f *Fixture) NewDelivery() schema.NotifyMessage {
	f.Helper()
	f.NewWebhook(schema.PostScheduled)
	f.Create(f.Post(1, time.Hour))
	messages, err := f.Notify.Expand(f.Context(), f.Events())
	if err != nil || len(messages) != 1 {
		f.Fatalf("expanded to %d deliveries, %v", len(messages), err)
	}
	return messages[0]
}

// Deliver claims a delivery and finishes it.
func (f *Fixture) Deliver(m schema.NotifyMessage, state schema.DeliveryState) {
	f.Helper()
	claimed, err := f.Notify.Claim(f.Context(), []schema.DeliveryID{m.Delivery})
	if err != nil || len(claimed) != 1 {
		f.Fatalf("claimed %d, %v", len(claimed), err)
	}
	result := schema.NotifyResult{ID: m.Delivery, Webhook: m.Webhook, Claim: claimed[0].Claim, State: state}
	f.Must(f.Notify.Finish(f.Context(), result))
}

// NewWebhook creates a webhook of the workspace.
func (f *Fixture) NewWebhook(events ...schema.EventType) schema.Webhook {
	f.Helper()
	now := f.Store.Now()
	hook := schema.Webhook{
		ID: schema.NewID[schema.WebhookID](now), Workspace: f.Workspace, URL: "https://hooks.example/secret", Secret: "s", Active: true, Events: events, CreatedAt: now,
	}
	f.Must(f.Gateway.CreateWebhook(f.Context(), hook))
	return hook
}

// EnableWebhook enables a webhook and has it redeliver what failed since a time; the zero time: nothing.
func (f *Fixture) EnableWebhook(hook schema.Webhook, since time.Time) {
	f.Helper()
	_, err := f.Gateway.UpdateWebhook(f.Context(), f.Workspace, hook.ID, func(w *schema.Webhook) error {
		w.Active, w.ConsecutiveFailures, w.DisabledAt, w.DisabledReason, w.RedeliverSince = true, 0, time.Time{}, "", since
		return nil
	})
	f.Must(err)
}
