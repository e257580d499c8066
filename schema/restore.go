package schema

import "time"

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

// HeldSelection selects posts that a restore holds. Its zero value selects all.
type HeldSelection struct {
	Posts     []PostID
	Workspace WorkspaceID // zero: any
	Platforms []Platform  // the posts whose platforms are exactly these; none: any
	From, To  time.Time   // when they are due: not before, and before; zero: any
	Due       HeldDue
}

// HeldDue is a part of the posts that a restore holds.
type HeldDue int

// The parts.
const (
	DueAnyTime       HeldDue = iota
	DueBeforeRestore         // overdue when the database was marked: they may be out
	DueLater
)

// HeldPlace is how far the held posts of a workspace are read, in the order in which they are due.
type HeldPlace struct {
	Due  time.Time
	Post PostID
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
}

func (e Evidence) plus(o Evidence) Evidence {
	return Evidence{
		Cancelled: e.Cancelled + o.Cancelled, Edited: e.Edited + o.Edited, Published: e.Published + o.Published, Failed: e.Failed + o.Failed,
		Found: e.Found + o.Found, Disconnected: e.Disconnected + o.Disconnected, CannotTell: e.CannotTell + o.CannotTell,
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
	KeptCancelled    = "cancelled after the backup"
	KeptPublished    = "out already, as an event says"
	KeptEdited       = "edited after the backup, which has what was there before"
	KeptDisconnected = "an account of theirs was disconnected after the backup"
	KeptUntold       = "nobody can tell whether they are out"
)

// Keeps returns why a post of which this is known stays held; empty: it does not. What is on its platform
// is released: it is looked for before it would be published, and found.
func (r Release) Keeps(e Evidence) string {
	switch {
	case e.Found > 0:
		return ""
	case e.Cancelled > 0 && !r.Named:
		return KeptCancelled
	case e.Published > 0 && (!r.Named || !r.AcceptDuplicate):
		return KeptPublished
	case e.Edited > 0 && !r.Named:
		return KeptEdited
	case e.Disconnected > 0 && !r.Named:
		return KeptDisconnected
	case e.CannotTell > 0 && !r.AcceptDuplicate:
		return KeptUntold
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
