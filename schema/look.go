package schema

import (
	"errors"
	"time"
)

// What a look, or the repetition of a call, says of an earlier call whose answer was lost:
//
//	Find ─┬─ found ─▶ receipt
//	      ├─ not there, twice ─▶ call again
//	      ├─ safe to repeat ─▶ call again by the same key: the answer is the first call's
//	      ├─ nobody can tell ─▶ failed, outcome_unknown, unless a person accepts a second post
//	      └─ could not look ─▶ look again, until the deadline; then failed, outcome_unknown

// repeated is what Looked holds while a call is repeated before anybody knows what became
// of the first. It is stored.
const repeated = -1

// calledBefore is what Looked holds while a call is made of which a look of a retry has said
// that the call before the retry did not make it: its key may be another's by now. It is stored.
const calledBefore = -2

// isOpen tells whether an earlier call may have made the entry: it is looked for, or the
// call is repeated.
func (d Delivery) isOpen() bool { return d.Step == StepFind || d.Repeats() }

// Repeats tells whether the call is one that SafeToRepeat has allowed.
func (d Delivery) Repeats() bool { return d.Looked == repeated }

// calledBefore tells whether a call of the entry was made before a retry.
func (d Delivery) calledBefore() bool { return d.Looked == calledBefore }

// keysKept is for how long a platform may answer a key with what a call before a retry made.
const keysKept = 24 * time.Hour

// KnownSince is from when on it matters what else was published to the profile: since the
// call that is looked for. A call after a retry's looks has the key of one that may be older
// by as long as keys are kept.
func (d Delivery) KnownSince() time.Time {
	if d.calledBefore() {
		return d.Since.Add(-keysKept)
	}
	return d.Since
}

// lost has an entry looked for whose call was not answered.
func (d Delivery) lost(e *Error, at time.Time) Result {
	r := d.waiting(StepFind, SettleTime)
	if d.Repeats() { // the next repetition must not meet this one on its way
		r.NextIn = CallDeadline + SettleTime
	}
	r.Looked, r.Error = 0, targetError(e, at)
	if !d.Blind {
		r.Error = stillOpen(e.Message, at)
	}
	return r
}

// afterFind permits a second visible call only after two authoritative looks a settle time
// apart, or where the call is safe to repeat. Where nobody can tell, the entry fails and a
// person decides.
func (d Delivery) afterFind(o Outcome, at time.Time, jitter float64) Result {
	switch {
	case o.Verdict == Found:
		r := d.published(o.Receipt, at)
		r.Found = true
		return r
	case o.Verdict == NotThere && d.Looked <= 0:
		r := d.waiting(StepFind, SettleTime)
		r.Looked, r.Error = 1, stillOpen("it was not there at the first look", at)
		return r
	case o.Verdict == NotThere && d.Unsettled.Has(d.Entry):
		r := d.callAgain()
		r.Fresh = r.Unsettled == 0
		r.Error = targetError(errNotTaken(), at)
		return r
	case o.Verdict == NotThere:
		r := d.failure(errNotTaken(), StepPublish, at, jitter)
		r.Looked, r.Receipts = 0, withoutEntry(r.Receipts, d.Entry)
		return r
	case o.Verdict == SafeToRepeat && at.Before(d.Until):
		r := d.callAgain()
		r.Looked, r.Unsettled = repeated, d.Unsettled
		r.Error = stillOpen("the call is repeated by its key, which the platform answers with what the first call made", at)
		return r
	case o.Verdict == SafeToRepeat:
		return d.failed(d.outcomeUnknown(couldNotAsk, at))
	case d.AcceptDuplicate && d.Unsettled.Has(d.Entry):
		r := d.callAgain()
		r.Fresh = r.Unsettled == 0
		r.Error = &TargetError{Code: CodeOutcomeUnknown, Message: secondAccepted, At: at}
		return r
	default:
		return d.failed(d.outcomeUnknown(couldNotTell, at))
	}
}

func errNotTaken() *Error {
	return &Error{Kind: Retryable, Message: "the platform did not take the post"}
}

// callAgain goes on to the visible call, which costs no try. Where the lost call was made
// before a retry it begins with what Prepare does: what was uploaded then may be gone.
func (d Delivery) callAgain() Result {
	r := d.waiting(StepPublish, 0)
	r.Looked, r.Receipts, r.Unsettled = 0, withoutEntry(r.Receipts, d.Entry), d.Unsettled.Without(d.Entry)
	if d.Unsettled.Has(d.Entry) {
		r.Step, r.Progress, r.Looked = StepPrepare, nil, calledBefore
	}
	return r
}

