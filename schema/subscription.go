package schema

// FreePlan is the plan of those who pay for none: who have registered, or whose
// subscription has ended.
const FreePlan = "free"

// Purchase is a plan that a workspace wants to pay for.
type Purchase struct {
	Workspace WorkspaceID // a live one
	Plan      string
	Request   string // names the request within its workspace; repeated, it is one purchase
}

// Subscription is what a workspace pays for, as the payment provider tells it.
type Subscription struct {
	ID        string // the payment provider's
	Workspace WorkspaceID
	Plan      string
	Ended     bool // for good
}
