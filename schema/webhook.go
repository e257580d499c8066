package schema

import (
	"encoding/json"
	"slices"
	"time"
)

// Webhook is a receiver of a workspace's events.
type Webhook struct {
	ID                  WebhookID
	Workspace           WorkspaceID
	URL                 string
	Events              []EventType
	Secret              string      // whsec_…; sealed where it is stored
	Previous            []OldSecret // oldest first; they sign too until their time
	Active              bool
	CreatedAt           time.Time
	LastDeliveredAt     time.Time
	ConsecutiveFailures int
	DisabledAt          time.Time
	DisabledReason      string
	RedeliverSince      time.Time // what a change asks for: to send again what failed since; zero: nothing
}

// OldSecret is a secret that a rotation has replaced.
type OldSecret struct {
	Secret string    `json:"secret"`
	Until  time.Time `json:"until"`
}

// MaxOldSecrets is how many replaced secrets of a webhook sign at the same time, at most.
const MaxOldSecrets = 3

// Secrets returns what signs a request at a time, the oldest first: a receiver that reads
// one signature goes on with the secret it has.
func (w *Webhook) Secrets(at time.Time) []string {
	var secrets []string
	for _, old := range w.Previous {
		if old.Until.After(at) {
			secrets = append(secrets, old.Secret)
		}
	}
	return append(secrets, w.Secret)
}

// Rotate puts a new secret in place; the one before goes on signing until a time. Without
// an overlap all that were before end at once. It refuses where as many as can sign still:
// which of them receivers know nobody can tell, so that none may end before its time.
func (w *Webhook) Rotate(secret string, at, until time.Time) (rotated bool) {
	if !until.After(at) {
		w.Secret, w.Previous = secret, nil
		return true
	}
	w.Previous = slices.DeleteFunc(w.Previous, func(old OldSecret) bool { return !old.Until.After(at) })
	if len(w.Previous) >= MaxOldSecrets {
		return false
	}
	w.Secret, w.Previous = secret, append(w.Previous, OldSecret{w.Secret, until})
	return true
}

// WebhookPayload is the body of a webhook request.
type WebhookPayload struct {
	ID        EventID         `json:"id"`
	Event     EventType       `json:"event"`
	Test      bool            `json:"test"`
	CreatedAt time.Time       `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// Payload is the event as webhooks and GET /events show it.
func (e *Event) Payload() WebhookPayload {
	return WebhookPayload{ID: e.ID, Event: e.Type, CreatedAt: e.At, Data: e.Data}
}

// DeliveryRecord is what became of one event at one webhook.
type DeliveryRecord struct {
	ID           DeliveryID
	Event        EventType
	EventID      EventID
	State        DeliveryState
	ResponseCode int
	ResponseTime time.Duration
	Retries      int
	Error        string
	Response     string     // how the receiver answered the last try, if that failed; cut off
	DeliveredAt  time.Time  // of the last try
	Redelivers   DeliveryID // the delivery that this one repeats; zero: none
	Body         []byte     // what is sent; only where one delivery is read
}

// DeliveryRetention is how long deliveries are kept, unless the operator says otherwise.
const DeliveryRetention = 30 * 24 * time.Hour

// DeliveryFilter selects deliveries to a webhook, newest first.
type DeliveryFilter struct {
	States  []DeliveryState // empty: any
	Event   EventType       // empty: any
	EventID EventID         // zero: any
	After   time.Time       // queued at or after; zero: no bound
	Before  time.Time       // queued before; zero: no bound
	Below   DeliveryID      // older than this one; zero: no bound
	Tried   bool            // only those that were tried or have ended
	Limit   int
}

// MaxRedeliveries is how many deliveries one request sends again, at most.
const MaxRedeliveries = 1000

// DeliveryState is where a delivery stands. Its number is stored: it never changes.
type DeliveryState int16

// The states of a delivery.
const (
	DeliveryPending DeliveryState = iota
	DeliveryClaimed
	DeliveryDelivered
	DeliveryFailed
)

// String returns the state's name in the API, where a claimed delivery is pending.
func (s DeliveryState) String() string {
	switch s {
	case DeliveryDelivered:
		return "delivered"
	case DeliveryFailed:
		return "failed"
	default:
		return "pending"
	}
}

// NotifyLease is how long a claimed delivery to a webhook is another's: longer than the
// request may take.
const NotifyLease = 40 * time.Second

// NotifyDelivery is one claimed delivery to a webhook.
type NotifyDelivery struct {
	ID        DeliveryID
	Webhook   WebhookID
	Workspace WorkspaceID
	EventID   EventID
	Event     EventType
	Body      []byte
	Claim     int32
	Attempts  int
	Again     bool  // it repeats another delivery
	Enablings int32 // how often the webhook was enabled until it was claimed
	URL       string
	Secrets   []string // all sign, the oldest first

	Unreadable error // why it cannot be signed, a fault of crier's own; nil: it can
}

// NotifyResult is what one try of a delivery came to.
type NotifyResult struct {
	ID           DeliveryID
	Webhook      WebhookID
	Claim        int32
	Enablings    int32 // as it was claimed
	State        DeliveryState
	ResponseCode int // 0: no answer
	ResponseTime time.Duration
	Error        string
	Response     string // how the receiver answered, cut off
	NextIn       time.Duration
	Fact         Event // the try, for analytics
}

// Try is the fact of a try that ended at a time with an answer.
func (d *NotifyDelivery) Try(r *NotifyResult, at time.Time) Event {
	fact := DeliveryFact{
		Delivery: d.ID, Claim: d.Claim, Webhook: d.Webhook, Event: d.Event, Attempt: d.Attempts + 1, Outcome: TryRetried,
		Code: r.ResponseCode, Seconds: r.ResponseTime.Seconds(), Lateness: max(0, at.Sub(d.EventID.Time()).Seconds()),
	}
	switch r.State {
	case DeliveryDelivered:
		fact.Outcome = TryDelivered
	case DeliveryFailed:
		fact.Outcome = TryFailed
	}
	data, _ := json.Marshal(fact) // plain values: it never fails
	return Event{ID: NewID[EventID](at), Type: FactDelivery, Workspace: d.Workspace, At: at, Data: data}
}