// unanswered goes on after a step that failed while the outcome of an earlier call is open:
// nobody was told of it, so it stays open, and is looked for until the deadline at no cost
// of a try. Only faults of crier's own cost one.
func (d Delivery) unanswered(e *Error, at time.Time, jitter float64) Result {
	calls := d.Step == StepPublish
	switch {
	case calls && (e.Kind == Unknown || e.Kind == Duplicate):
		return d.lost(e, at)
	case e.Kind == TokenDead && (!d.Renews || e.End != NotEnded):
		return d.failed(d.outcomeUnknown(credentialsDead, at))
	case e.Kind == Refused && d.Step != StepFind:
		return d.failed(d.outcomeUnknown("the answer was lost, and the platform refused the call when it was repeated: "+e.Message, at))
	case e.Kind == Internal && d.Attempts+1 >= d.Tries:
		return d.failed(DeadUnknown(at))
	case !at.Before(d.Until):
		return d.failed(d.outcomeUnknown(couldNotAsk, at))
	}
	r := d.waiting(StepFind, d.lookWait(e.RetryAfter, at, jitter))
	r.Looked, r.Error = max(d.Looked, 0), stillOpen(e.Message, at)
	if e.Kind == Internal {
		r.Attempts++
	}
	return r
}

const (
	soonestLook = 5 * time.Second
	rarestLook  = 4 * time.Minute // and its jitter
	// lookGrowth is by which part of the time that has passed the next look is put off, and
	// by which part of that it is spread.
	lookGrowth = 4
	// afterUntil is how long after the deadline the last look is, so that no rounding puts
	// it before.
	afterUntil = time.Second
)

// lookWait returns how long a look waits after one that failed: the longer, the longer ago
// the call was, or the retry, but not past the deadline, where one more settles it.
func (d Delivery) lookWait(asked time.Duration, at time.Time, jitter float64) time.Duration {
	began := d.Since
	if d.DueAt.After(began) {
		began = d.DueAt
	}
	wait := min(max(at.Sub(began)/lookGrowth, soonestLook), rarestLook)
	wait += time.Duration(jitter * float64(wait/lookGrowth))
	return min(max(wait, asked), d.Until.Add(afterUntil).Sub(at))
}

// Why nobody knows what became of a call.
const (
	couldNotTell = "the answer was lost, and what the account shows does not tell whether it was published; " +
		"a retry looks once more, and publishes where nobody can tell only with acceptDuplicate"
	couldNotAsk = "the answer was lost, and the platform could not be asked within the time the post may be late whether it was published; " +
		"a retry looks first"
	credentialsDead = "the answer was lost, and the platform does not take the account's credentials, so it could not be asked whether it was published; " +
		"connect the account again and retry the post: a retry looks first"
	accountGone = "the answer was lost, and the account was disconnected before the platform could be asked whether it was published; " +
		"connect it again and retry the post: a retry looks first"
	secondAccepted = "nobody can tell whether it was published; the platform is called again, since a second post is accepted"
	cannotLook     = "the answer was lost, and the platform offers no way to find out whether it was published; " +
		"look at the account, and retry with acceptDuplicate if it is not there"
)

// outcomeUnknown is why an entry fails of which nobody knows whether it is there.
func (d Delivery) outcomeUnknown(why string, at time.Time) *TargetError {
	if d.Blind {
		why = cannotLook
	}
	return &TargetError{Code: CodeOutcomeUnknown, Message: why, At: at}
}

// stillOpen is what a target shows whose outcome is looked for.
func stillOpen(why string, at time.Time) *TargetError {
	return &TargetError{Code: CodeOutcomeUnknown, Message: "outcome still open, crier goes on looking: " + why, At: at}
}

// ReceiptRetention is how long it is known of what was published which entry or first
// comment it is: longer than anybody looks for a lost one.
const ReceiptRetention = 8 * 24 * time.Hour

// ErrReceiptTaken refuses a result whose look found what another entry or first comment has
// made: see LookAgain.
var ErrReceiptTaken = errors.New("what was found is another entry's")

// ErrReceiptsForgotten tells that a look goes back further than ReceiptRetention: nobody
// can tell any more which of the profile's posts are whose.
var ErrReceiptsForgotten = errors.New("what was published to the profile since then is forgotten")

// LookAgain returns how the target stands after a look that found what is another's. It
// costs no try, and the next look knows of it; past the deadline there is none.
func (d Delivery) LookAgain(at time.Time) Result {
	r := d.waiting(StepFind, SettleTime)
	r.Looked, r.Error = max(d.Looked, 0), stillOpen("what was found is another post's", at)
	if !at.Before(d.Until) {
		r = d.failed(d.outcomeUnknown(couldNotTell, at))
	}
	r.Attempt = d.attempt(Outcome{Verdict: NotThere}, r, at)
	return r
}

// LookAgainForComment returns how the first comment stands after such a look.
func (d Delivery) LookAgainForComment(at time.Time) CommentResult {
	return d.commentResult(d.alone().LookAgain(at))
}
