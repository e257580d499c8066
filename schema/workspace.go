package schema

import "time"

// Workspace is the tenant: everything belongs to one, and every query names it. A
// live workspace has a sandbox twin, a workspace of its own whose accounts resolve
// to simulators only and to which its test keys belong.
type Workspace struct {
	ID      WorkspaceID
	Name    string
	Plan    string
	Sandbox bool
}

// Plan is what a workspace may do; the operator can change the table.
type Plan struct {
	Name              string
	RequestsPerMinute int // per key
	PostsPerMonth     int // 0: no limit
	Accounts          int // 0: no limit
}

// Usage is what a workspace has used of its plan in a calendar month (UTC).
type Usage struct {
	Plan     Plan      // of a sandbox twin: its workspace's, without a limit of accounts
	Month    time.Time // its first day
	Posts    int       // created in the month, an entry of a thread counts one; only counted where the plan limits them
	Accounts int       // connected now
}

// MonthOf returns the first of the UTC month of a time: the period of plans.
func MonthOf(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

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
