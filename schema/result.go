package schema

import (
	"cmp"
	"encoding/json"
	"time"

	"crier/schema/retry"
)

// Result is the state of a target after one step of its claim. It is pure data;
// Publish.Finish stores it as it is.
type Result struct {
	Ref       TargetRef
	Claim     int32 // of the claim it answers
	Workspace WorkspaceID
	Account   AccountID
	Platform  Platform

	State        TargetState
	Step         Step
	Entry        int
	Attempts     int
	FindAttempts FindAttempts
	Fresh        bool // no visible call was claimed yet that may have to be looked for
	NextIn       time.Duration
	Progress     json.RawMessage
	Receipts     []Receipt
	// Unsettled are the entries that ended without anybody knowing whether they are
	// published.
	Unsettled EntrySet
	// Receipt is what this step found to be published; nil for nothing. It is stored even
	// if another claim has followed: see Standing.Keep.
	Receipt  *Receipt
	Found    bool // the receipt comes from a look, not from the answer of the call
	Error    *TargetError
	PostedAt time.Time // zero: not posted
	DueAt    time.Time
	Comments []PositionedComment // of the post, to be delivered or skipped once the target is terminal
	// CommentsSince: the comments may be out since then, and are looked for first; zero: they are not.
	CommentsSince time.Time
	Attempt       *Attempt // what happened besides plain success; nil: nothing
	Trace         string   // W3C traceparent of the step, if it is traced

	kind AttemptKind // of Attempt; 0: plain success
}

// Outcome is the outcome of a connector's call.
type Outcome struct {
	Progress Progress // of Prepare
	Receipt  Receipt  // of Publish, or of Find that found
	Verdict  Verdict  // of Find
	Keyless  bool     // nothing was called: the credentials are sealed with a key that this process lacks
	Err      *Error
}

// CodeOutcomeUnknown is the code of a TargetError if nobody knows whether the platform
// published.
const CodeOutcomeUnknown = "outcome_unknown"

// The other codes of a TargetError, beside those of CodeOf and of an account's end.
const (
	CodeMissedDeadline   = "missed_deadline"
	CodeThreadIncomplete = "thread_incomplete"
	CodeCancelled        = "cancelled" // of a first comment
)

// pollInterval is how soon the first look follows an open receipt. Later ones are further
// apart: see lookWait.
const pollInterval = 5 * time.Second

// After returns the state of the target, or of the first comment, after a step: it is the state
// machine of an entry. at is the database's time; jitter in [0,1) spreads retries.
func (d Delivery) After(o Outcome, at time.Time, jitter float64) Result {
	d = d.asEntry()
	r := d.after(o, at, jitter)
	if r.State == TargetPending && r.Step == StepFind && r.Error != nil {
		r.Error.Lost = cmp.Or(r.Error.Lost, d.Lost) // looks that follow say it at their end
	}
	r.Attempt = d.attempt(o, r, at)
	return r
}

func (d Delivery) after(o Outcome, at time.Time, jitter float64) Result {
	switch {
	case o.Err != nil && o.Err.Kind == Refused && o.Verdict == NotThere && d.Step == StepFind:
		return d.failed(targetError(o.Err, at))
	case d.lacks(o):
		r := d.published(o.Receipt, at)
		r.tell(AttemptIncomplete)
		return r
	case o.Err != nil && d.isOpen():
		return d.unanswered(o.Err, at, jitter)
	case d.endsAccount(o):
		return d.endedBy(ProblemOf(o.Err), at)
	case d.renewing(o):
		r := d.waiting(d.Step, RenewalWait)
		r.Error, r.kind = targetError(o.Err, at), AttemptDeferred
		return r
	}
	switch d.Step {
	case StepPrepare:
		return d.afterPrepare(o, at, jitter)
	case StepFind:
		return d.afterFind(o, at, jitter)
	default:
		return d.afterPublish(o, at, jitter)
	}
}

func (d Delivery) afterPrepare(o Outcome, at time.Time, jitter float64) Result {
	if o.Progress.Advanced || o.Err != nil && o.Err.Advanced {
		d.Attempts = d.triesBeside(o)
	}
	if o.Err != nil {
		e := *o.Err
		if e.Kind == Unknown { // it was preparation, so it may be repeated
			e.Kind = Retryable
		}
		r := d.failure(&e, StepPrepare, at, jitter)
		if o.Progress.State != nil {
			r.Progress = o.Progress.State
		}
		return r
	}
	r := d.waiting(StepPrepare, o.Progress.RetryIn)
	if o.Progress.Ready {
		r = d.waiting(StepPublish, 0)
	}
	if r.NextIn > 0 {
		r.kind = AttemptProcessing
	}
	r.Progress = o.Progress.State
	return r
}

