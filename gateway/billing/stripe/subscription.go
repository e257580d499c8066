package stripe

import (
	"log/slog"
	"time"

	"crier/schema"
)

// subscription is what is read of a subscription (docs.stripe.com/api/subscriptions/object).
// Its metadata is that of the checkout, whatever has become of its items since.
type subscription struct {
	ID       string
	Status   string
	Metadata map[string]string
	Items    struct {
		Data []struct{ Price struct{ ID string } }
	}
}

// The statuses of a subscription that matter here (docs.stripe.com/billing/subscriptions/overview).
const (
	statusTrialing          = "trialing"
	statusActive            = "active"
	statusSuspended         = "unpaid" // payment was tried in vain, all retries included
	statusPaused            = "paused" // a trial ended without a way to pay
	statusCanceled          = "canceled"
	statusIncompleteExpired = "incomplete_expired" // the first payment was never made
)

// ended gives no plan: that of the checkout may be gone from this server by now.
func (s subscription) ended() *schema.Subscription {
	found := concerning(s.ID, s.Metadata, schema.SubscriptionEnded)
	if found != nil {
		found.Plan = schema.FreePlan
	}
	return found
}

// changed reads what a subscription gives from its status on. While it is past_due, where
// Stripe tries to collect what is owed, and while it is incomplete, the workspace keeps the
// plan it has: a larger one is given once it is paid.
func (s *Client) changed(e event, object subscription) *schema.Subscription {
	found := concerning(object.ID, object.Metadata, schema.SubscriptionChanged)
	if found == nil {
		return nil
	}
	found.Notice, found.At = e.ID, time.Unix(e.Created, 0)
	switch object.Status {
	case statusTrialing, statusActive:
		return s.priced(found, object)
	case statusSuspended, statusPaused:
		found.Plan = schema.FreePlan
		return found
	case statusCanceled, statusIncompleteExpired:
		return object.ended()
	default:
		return nil
	}
}

// priced gives the plan of the first item that is a plan's. Without one the subscription
// keeps what it gives: Stripe cannot help it, and the operator learns of it from the log.
func (s *Client) priced(found *schema.Subscription, object subscription) *schema.Subscription {
	for _, item := range object.Items.Data {
		if plan, ok := s.plans[item.Price.ID]; ok {
			found.Plan = plan
			return found
		}
	}
	for _, item := range object.Items.Data {
		s.tellUnknownPrice(item.Price.ID, found)
	}
	return nil
}

// tellUnknownPrice logs a price once: every notice of every subscription to it would say
// the same.
func (s *Client) tellUnknownPrice(price string, found *schema.Subscription) {
	if _, logged := s.unknownPrices.LoadOrStore(price, true); logged {
		return
	}
	s.config.Logger.Warn("a subscription was changed to a price that is no plan's; its workspace keeps the plan it has",
		slog.String("price", price), slog.String("subscription", found.ID), slog.String("workspace", found.Workspace.String()))
}
