package schema

import (
	"slices"
	"time"

	"crier/schema/lists"
)

// Attempt is one line of a post's timeline: something that happened to the post, to an
// entry of one target, or to a first comment.
type Attempt struct {
	At      time.Time
	Kind    AttemptKind
	N       int16 // position of the target; WholePost: it is about all of them
	Comment int16 // position of the first comment; NoComment: it is about an entry
	Entry   int   // position of the entry, from 0
	Tries   int   // failed calls of the entry so far
	Code    string
	Message string    // safe to show
	NextAt  time.Time // when it goes on; zero: at once, or not at all

	NativeID string // of what was published
	URL      string
}

// Values of Attempt.N and Attempt.Comment that are not positions.
const (
	WholePost = -1
	NoComment = -1
)

// AttemptKind is what happened. Its number is stored: it never changes.
type AttemptKind int16

// The kinds of attempts. Creation and publications are known from the post's own rows and
// are not stored again.
const (
	AttemptCreated     AttemptKind = iota + 1
	AttemptUpdated                 // by the user, and scheduled again
	AttemptCancelled               // by the user
	AttemptRetried                 // by the user
	AttemptProcessing              // the platform works on the media, or on the post
	AttemptDeferred                // the platform asked to wait, an open breaker or a limit delays calls, or a pause holds them
	AttemptRetrying                // a call failed, another follows
	AttemptUnknown                 // the answer of a visible call was lost; crier looks for the post
	AttemptNotFound                // a look did not find the post
	AttemptFound                   // a look found the post
	AttemptEntryFailed             // an entry of a thread failed for good, the thread goes on
	AttemptPublished               // an entry or a comment
	AttemptFailed                  // for good
	AttemptSkipped                 // a comment whose entry was not published
	AttemptLookFailed              // a look failed, another follows
	AttemptIncomplete              // it is published, without something that it was to have
)

var attemptNames = [...]string{
	AttemptCreated: "created", AttemptUpdated: "updated", AttemptCancelled: "cancelled", AttemptRetried: "retried",
	AttemptProcessing: "processing", AttemptDeferred: "deferred", AttemptRetrying: "retrying",
	AttemptUnknown: "outcome_unknown", AttemptNotFound: "not_found", AttemptFound: "found", AttemptEntryFailed: "entry_failed",
	AttemptPublished: "published", AttemptFailed: "failed", AttemptSkipped: "skipped",
	AttemptLookFailed: "look_failed", AttemptIncomplete: "incomplete",
}

// String returns the kind's name in the API.
func (k AttemptKind) String() string {
	return lists.Name(k, AttemptCreated, attemptNames[:], "attempt")
}

// AttemptRetention is how long attempts are kept, and MaxAttempts how many of a post, the
// newest: a post that is throttled for a day must not fill the database.
const (
	AttemptRetention = 90 * 24 * time.Hour
	MaxAttempts      = 200
)

// RecordedWait is the shortest wait for a platform that has an attempt: a backlog has very many
// that are shorter.
const RecordedWait = time.Minute

// attempt returns the attempt to store for a step, of the kind that its result names; nil for
// plain success.
func (d Delivery) attempt(o Outcome, r Result, at time.Time) *Attempt {
	if r.kind == 0 {
		return nil
	}
	a := &Attempt{At: at, Kind: r.kind, N: d.Ref.N, Comment: NoComment, Entry: d.Entry, Tries: r.Attempts}
	if d.Comment != nil {
		a.Comment, a.Entry = int16(d.Comment.Position), d.Comment.Entry
	}
	switch r.kind {
	case AttemptFailed, AttemptEntryFailed:
		a.Code, a.Message, a.Tries = r.Error.Code, r.Error.Message, d.Attempts
		if o.Err != nil && !d.isOpen() {
			a.Tries++
		}
		return a
	case AttemptRetrying:
		if r.Error != nil {
			a.Code, a.Message = r.Error.Code, r.Error.Message
		}
	}
	if o.Err != nil {
		a.Code, a.Message = CodeOf(o.Err.Kind), o.Err.Message
	}
	if r.State == TargetPending && r.kind != AttemptFound && r.NextIn > 0 {
		a.NextAt = at.Add(r.NextIn)
	}
	return a
}

// tell has the timeline say more of a step that did not fail.
func (r *Result) tell(kind AttemptKind) {
	if r.kind != AttemptFailed && r.kind != AttemptEntryFailed {
		r.kind = kind
	}
}

// polls reports whether a look only asks whether the platform has finished its work on a
// post, rather than what became of a lost call.
func (d Delivery) polls() bool {
	return slices.ContainsFunc(d.Receipts, func(r Receipt) bool { return r.Entry == d.Entry && r.Open })
}

