package schema

import "time"

// FreePlan is the plan of those who pay for none: who have registered, or whose
// subscription has ended.
const FreePlan = "free"

// Purchase is a plan that a workspace wants to pay for.
type Purchase struct {
	Workspace WorkspaceID // a live one
	Plan      string
	Request   string // names the request within its workspace; repeated, it is one purchase
}

// SubscriptionStep is what became of a subscription.
type SubscriptionStep string

// The steps of a subscription.
const (
	SubscriptionBegan   SubscriptionStep = "began"   // its first payment was made
	SubscriptionChanged SubscriptionStep = "changed" // what it gives may be another plan now
	SubscriptionEnded   SubscriptionStep = "ended"   // for good
)

// Subscription is what a workspace pays for, as a notice of the payment provider tells it.
type Subscription struct {
	ID        string // the payment provider's
	Workspace WorkspaceID
	Step      SubscriptionStep
	Plan      string // that it gives; FreePlan while it is suspended for want of payment, and once it has ended

	// Of a change: notices come again and in any order.
	Notice string    // the payment provider's id of the notice, which tells one that comes again
	At     time.Time // of the change, in whole seconds
}