// triesBeside returns how many tries a preparation has cost that got further: none. But where a call
// found an earlier preparation gone, that call's try stays: else the two would take turns until the
// deadline.
func (d Delivery) triesBeside(o Outcome) int {
	switch {
	case d.Since.IsZero():
		return 0
	case o.Err == nil:
		return d.Attempts
	default: // which adds one
		return max(0, d.Attempts-1)
	}
}

func (d Delivery) afterPublish(o Outcome, at time.Time, jitter float64) Result {
	if o.Err == nil {
		return d.published(o.Receipt, at)
	}
	switch {
	case o.Err.Kind == Unknown || o.Err.Kind == Duplicate:
		return d.lost(o.Err, at)
	case o.Err.Unprepared && d.Comment == nil: // a first comment has no Prepare
		d.Progress = nil
		return d.failure(o.Err, StepPrepare, at, jitter)
	default:
		return d.failure(o.Err, StepPublish, at, jitter)
	}
}

// published keeps the receipt and goes on to the next entry, or ends the target.
func (d Delivery) published(receipt Receipt, at time.Time) Result {
	receipt.Entry = d.Entry
	if receipt.PostedAt = PastTime(receipt.PostedAt, at); receipt.PostedAt.IsZero() {
		receipt.PostedAt = at
	}
	if receipt.Open {
		wait := pollInterval
		if d.polls() {
			wait = d.lookWait(pollInterval, at, 0)
		}
		if d.polls() && !at.Before(d.Until) {
			return d.failed(d.outcomeUnknown(stillProcessed, at))
		}
		r := d.waiting(StepFind, wait)
		r.Receipts, r.Receipt = append(withoutEntry(r.Receipts, d.Entry), receipt), &receipt
		r.kind = AttemptProcessing
		return r
	}
	r := d.base()
	r.Receipt, r.Unsettled = &receipt, r.Unsettled.From(d.Entry+1)
	r.Receipts = append(withoutEntry(r.Receipts, d.Entry), receipt)
	if d.Restored && d.Step == StepFind {
		r.CommentsSince = d.Since
	}
	return d.next(r, at)
}

// next moves a result past the current entry. While entries remain of which nobody knows
// whether they are published, the time since which they are looked for is kept.
func (d Delivery) next(r Result, at time.Time) Result {
	r.Attempts, r.FindAttempts, r.Progress, r.Fresh = 0, 0, nil, r.Unsettled == 0
	r.Entry = d.Entry + 1
	switch {
	case r.Entry < d.Entries && r.Unsettled.Has(r.Entry):
		r.State, r.Step = TargetPending, StepFind
		return r
	case r.Entry < d.Entries:
		r.State, r.Step, r.NextIn = TargetPending, StepPrepare, d.Pause
		return r
	}
	r.Comments = d.FirstComments
	if len(r.Receipts) < d.Entries {
		r.State, r.kind = TargetFailed, AttemptFailed
		if r.Error == nil {
			r.Error = threadIncomplete(at)
		}
		return r
	}
	r.State, r.PostedAt, r.Error = TargetPosted, at, nil
	return r
}

func threadIncomplete(at time.Time) *TargetError {
	return &TargetError{Code: CodeThreadIncomplete, Message: "an entry of the thread was not published", At: at}
}

// failure decides between a wait that costs no try, a retry, and failing.
func (d Delivery) failure(e *Error, step Step, at time.Time, jitter float64) Result {
	switch e.Kind {
	case RateLimited:
		r := d.waiting(step, max(e.RetryAfter, time.Second))
		r.Error, r.kind = targetError(e, at), AttemptDeferred
		return r
	case Retryable, Unknown:
		if d.Attempts+1 >= d.Tries {
			return d.failed(targetError(e, at))
		}
		r := d.waiting(step, max(e.RetryAfter, retry.Entry.Wait(d.Attempts, jitter)))
		r.Attempts++
		r.Error, r.kind = targetError(e, at), AttemptRetrying
		return r
	case TokenDead:
		if e.Doubtful { // and a check has found that the account works
			e = &Error{Kind: Refused, Message: e.Message}
		}
		return d.failed(targetError(e, at))
	default:
		return d.failed(targetError(e, at))
	}
}

