package billing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// tolerance is how far a notice's time may be from now; Stripe's libraries allow as much,
// and a notice that is sent again is signed again (docs.stripe.com/webhooks).
const tolerance = 5 * time.Minute

// The events that change what a workspace pays for (docs.stripe.com/checkout/fulfillment,
// docs.stripe.com/billing/subscriptions/webhooks).
const (
	sessionCompleted    = "checkout.session.completed"
	sessionPaidLater    = "checkout.session.async_payment_succeeded"
	subscriptionDeleted = "customer.subscription.deleted"
)

// statusUnpaid is the payment_status of a completed session whose payment is still to come.
const statusUnpaid = "unpaid"

// event is what is read of an event (docs.stripe.com/api/events/object). Its object is a
// checkout session or a subscription.
type event struct {
	Type string
	Data struct {
		Object struct {
			ID            string
			Subscription  string
			PaymentStatus string `json:"payment_status"`
			Metadata      map[string]string
		}
	}
}

// Notice reads what Stripe says of a subscription, by the header Stripe-Signature and the
// body as it came. It is nil for what is not about a plan. The error is Invalid where Stripe
// did not sign it, or not within five minutes.
func (s *Stripe) Notice(signature string, body []byte) (*schema.Subscription, error) {
	if err := s.checkSignature(signature, body); err != nil {
		return nil, schema.InvalidField("Stripe-Signature", "invalid_signature", err.Error())
	}
	var kind struct{ Type string }
	if err := json.Unmarshal(body, &kind); err != nil {
		return nil, notJSON(err)
	}
	switch kind.Type {
	case sessionCompleted, sessionPaidLater, subscriptionDeleted:
	default:
		return nil, nil // what another event's object looks like is not known
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, notJSON(err)
	}
	return e.subscription(), nil
}

func notJSON(err error) error {
	return &schema.Error{Kind: schema.Invalid, Message: "the body is no event of Stripe's", Err: err}
}

// subscription is nil where the event is of something else that the account sells, or not
// paid yet.
func (e event) subscription() *schema.Subscription {
	object := e.Data.Object
	workspace, err := schema.ParseWorkspaceID(object.Metadata[metadataWorkspace])
	if err != nil {
		return nil
	}
	found := &schema.Subscription{ID: object.Subscription, Workspace: workspace, Plan: object.Metadata[metadataPlan]}
	if e.Type == subscriptionDeleted {
		found.ID, found.Ended = object.ID, true
	} else if object.PaymentStatus == statusUnpaid {
		return nil
	}
	if found.ID == "" {
		return nil
	}
	return found
}

// checkSignature checks "t=TIME,v1=SIGNATURE[,v1=…]": each v1 is the HMAC-SHA256 of the
// time in seconds, a period and the body, in hex; there are several while a secret is being
// rolled (docs.stripe.com/webhooks#verify-manually).
func (s *Stripe) checkSignature(header string, body []byte) error {
	stamp, signatures := splitSignature(header)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return errors.New("must be t=TIME,v1=SIGNATURE")
	}
	if age := s.config.Now().Sub(time.Unix(seconds, 0)); age.Abs() > tolerance {
		return fmt.Errorf("was made more than %v from now", tolerance)
	}
	mac := hmac.New(sha256.New, []byte(s.config.WebhookSecret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	for _, signature := range signatures {
		if got, err := hex.DecodeString(signature); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("is not this body's")
}

func splitSignature(header string) (stamp string, signatures []string) {
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			stamp = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	return stamp, signatures
}
