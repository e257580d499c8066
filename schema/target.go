package schema

import "time"

// Target is one post bound for one account: the unit the pipeline moves, retries,
// limits and fails.
type Target struct {
	N        int16 // position in the post, from 0; with the post's id its name
	Account  AccountID
	Platform Platform
	Content  string // overrides the post's text; empty: no override
	// FirstStep is StepPrepare where the first entry needs preparing on this platform.
	FirstStep Step
	State     TargetState
	Receipts  []Receipt // what is known of each published entry, in order of position
	Entry     int       // the current entry, or the one it ended with
	Unsettled EntrySet  // entries that ended without anybody knowing whether they are there
	Comments  []Comment
	Error     *TargetError // why it failed, or why its last try did
	NextAt    time.Time    // not before this time; zero: at once
	Attempts  int          // failed platform calls of the current entry
	PostedAt  time.Time
	Hold      *Hold     // why nothing of it goes out at present; nil: nothing holds it
	ChargedOn time.Time // the UTC day of whose daily cap it holds a unit; zero: it holds none
}

// TargetRef names a target at a version of its post.
type TargetRef struct {
	Post    PostID
	N       int16
	Version int32
}

// TargetState is where a target stands. Its number is stored: it never changes.
type TargetState int16

// The states of a target.
const (
	TargetPending TargetState = iota // waits for its time, a retry or the next step
	TargetClaimed                    // leased by a worker
	TargetPosted
	TargetFailed
	TargetCancelled
)

// String returns the state's name in the API, where a claimed target is pending.
func (s TargetState) String() string {
	switch s {
	case TargetPosted:
		return "posted"
	case TargetFailed:
		return "failed"
	case TargetCancelled:
		return "cancelled"
	default:
		return "pending"
	}
}

// TargetError is why a try of a target failed, safe to show.
type TargetError struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	At      time.Time `json:"at,omitzero"`
	// Lost is why the call has no answer whose outcome is looked for; empty: nobody knows.
	Lost string `json:"lost,omitempty"`
}

// DayOf returns the UTC day of a time, at its midnight: the period of daily caps.
func DayOf(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// IsOpen reports whether the target has not ended.
func (t *Target) IsOpen() bool { return t.State == TargetPending || t.State == TargetClaimed }

// Releases reports whether a target that is cancelled gives its unit of the daily cap back:
// nothing of it is on the platform or may be.
func (t Target) Releases() bool {
	return t.State == TargetPending && len(t.Receipts) == 0 && t.Unsettled == 0 &&
		(t.Error == nil || t.Error.Code != CodeOutcomeUnknown)
}

// EntrySet is a set of entries of a post, by their positions. Its bits are stored: bit i
// stands for the entry at i.
type EntrySet int32

// Has reports whether an entry is in the set.
func (s EntrySet) Has(entry int) bool { return s&(1<<entry) != 0 }

// With returns the set with an entry.
func (s EntrySet) With(entry int) EntrySet { return s | 1<<entry }

// Without returns the set without an entry.
func (s EntrySet) Without(entry int) EntrySet { return s &^ (1 << entry) }

// From returns the entries of the set that are not before a position.
func (s EntrySet) From(entry int) EntrySet { return s &^ (1<<entry - 1) }

// Receipt is what is known of one published entry or comment.
type Receipt struct {
	Entry    int       `json:"entry"`           // position of the entry, from 0
	NativeID string    `json:"id,omitempty"`    // id on the platform
	URL      string    `json:"url,omitempty"`   // public address, if the platform has one
	PostedAt time.Time `json:"at,omitzero"`     // UTC
	State    string    `json:"state,omitempty"` // what the connector needs to hang the next entry on it
	Open     bool      `json:"open,omitempty"`  // the platform goes on by itself; Find closes it
}

// Comment is one first comment of a target, or a reply to somebody: asked for, and what
// became of it.
type Comment struct {
	ID       CommentID
	ReplyTo  *ReplyTo // what a reply answers; nil: it is a first comment
	Position int      // index among the post's first comments
	Entry    int      // the entry it belongs to, from 0
	Text     string
	State    CommentState
	NativeID string
	URL      string
	PostedAt time.Time
	Error    *TargetError
}

// CommentState is where a first comment or a reply stands. Its number is stored: it never changes.
type CommentState int16

// The states of a first comment or a reply.
const (
	CommentPending CommentState = iota
	CommentClaimed
	CommentPosted
	CommentFailed
	CommentSkipped // its entry was not published
)

// String returns the state's name in the API, where a claimed comment is pending.
func (s CommentState) String() string {
	switch s {
	case CommentPosted:
		return "posted"
	case CommentFailed:
		return "failed"
	case CommentSkipped:
		return "skipped"
	default:
		return "pending"
	}
}
