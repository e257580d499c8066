package stripe

import (
	"encoding/json"

	"crier/schema"
)

// The events that change what a workspace pays for (docs.stripe.com/checkout/fulfillment,
// docs.stripe.com/billing/subscriptions/webhooks).
const (
	sessionCompleted    = "checkout.session.completed"
	sessionPaidLater    = "checkout.session.async_payment_succeeded"
	subscriptionUpdated = "customer.subscription.updated"
	subscriptionDeleted = "customer.subscription.deleted"
)

// statusUnpaid is the payment_status of a completed session whose payment is still to come.
const statusUnpaid = "unpaid"

// event is what is read of an event (docs.stripe.com/api/events/object).
type event struct {
	ID      string
	Type    string
	Created int64 // in seconds since 1970
	Data    struct{ Object json.RawMessage }
}

// session is what is read of a checkout session (docs.stripe.com/api/checkout/sessions/object).
type session struct {
	Subscription  string
	PaymentStatus string `json:"payment_status"`
	Metadata      map[string]string
}

// Notice reads what Stripe says of a subscription, by the header Stripe-Signature and the
// body as it came. It is nil for what is not about a plan. The error is Invalid where Stripe
// did not sign it, or not within five minutes.
func (s *Client) Notice(signature string, body []byte) (*schema.Subscription, error) {
	if err := s.checkSignature(signature, body); err != nil {
		return nil, schema.InvalidField("Stripe-Signature", "invalid_signature", err.Error())
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, notJSON(err)
	}
	change, err := s.subscriptionOf(e)
	if err != nil {
		return nil, notJSON(err)
	}
	return change, nil
}

func notJSON(err error) error {
	return &schema.Error{Kind: schema.Invalid, Message: "the body is no event of Stripe's", Err: err}
}

func (s *Client) subscriptionOf(e event) (*schema.Subscription, error) {
	switch e.Type {
	case sessionCompleted, sessionPaidLater:
		var object session
		err := json.Unmarshal(e.Data.Object, &object)
		return object.began(), err
	case subscriptionUpdated:
		var object subscription
		err := json.Unmarshal(e.Data.Object, &object)
		return s.changed(e, object), err
	case subscriptionDeleted:
		var object subscription
		err := json.Unmarshal(e.Data.Object, &object)
		return object.ended(), err
	default:
		return nil, nil // what another event's object looks like is not known
	}
}

// began is nil where the session is of something else that the account sells, or not paid
// yet.
func (s session) began() *schema.Subscription {
	found := concerning(s.Subscription, s.Metadata, schema.SubscriptionBegan)
	if found == nil || s.PaymentStatus == statusUnpaid {
		return nil
	}
	found.Plan = s.Metadata[metadataPlan]
	return found
}

// concerning is nil for a subscription that no checkout of crier's began.
func concerning(id string, metadata map[string]string, step schema.SubscriptionStep) *schema.Subscription {
	workspace, err := schema.ParseID[schema.WorkspaceID](metadata[metadataWorkspace])
	if err != nil || id == "" {
		return nil
	}
	return &schema.Subscription{ID: id, Workspace: workspace, Step: step}
}
