package schema

import (
	"cmp"
	"time"
)

// Overdue is what is past its time and not done.
type Overdue struct {
	Oldest  time.Duration // how late the oldest that is not held is; 0: there is none
	Waiting int           // posts and first comments that wait, for any reason
	Held    int           // of them
	Paused  int           // of those that are held: by a member's pause alone
}

// MaxFaults is how often handling the same thing may fail by a fault of crier's own
// within FaultMemory. Then it is a dead letter, which only a replay brings back.
const MaxFaults = 5

// FaultMemory is how long a fault counts.
const FaultMemory = time.Hour

// FaultWait returns how long to wait after a number of faults on the same thing.
func FaultWait(faults int) time.Duration { return time.Duration(faults) * SettleTime }

// The stages that are not named after their topic.
const (
	StageExpand    = "expand"    // events into deliveries
	StageAnalytics = "analytics" // events into ClickHouse
)

// Stages returns all stages that make dead letters.
func Stages() []string {
	return []string{TopicDelay, TopicPublish, TopicComment, TopicNotify, TopicRefresh, TopicCollect, StageExpand, StageAnalytics}
}

// Fault is a stage's failure on something by a fault of crier's own.
type Fault struct {
	Stage   string
	Subject Subject
	Claim   OpenClaim
	Message LogMessage
	Reason  string
	Tries   int
	Final   bool // trying again is of no use
}

// LogMessage is a message as it was in the log.
type LogMessage struct {
	Topic     string
	Partition int
	Key       []byte
	Value     []byte
}

// DeadLetter is what a stage has given up on.
type DeadLetter struct {
	ID      DeadLetterID
	Stage   string
	Subject Subject
	// Unreadable: it is a message, whose row in PostgreSQL is not known. A replay writes
	// it to the log again.
	Unreadable bool
	Message    LogMessage
	Reason     string
	Tries      int
	FailedAt   time.Time // last
}

// About returns the id of the subject as the API and the log show it; empty if it is not
// known.
func (l DeadLetter) About() string {
	id := l.Subject.ID
	switch {
	case l.Unreadable:
		return ""
	case l.Stage == TopicPublish:
		return PostID(id).String()
	case l.Stage == TopicComment:
		return CommentID(id).String()
	case l.Stage == TopicNotify:
		return DeliveryID(id).String()
	case l.Stage == TopicRefresh:
		return AccountID(id).String()
	case l.Stage == TopicCollect:
		return CollectionID(id).String()
	case l.Stage == TopicDelay:
		return JobID(id).String()
	default:
		return BatchID(id).String()
	}
}

// DeadMissed is the error of a dead letter that was not published before its deadline.
func DeadMissed(at time.Time) *TargetError {
	return &TargetError{Code: CodeMissedDeadline, Message: "crier failed on this post by a fault of its own until it was too late; retry it if it still should go out", At: at}
}

// DeadUnknown is the error of a dead letter of which nobody knows whether it was
// published.
func DeadUnknown(at time.Time) *TargetError {
	return &TargetError{Code: CodeOutcomeUnknown, Message: "crier failed to find out whether this was published; a retry looks first where the platform can be asked", At: at}
}

// RestoredReply is the error of a reply that had not gone out when a backup was made which is
// restored.
func RestoredReply(at time.Time) *TargetError {
	return &TargetError{Code: CodeOutcomeUnknown, Message: "crier was restored from a backup that is older than this reply's outcome: look at the conversation, and reply anew if it is not there", At: at}
}

// Observation is what maintenance measures from time to time, for metrics.
type Observation struct {
	OldestEvents time.Duration // age of the oldest events that webhooks or analytics have not handled; 0: none
	Accounts     map[Platform]AccountCounts
}

// AccountCounts are the connected accounts of a platform, in live workspaces.
type AccountCounts struct {
	Connected     int
	NeedReconnect int // of Connected
}

// Sweep is one of the periodic repairs of rows that no job would bring back, and of
// counters that are wrong: each scans a table of its own.
type Sweep string

// The sweeps.
const (
	SweepPosts       Sweep = "posts"        // all that are due
	SweepRecentPosts Sweep = "recent_posts" // those that became due some minutes ago: they are found soon, however many others there are
	SweepJobs        Sweep = "jobs"
	SweepComments    Sweep = "comments"
	SweepDeliveries  Sweep = "deliveries"
	SweepRenewals    Sweep = "renewals"
	SweepCollections Sweep = "collections"
)