// failed ends the target, or skips the entry in a thread that goes on.
func (d Delivery) failed(e *TargetError) Result {
	r := d.base()
	r.Error, r.Receipts = e, withoutEntry(r.Receipts, d.Entry) // an open receipt ends with its entry
	if r.Unsettled = r.Unsettled.Without(d.Entry); e.Code == CodeOutcomeUnknown {
		r.Unsettled = r.Unsettled.With(d.Entry)
	}
	if d.ContinueOnError && d.Entry+1 < d.Entries {
		r.kind = AttemptEntryFailed
		return d.next(r, e.At)
	}
	r.State, r.kind = TargetFailed, AttemptFailed
	r.Comments = d.FirstComments
	return r
}

func (d Delivery) waiting(step Step, in time.Duration) Result {
	r := d.base()
	r.State, r.Step, r.NextIn = TargetPending, step, in
	return r
}

// base returns a result that changes nothing yet.
func (d Delivery) base() Result {
	return Result{
		Ref: d.Ref, Claim: d.Claim, Workspace: d.Workspace, Account: d.Account.ID, Platform: d.Account.Platform,
		Step: d.Step, Entry: d.Entry, Attempts: d.Attempts, FindAttempts: d.FindAttempts,
		Progress: d.Progress, Receipts: withoutEntry(d.Receipts, -1), Unsettled: d.Unsettled, DueAt: d.DueAt,
	}
}

func withoutEntry(receipts []Receipt, entry int) []Receipt {
	rest := make([]Receipt, 0, len(receipts)+1)
	for _, r := range receipts {
		if r.Entry != entry {
			rest = append(rest, r)
		}
	}
	return rest
}

// Terminal reports whether the target has ended.
func (r Result) Terminal() bool { return r.State == TargetPosted || r.State == TargetFailed }

func targetError(e *Error, at time.Time) *TargetError {
	kind := e.Kind
	if kind == Refused && e.Repeats {
		kind = Duplicate
	}
	return &TargetError{Code: CodeOf(kind), Message: e.Message, At: at}
}

// CodeOf returns the API's code for the kind of a platform's error.
func CodeOf(kind ErrorKind) string {
	switch kind {
	case Refused:
		return "platform_refused"
	case Duplicate:
		return "platform_duplicate"
	case TokenDead:
		return CodeNeedsReconnect
	case RateLimited:
		return "platform_rate_limited"
	case Unknown:
		return CodeOutcomeUnknown
	default:
		return "platform_unavailable"
	}
}

// CommentResult is the state of a first comment or a reply after one step of its claim.
type CommentResult struct {
	Comment      CommentID
	Claim        int32
	State        CommentState
	Step         Step
	Attempts     int
	FindAttempts FindAttempts
	NextIn       time.Duration
	NativeID     string
	URL          string
	Found        bool // by a look: see Result
	PostedAt     time.Time
	Error        *TargetError
	Account      AccountID
	Post         PostID   // the comment is on
	Attempt      *Attempt // what happened besides plain success; nil: nothing
}

// asEntry returns a first comment or a reply as an entry of its own, which goes by the same rules.
func (d Delivery) asEntry() Delivery {
	if d.Comment != nil {
		d.Entry, d.Entries, d.Receipts, d.Unsettled, d.ContinueOnError = 0, 1, nil, 0, false
	}
	return d
}

// OfComment returns the result of a first comment's step, or a reply's.
func (r Result) OfComment(d Delivery) CommentResult {
	c := CommentResult{
		Comment: d.Comment.ID, Claim: d.Claim, Step: r.Step, Attempts: r.Attempts, FindAttempts: r.FindAttempts,
		NextIn: r.NextIn, Error: r.Error, PostedAt: r.PostedAt, Found: r.Found,
		Account: d.Account.ID, Post: d.Ref.Post, Attempt: r.Attempt,
	}
	switch r.State {
	case TargetPosted:
		c.State = CommentPosted
		c.NativeID, c.URL = r.Receipts[0].NativeID, r.Receipts[0].URL
	case TargetFailed:
		c.State = CommentFailed
	}
	return c
}

// Releases reports whether a result gives the target's unit of the daily cap back: it has
// failed, and nothing of it can be on the platform.
func (r Result) Releases() bool {
	return r.State == TargetFailed && r.Entry == 0 && len(r.Receipts) == 0 && r.Unsettled == 0 &&
		(r.Error == nil || r.Error.Code != CodeOutcomeUnknown)
}
