package schema

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"crier/schema/lists"
)

// Workspace is the tenant: everything belongs to one, and every query names it. A
// live workspace has a sandbox twin, a workspace of its own whose accounts resolve
// to simulators only and to which its test keys belong.
type Workspace struct {
	ID      WorkspaceID
	Name    string
	Plan    string
	Sandbox bool
	Limits  LimitSet // a twin has its workspace's
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
	Limits   LimitSet  // that its posts are held to
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

// DeletionStatus is how far a deletion is. Its number is stored: it never changes.
type DeletionStatus int16

// The statuses of a deletion.
const (
	DeletionAsked    DeletionStatus = iota + 1 // nobody has confirmed it yet
	DeletionStopping                           // nothing begins any more; calls in hand end
	DeletionRemoving                           // nothing goes out any more; data goes, a chunk at a time
	DeletionDone                               // nothing is left
)

var deletionNames = [...]string{
	DeletionAsked: "asked", DeletionStopping: "stopping", DeletionRemoving: "removing", DeletionDone: "done",
}

// String returns the status's name in the API.
func (s DeletionStatus) String() string { return deletionNames[s] }

// Deletion is the end of a workspace with its sandbox, or of an account, with all of its data.
// Once it is done nothing of it says what it was of.
type Deletion struct {
	ID          DeletionID
	Workspace   WorkspaceID // zero once it is done
	Account     AccountID   // zero: all of the workspace
	OfWorkspace bool
	Status      DeletionStatus

	Posts        int64 // there were when it was asked for
	PostsRemoved int64
	RowsRemoved  int64 // of every kind

	// Zero times have not come yet.
	AskedAt, ConfirmedAt, StoppedAt, EndedAt time.Time
}

// DeletionContents is what a deletion would take. Posts and media are counted up to
// MaxCounted.
type DeletionContents struct {
	Workspace string // its name
	Accounts  int
	Keys      int
	Brands    int
	Queues    int
	Webhooks  int
	Posts     int // of any status, those of the past too
	Open      int // of Posts, those that are still to go out
	Media     int
}

// MaxCounted is how far what a deletion would take is counted.
const MaxCounted = 1_000_000

// DeletionLife is how long a deletion can be confirmed.
const DeletionLife = 15 * time.Minute

// DeletionRetention is how long it can be asked what became of a deletion that is done.
const DeletionRetention = 90 * 24 * time.Hour

// Erasure is what is to be erased of ClickHouse.
type Erasure struct {
	Workspaces []WorkspaceID
	Account    AccountID // zero: all of the workspaces
}

// Person is somebody who has consented to accounts, in any workspace.
type Person struct {
	Platform Platform
	ID       string // the platform's
}

// Hash is what is kept of a person: crier finds the accounts by it, and nobody the person.
func (p Person) Hash() []byte {
	sum := sha256.Sum256([]byte(p.Platform.String() + " " + p.ID))
	return sum[:]
}

// LimitSet says which limits the posts of a workspace are held to. Its number is stored: it never
// changes.
type LimitSet int16

// The sets.
const (
	SpecificationLimits LimitSet = iota // those of the specification's tables: the default
	PlatformLimits                      // those of the platform itself, of the very account where it tells
)

var limitSetNames = [...]string{SpecificationLimits: "specification", PlatformLimits: "platform"}

// String returns the name in the API.
func (s LimitSet) String() string {
	return lists.Name(s, SpecificationLimits, limitSetNames[:], "limits")
}

// ParseLimitSet returns the set of that name.
func ParseLimitSet(name string) (LimitSet, error) {
	if s := slices.Index(limitSetNames[:], name); s >= 0 {
		return LimitSet(s), nil
	}
	return 0, fmt.Errorf("%q is no set of limits: specification and platform are", name)
}

// MarshalText makes the set its name in JSON.
func (s LimitSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