// Sweeps returns all of them.
func Sweeps() []Sweep {
	return []Sweep{SweepPosts, SweepRecentPosts, SweepJobs, SweepComments, SweepDeliveries, SweepRenewals, SweepCollections}
}

// Retention is how long what has ended is kept. What is open is never deleted.
type Retention struct {
	Posts      time.Duration // from the end, to the end of its month; zero: PostRetention
	Deliveries time.Duration // to webhooks; zero: DeliveryRetention
	Attempts   time.Duration // of the timeline; zero: AttemptRetention
	Media      time.Duration // since no post needs it; zero: UnusedUploadLife
	Analytics  time.Duration // events and figures in ClickHouse, to the end of their month; zero: AnalyticsRetention
	Audit      time.Duration // the audit log, to the end of its month; zero: AuditRetention
	Inbox      time.Duration // what other people wrote, in ClickHouse, to the end of its month; zero: InboxRetention
}

// How long ClickHouse keeps events and figures, and what other people wrote.
const (
	AnalyticsRetention = 730 * 24 * time.Hour
	InboxRetention     = 365 * 24 * time.Hour
)

// AuditRetention is how long the audit log is kept.
const AuditRetention = 400 * 24 * time.Hour

// PostRetention is how long posts are kept once they have ended.
const PostRetention = 730 * 24 * time.Hour

// OrDefaults fills in what is not set.
func (r Retention) OrDefaults() Retention {
	return Retention{
		Posts: cmp.Or(r.Posts, PostRetention), Deliveries: cmp.Or(r.Deliveries, DeliveryRetention), Attempts: cmp.Or(r.Attempts, AttemptRetention),
		Media: cmp.Or(r.Media, UnusedUploadLife), Analytics: cmp.Or(r.Analytics, AnalyticsRetention), Inbox: cmp.Or(r.Inbox, InboxRetention),
		Audit: cmp.Or(r.Audit, AuditRetention),
	}
}

// Restore is a moment that the database went back to: a backup that was restored, or a recovery. What
// was open then is held until a person decides, since nobody knows what became of it afterwards.
type Restore struct {
	To       time.Time // the moment of the backup
	MarkedAt time.Time // when crier was told: what was created since is not held
	LastID   [16]byte  // no post, comment or key of the backup has a higher id
	// EventsUntil is the time of the newest event of ClickHouse, where it outlived the restore: its
	// events tell what became of posts until then. Zero: it has none from after the backup.
	EventsUntil time.Time
}

// FindingKind is what is known of a post since the moment that was restored. Its number is stored: it
// never changes.
type FindingKind int16

// The kinds of findings. The first are events of ClickHouse, the last ones come of looks at platforms.
const (
	FoundCancelled  FindingKind = iota + 1
	FoundUpdated                // edited: the backup has an older text, time or target
	FoundPublished              // a target went out
	FoundFailed                 // a target failed
	FoundOnPlatform             // a look shows it on its platform
	LookCannotTell              // the platform shows posts of this kind to nobody
)

var findingNames = [...]string{
	FoundCancelled: "cancelled", FoundUpdated: "edited", FoundPublished: "published", FoundFailed: "failed",
	FoundOnPlatform: "on the platform", LookCannotTell: "cannot tell",
}

// String is how operators are told.
func (k FindingKind) String() string { return findingNames[k] }

// Finding is something that is known of a post since the moment that was restored.
type Finding struct {
	Post          PostID
	N             int16 // the target; -1: the whole post
	Kind          FindingKind
	At            time.Time
	NativeID, URL string // of what a look has found
}

// SandboxSuffix is how operators are told the sandbox of a workspace, behind the name of both.
const SandboxSuffix = " (sandbox)"

// HeldSelection selects posts that a restore holds. Its zero value selects all.
type HeldSelection struct {
	Posts      []PostID
	Workspaces []WorkspaceID // none: any
	Platforms  []Platform    // the posts whose platforms are exactly these; none: any
	From, To   time.Time     // when they are due: not before, and before; zero: any
	Due        HeldDue
}

