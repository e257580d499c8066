package schema

import (
	"encoding/json"
	"slices"
	"time"
)

// TooLate reports whether the delivery may no longer be published: it is past its
// deadline, or was claimed because a pause outlasted it. What an earlier call may have
// made is still looked for, and what Blocked fails since its account is gone is told that.
func (d Delivery) TooLate(at time.Time) bool {
	return d.Step != StepFind && !d.Account.Disconnected && (d.Paused || at.After(d.Until))
}

// Missed fails a target that is too late: a post at a surprising time is worse than none.
func (d Delivery) Missed(at time.Time) Result {
	d = d.asEntry()
	d.ContinueOnError = false
	reason := &TargetError{
		Code: CodeMissedDeadline, Message: "the post could not go out within the time it may be late; retry it if it still should", At: at,
	}
	if d.isOpen() {
		reason = d.outcomeUnknown(couldNotAsk, at)
	}
	r := d.failed(reason)
	r.Attempt = d.attempt(Outcome{}, r, at)
	return r
}

// Blocked returns the result of a target whose account cannot be used: it fails without a
// call, or waits while its credentials are renewed. ok is false if the account can be
// used. Looks for an earlier call go on as long as there are credentials to look with.
func (d Delivery) Blocked(at time.Time) (r Result, ok bool) {
	d = d.asEntry()
	if r, ok = d.blocked(at); ok {
		r.Attempt = d.attempt(Outcome{}, r, at)
	}
	return r, ok
}

func (d Delivery) blocked(at time.Time) (r Result, ok bool) {
	a := d.Account
	switch {
	case a.Disconnected && d.isOpen():
		return d.failed(d.outcomeUnknown(accountGone, at)), true
	case a.Disconnected:
		return d.ended(CodeDisconnected, "the account was disconnected; connect it again and retry the post", at), true
	case d.Step == StepFind:
		return r, false
	case a.Problem() != nil && d.isOpen():
		return d.failed(d.outcomeUnknown(credentialsDead, at)), true
	case a.Problem() != nil:
		return d.endedBy(*a.Problem(), at), true
	case a.Renewing:
		return d.waiting(d.Step, RenewalWait), true
	default:
		return r, false
	}
}

// ended fails the target for good, also a thread: its later entries would fail too.
func (d Delivery) ended(code, message string, at time.Time) Result {
	d.ContinueOnError = false
	return d.failed(&TargetError{Code: code, Message: message, At: at})
}

// endedBy fails the target with the reason of its account's end.
func (d Delivery) endedBy(p AccountProblem, at time.Time) Result {
	hint := "retry the post once the account works again"
	if p.End.Traits().Reconnect {
		hint = "connect the account again and retry the post"
	}
	return d.ended(p.Code, Clauses(p.Message, hint), at)
}

// endsAccount reports whether the platform answered a call by naming the account's end.
func (d Delivery) endsAccount(o Outcome) bool {
	return o.Err != nil && o.Err.Kind == TokenDead && o.Err.End != NotEnded
}

// renewing reports whether a call was refused for credentials that the renewal will deal
// with: it costs no try.
func (d Delivery) renewing(o Outcome) bool {
	return d.Renews && o.Err != nil && o.Err.Kind == TokenDead && o.Err.End == NotEnded
}

// MayRenew reports whether a refusal of the account's credentials is worth a renewal. If
// the platform accepted them a moment ago, or they are new, it refuses for another
// reason.
func (a Account) MayRenew(at time.Time) bool {
	return a.Problem() == nil && !a.Disconnected && at.Sub(a.CheckedAt) > RenewalTrust
}

// A claim whose step did not begin because of a stop, or was cut off by one, is given
// back: its target or comment waits in the same step, due now, and no try is counted.

// GiveBack returns the result of giving the claim back. progress is what the step came to
// before it was cut off; nil if nothing.
func (d Delivery) GiveBack(progress json.RawMessage, at time.Time) Result {
	d = d.asEntry()
	r := d.waiting(d.Step, 0)
	if d.isOpen() {
		r.Error = stillOpen("crier was stopped before it could look", at)
	}
	if progress != nil {
		r.Progress = progress
	}
	return r
}

