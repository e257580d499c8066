package webhooks

import (
	"time"

	"crier/gateway/answer"
	"crier/schema"
)

// webhookView is a webhook as the API shows it.
type webhookView struct {
	ID                  schema.WebhookID   `json:"id"`
	URL                 string             `json:"url"`
	Events              []schema.EventType `json:"events"`
	Secret              string             `json:"secret,omitempty"` // where it is new only
	IsActive            bool               `json:"isActive"`
	CreatedAt           answer.Moment      `json:"createdAt"`
	LastDeliveredAt     *answer.Moment     `json:"lastDeliveredAt"`
	ConsecutiveFailures int                `json:"consecutiveFailures"`
	DisabledAt          *answer.Moment     `json:"disabledAt"`
	DisabledReason      *string            `json:"disabledReason"`
	// PreviousSecretUntil is when the secrets before the last rotation stop signing.
	PreviousSecretUntil *answer.Moment `json:"previousSecretUntil"`
}

// deliveryView is what became of one event at a webhook.
type deliveryView struct {
	ID             schema.DeliveryID `json:"id"`
	Event          schema.EventType  `json:"event"`
	EventID        schema.EventID    `json:"eventId"`
	Status         string            `json:"status"`
	ResponseCode   *int              `json:"responseCode"` // null: no answer
	ResponseTimeMs int64             `json:"responseTimeMs"`
	RetryCount     int               `json:"retryCount"`
	Error          *string           `json:"error"`
	Response       *string           `json:"response"`             // of a try that failed, cut off
	DeliveredAt    answer.Moment     `json:"deliveredAt,omitzero"` // once it has ended
	QueuedAt       answer.Moment     `json:"queuedAt"`
	RedeliveryOf   schema.DeliveryID `json:"redeliveryOf,omitzero"`
}

func viewWebhook(w schema.Webhook, now time.Time) webhookView {
	var until time.Time
	if n := len(w.Previous); n > 0 && w.Previous[n-1].Until.After(now) {
		until = w.Previous[n-1].Until
	}
	return webhookView{
		ID: w.ID, URL: w.URL, Events: w.Events, IsActive: w.Active, CreatedAt: answer.Moment(w.CreatedAt),
		LastDeliveredAt: answer.MomentOrNull(w.LastDeliveredAt), ConsecutiveFailures: w.ConsecutiveFailures,
		DisabledAt: answer.MomentOrNull(w.DisabledAt), DisabledReason: answer.TextOrNull(w.DisabledReason),
		PreviousSecretUntil: answer.MomentOrNull(until),
	}
}

func viewDelivery(d schema.DeliveryRecord) deliveryView {
	v := deliveryView{
		ID: d.ID, Event: d.Event, EventID: d.EventID, Status: d.State.String(),
		ResponseTimeMs: d.ResponseTime.Milliseconds(), RetryCount: d.Retries,
		Error: answer.TextOrNull(d.Error), Response: answer.TextOrNull(d.Response),
		QueuedAt: answer.Moment(d.ID.Time()), RedeliveryOf: d.Redelivers,
	}
	if v.Status != schema.DeliveryPending.String() { // a try that is to be repeated has delivered nothing
		v.DeliveredAt = answer.Moment(d.DeliveredAt)
	}
	if d.ResponseCode != 0 {
		v.ResponseCode = &d.ResponseCode
	}
	return v
}