// HeldDue is a part of the posts that a restore holds.
type HeldDue int

// The parts.
const (
	DueAnyTime       HeldDue = iota
	DueBeforeRestore         // overdue when the database was marked: they may be out
	DueLater
)

// HeldPlace is how far the held posts of a workspace are read, in the order for which they are scheduled.
type HeldPlace struct {
	ScheduledFor time.Time
	Post         PostID
}

// HeldDelivery is what a post that a restore holds has still to publish to an account.
type HeldDelivery struct {
	Delivery
	ScheduledFor time.Time // of the post; a retry of it is due later
}

// HeldGroup is posts that a restore holds, of a workspace, for the same platforms.
type HeldGroup struct {
	Workspace   string // its name
	Sandbox     bool
	Platforms   []Platform
	Overdue     bool // due before the restore
	Posts       int
	First, Last time.Time // when the first and the last are due
	Known       Evidence  // of how many of them what is known
}

// With returns the group with more posts of it.
func (g HeldGroup) With(more HeldGroup) HeldGroup {
	if g.Posts == 0 {
		return more
	}
	if more.First.Before(g.First) {
		g.First = more.First
	}
	if more.Last.After(g.Last) {
		g.Last = more.Last
	}
	g.Posts += more.Posts
	g.Known = g.Known.plus(more.Known)
	return g
}

// Evidence counts what is known of posts. Of one post each is 0 or 1.
type Evidence struct {
	Cancelled    int `json:"cancelled"` // as events say, like the next ones
	Edited       int `json:"edited"`
	Published    int `json:"published"`
	Failed       int `json:"failed"`
	Found        int `json:"onThePlatform"`       // a look shows all of them there that was to be published
	Disconnected int `json:"accountDisconnected"` // an account of theirs was disconnected afterwards
	CannotTell   int `json:"nobodyCanTell"`       // neither an event nor a look would show that they are out
	Waiting      int `json:"notLookedAtYet"`      // an account of theirs is still to be looked at
}

func (e Evidence) plus(o Evidence) Evidence {
	return Evidence{
		Cancelled: e.Cancelled + o.Cancelled, Edited: e.Edited + o.Edited, Published: e.Published + o.Published, Failed: e.Failed + o.Failed,
		Found: e.Found + o.Found, Disconnected: e.Disconnected + o.Disconnected, CannotTell: e.CannotTell + o.CannotTell,
		Waiting: e.Waiting + o.Waiting,
	}
}

// Release is how posts that a restore holds are released.
type Release struct {
	// Named: each was named by its id, so that what is known of it is no reason to keep it.
	Named bool
	// AcceptDuplicate: they go out although nobody can tell whether they are out.
	AcceptDuplicate bool
}

// Why a post stays held that was to be released.
const (
	HeldCancelled    = "cancelled after the backup"
	HeldPublished    = "out already, as an event says; a second one goes out only by --post with --accept-duplicate"
	HeldEdited       = "edited after the backup, which has what was there before"
	HeldDisconnected = "an account of theirs was disconnected after the backup"
	HeldUncertain    = "nobody can tell whether they are out"
	HeldUnchecked    = "crier has not looked yet whether they are on their platforms"
)

// Keeps returns why a post of which this is known stays held; empty: it does not. What is on its platform
// is released: it is looked for before it would be published, and found.
func (r Release) Keeps(e Evidence) string {
	switch {
	case e.Found > 0:
		return ""
	case e.Cancelled > 0 && !r.Named:
		return HeldCancelled
	case e.Published > 0 && (!r.Named || !r.AcceptDuplicate):
		return HeldPublished
	case e.Edited > 0 && !r.Named:
		return HeldEdited
	case e.Disconnected > 0 && !r.Named:
		return HeldDisconnected
	case e.Waiting > 0 && !r.AcceptDuplicate:
		return HeldUnchecked
	case e.CannotTell > 0 && !r.AcceptDuplicate:
		return HeldUncertain
	default:
		return ""
	}
}

// NewestKnown is how new the events are that the database knows of.
type NewestKnown struct {
	Position int64     // the last that it has given to events, or when it was marked as restored if that is later
	At       time.Time // the time of that
	Empty    bool      // it has no posts that could go out twice
}