// KeylessWait is how long waits what this process lacks the key for.
const KeylessWait = 30 * time.Second

// PutOff is GiveBack for a step that this process lacks the key for: another may have it, or this
// one gets it.
func (d Delivery) PutOff(at time.Time) Result {
	d = d.asEntry()
	r := d.waiting(d.Step, KeylessWait)
	if d.isOpen() {
		r.Error = stillOpen("crier cannot read the credentials at the moment", at)
	}
	return r
}

// Standing is the state of a target when a late receipt arrives: one under a claim that
// is no longer the target's, since its lease ran out, or a look, a retry or a cancel came
// in between.
type Standing struct {
	Delivery // as the target would be claimed now
	State    TargetState
	Wait     time.Duration // until a pending target may be claimed
	Charged  bool          // it holds a unit of its account's daily cap
}

// Arrival is what a late receipt changes.
type Arrival int

// The arrivals.
const (
	// ReceiptKnown: the entry has this receipt already.
	ReceiptKnown Arrival = iota
	// ReceiptNew: it is new, and is stored.
	ReceiptNew
	// ReceiptSecond: the entry has another receipt, so it was published twice.
	ReceiptSecond
)

// Keep returns the result of a late receipt: the entry is published, whatever was
// claimed, retried or given up since. The result is set with ReceiptNew only.
func (s Standing) Keep(late Receipt, at time.Time) (Result, Arrival) {
	if late.PostedAt.IsZero() {
		late.PostedAt = at
	}
	if known := s.Receipt(late.Entry); known != nil && (!known.Open || late.Open) {
		if known.NativeID != late.NativeID {
			return Result{}, ReceiptSecond
		}
		return Result{}, ReceiptKnown
	} // the platform may have given an open one up
	var r Result
	switch {
	case s.State != TargetPending && s.State != TargetClaimed:
		r = s.amended(late, at)
	case late.Entry < s.Entry:
		r = s.filled(late)
	default:
		d := s.Delivery
		d.Entry = late.Entry
		r = d.published(late, at)
		if late.Open && s.calls() {
			r.NextIn = Lease + SettleTime
		}
	}
	slices.SortFunc(r.Receipts, func(a, b Receipt) int { return a.Entry - b.Entry })
	return r, ReceiptNew
}

// filled adds the receipt of a skipped entry to a thread that has gone on. If a call for
// a later entry may be running, it is looked for once it must be over, since its claim no
// longer holds.
func (s Standing) filled(late Receipt) Result {
	r := s.waiting(s.Step, s.Wait)
	r.Receipts, r.Error = append(withoutEntry(r.Receipts, late.Entry), late), s.Error
	r.Unsettled = r.Unsettled.Without(late.Entry)
	if s.calls() {
		r.Step, r.NextIn = StepFind, Lease+SettleTime
	}
	return r
}

// calls reports whether a visible call may be running.
func (s Standing) calls() bool { return s.State == TargetClaimed && s.Step == StepPublish }

// amended corrects a target that has ended: one that had failed becomes posted with its
// last receipt, and a cancelled one shows what was published before.
func (s Standing) amended(late Receipt, at time.Time) Result {
	r := s.base()
	r.State, r.Error = s.State, s.Error
	r.Receipts = append(withoutEntry(r.Receipts, late.Entry), late)
	if !late.Open {
		r.Unsettled = r.Unsettled.Without(late.Entry)
	}
	if s.State != TargetFailed || late.Open {
		return r
	}
	r.Comments = s.FirstComments
	if len(r.Receipts) == s.Entries && !slices.ContainsFunc(r.Receipts, func(x Receipt) bool { return x.Open }) {
		r.State, r.PostedAt, r.Error = TargetPosted, at, nil
		return r
	}
	if s.Entry == late.Entry {
		r.Error = threadIncomplete(at)
	}
	return r
}