// Timeline returns everything that is known to have happened to a post, oldest first and
// causes before their effects: the stored attempts, and those that follow from its own
// rows.
func Timeline(p Post, stored []Attempt) []Attempt {
	all := append([]Attempt{{At: p.CreatedAt, Kind: AttemptCreated, N: WholePost, Comment: NoComment}}, stored...)
	for _, t := range p.Targets {
		for _, r := range t.Receipts {
			if !r.Open {
				all = append(all, Attempt{
					At: r.PostedAt, Kind: AttemptPublished, N: t.N, Comment: NoComment, Entry: r.Entry, NativeID: r.NativeID, URL: r.URL,
				})
			}
		}
		if t.State == TargetFailed && t.Error != nil {
			all = appendUntold(all, stored, FailedAttempt(t.Error, t.N, NoComment, 0))
		}
		all = append(all, commentAttempts(t, stored)...)
	}
	for i := range all { // platforms round their times, and their clocks differ
		if all[i].At.Before(p.CreatedAt) {
			all[i].At = p.CreatedAt
		}
	}
	slices.SortStableFunc(all, func(a, b Attempt) int { return knownAt(a, stored).Compare(knownAt(b, stored)) })
	return all
}

// knownAt is when crier could know of an attempt. A publication whose answer was lost has
// the platform's time, which is before the looks that found it, but belongs after them.
func knownAt(a Attempt, stored []Attempt) time.Time {
	at := a.At
	if a.Kind != AttemptPublished {
		return at
	}
	for _, s := range stored {
		if s.N == a.N && s.Comment == a.Comment && s.Entry == a.Entry && s.At.After(at) {
			at = s.At
		}
	}
	return at
}

func commentAttempts(t Target, stored []Attempt) (all []Attempt) {
	for _, c := range t.Comments {
		position := int16(c.Position)
		switch {
		case c.State == CommentPosted:
			all = append(all, Attempt{
				At: c.PostedAt, Kind: AttemptPublished, N: t.N, Comment: position, Entry: c.Entry, NativeID: c.NativeID, URL: c.URL,
			})
		case c.State == CommentFailed && c.Error != nil:
			all = appendUntold(all, stored, FailedAttempt(c.Error, t.N, position, c.Entry))
		}
	}
	return all
}

// appendUntold adds the end of a target or a comment, unless it is among the stored attempts; one of before a retry is
// another. Attempts are deleted after a while; the rows keep the reason.
func appendUntold(all, stored []Attempt, failure Attempt) []Attempt {
	since := failure.At.Add(-time.Millisecond) // stored times are less precise
	isTold := slices.ContainsFunc(stored, func(a Attempt) bool {
		return a.Kind == AttemptFailed && a.N == failure.N && a.Comment == failure.Comment && !a.At.Before(since)
	})
	if isTold {
		return all
	}
	return append(all, failure)
}

// FailedAttempt is the end of a target at an entry, or of a first comment, for good.
func FailedAttempt(e *TargetError, n, comment int16, entry int) Attempt {
	return Attempt{At: e.At, Kind: AttemptFailed, N: n, Comment: comment, Entry: entry, Code: e.Code, Message: e.Message}
}

// Retry asks for the failed targets of a post to go on.
type Retry struct {
	Platforms       []Platform // whose targets; empty: all
	Delay           time.Duration
	AcceptDuplicate bool // a second post is accepted where nobody can tell whether the first was published
}

// Retried is the result of a retry.
type Retried struct {
	Post      Post
	Platforms []Platform // that go on
	LeftOut   []Detail   // targets that may be published already, where nobody can look
}

// Resumption is where a failed target goes on.
type Resumption struct {
	Step      Step
	Entry     int
	Receipts  []Receipt
	Unsettled EntrySet // is looked for before it is called
	LeftOut   bool     // it does not go on: it may be published, nobody can look, and no second post is accepted
}

// Resume returns where a failed target goes on: after its last receipt, so that a skipped
// entry is published only if no other followed it, and with a look wherever nobody knows
// what is published. ok is false if nothing is left to publish.
func (t *Target) Resume(entries int, cannotFind, acceptDuplicate bool) (r Resumption, ok bool) {
	for _, receipt := range t.Receipts {
		if !receipt.Open {
			r.Receipts = append(r.Receipts, receipt)
			r.Entry = max(r.Entry, receipt.Entry+1)
		}
	}
	if t.State != TargetFailed || r.Entry >= entries {
		return r, false
	}
	r.Unsettled = t.Unsettled
	if t.Error != nil && t.Error.Code == CodeOutcomeUnknown { // of a dead letter only the code says it
		r.Unsettled = r.Unsettled.With(t.Entry)
	}
	r.Unsettled = r.Unsettled.From(r.Entry)
	switch {
	case len(r.Receipts) < len(t.Receipts): // an open receipt: the platform may still be working on it
		r.Step, r.Receipts = StepFind, t.Receipts
	case cannotFind && r.Unsettled != 0 && acceptDuplicate:
		r.Unsettled = 0
	case cannotFind && r.Unsettled != 0:
		r.LeftOut = true
	case r.Unsettled.Has(r.Entry):
		r.Step = StepFind
	}
	return r, true
}
