package schema

import "time"

// HoldKind is why work is held. Its number is stored: it never changes.
type HoldKind int16

// The kinds of holds. What a pause holds goes on when it is resumed, or misses its
// deadline; what is under review waits for a person.
const (
	WorkspacePaused HoldKind = iota + 1
	AccountPaused
	PlatformPaused
	UnderReview // a post that was overdue when crier was started with --hold-overdue
)

var holdNames = [...]string{
	WorkspacePaused: "workspace_paused", AccountPaused: "account_paused", PlatformPaused: "platform_paused", UnderReview: "under_review",
}

// String returns the kind's name in the API.
func (k HoldKind) String() string { return holdNames[k] }

// Hold is a hold on the work of a workspace, an account, a platform or a post; the field
// of its kind is set.
type Hold struct {
	Kind      HoldKind
	Workspace WorkspaceID
	Account   AccountID
	Platform  Platform
	Post      PostID
	Reason    string // the operator's, shown to users
	Since     time.Time
}

// Holds tells whether the hold is on a target of a post.
func (h Hold) Holds(p *Post, t *Target) bool {
	if t.State != TargetPending && t.State != TargetClaimed {
		return false
	}
	switch h.Kind {
	case WorkspacePaused:
		return h.Workspace == p.Workspace
	case AccountPaused:
		return h.Account == t.Account
	case PlatformPaused:
		return h.Platform == t.Platform
	default:
		return h.Post == p.ID
	}
}

// Overdue is what is past its time and not done.
type Overdue struct {
	Oldest  time.Duration // past its time, of what is not held; 0: nothing is
	Waiting int           // posts and first comments that wait, for whatever reason
	Held    int           // of them
}