// KeepComment is Keep for a first comment.
func (c Comment) KeepComment(late CommentResult) (CommentResult, Arrival) {
	switch c.NativeID {
	case "":
		late.State, late.Error = CommentPosted, nil
		return late, ReceiptNew
	case late.NativeID:
		return CommentResult{}, ReceiptKnown
	default:
		return CommentResult{}, ReceiptSecond
	}
}

// Publication is an entry that was published, as its receipt has it.
type Publication struct {
	Ref      TargetRef // without a version
	Entry    int
	NativeID string
}

// ReviewAge is for how long crier looks, after a publication, whether its platform has taken it
// down, where platforms do so.
const ReviewAge = 25 * time.Hour

// TakeDown returns the result of a target whose platform no longer shows an entry; ok is false
// where the target is no longer what was published. What is retried from then on is published
// anew.
func (s Standing) TakeDown(of Publication, why *Error, at time.Time) (r Result, ok bool) {
	known := s.Receipt(of.Entry)
	if s.State != TargetPosted || known == nil || known.NativeID != of.NativeID {
		return r, false
	}
	r = s.base()
	r.State, r.Step, r.Entry, r.Attempts, r.FindAttempts, r.Progress, r.Fresh = TargetFailed, StepPrepare, of.Entry, 0, 0, nil, true
	r.Receipts, r.Error = withoutEntry(r.Receipts, of.Entry), targetError(why, at)
	told := FailedAttempt(r.Error, s.Ref.N, NoComment, of.Entry)
	r.Attempt = &told
	return r, true
}

// HoldKind is why work is held. Its number is stored: it never changes.
type HoldKind int16

// The kinds of holds. What a pause holds goes on when the pause is lifted, or misses its
// deadline; what is under review waits for a person.
const (
	WorkspacePaused HoldKind = iota + 1
	AccountPaused
	PlatformPaused
	UnderReview // a post that was overdue when crier was started with --hold-overdue
	// What is being deleted is held for good: nobody lifts it.
	WorkspaceDeleting
	AccountDeleting
	// HeldByRestore is the one hold on everything that was open in a backup that was restored; users see
	// it as UnderReview.
	HeldByRestore
	// AccountPausedByMember is the pause of an account by its workspace: it stands beside the operator's, and neither
	// lifts the other's.
	AccountPausedByMember
)

var holdNames = [...]string{
	WorkspacePaused: "workspace_paused", AccountPaused: "account_paused", PlatformPaused: "platform_paused", UnderReview: "under_review",
	WorkspaceDeleting: "workspace_deleting", AccountDeleting: "account_deleting", HeldByRestore: "under_review",
	AccountPausedByMember: "account_paused",
}

// String returns the kind's name in the API.
func (k HoldKind) String() string { return holdNames[k] }

// By tells who pauses, as the API does; empty where the hold is no pause.
func (k HoldKind) By() string {
	switch k {
	case AccountPausedByMember:
		return "member"
	case WorkspacePaused, AccountPaused, PlatformPaused:
		return "operator"
	default:
		return ""
	}
}

// Hold is a hold on a workspace, an account, a platform or a post; the field of its kind
// is set.
type Hold struct {
	Kind      HoldKind
	Workspace WorkspaceID
	Account   AccountID
	Platform  Platform
	Post      PostID
	Reason    string // shown to users
	Since     time.Time
}

// Holds reports whether the hold is on a target of a post.
func (h Hold) Holds(p *Post, t *Target) bool {
	if !t.IsOpen() {
		return false
	}
	switch h.Kind {
	case WorkspacePaused, WorkspaceDeleting:
		return h.Workspace == p.Workspace
	case AccountPaused, AccountPausedByMember, AccountDeleting:
		return h.Account == t.Account
	case PlatformPaused:
		return h.Platform == t.Platform
	default:
		return h.Post == p.ID
	}
}
