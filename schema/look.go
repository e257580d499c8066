package schema

import (
	"cmp"
	"errors"
	"time"
)

// What follows from a look for an earlier call whose answer was lost, or from repeating
// it:
//
//	Find ─┬─ found ─▶ receipt
//	      ├─ not there, twice, and still not when it would be listed ─▶ call again
//	      ├─ not there, and never will be ─▶ failed, with the platform's reason
//	      ├─ safe to repeat ─▶ call again by the same key: the answer is the first call's
//	      ├─ nobody can tell ─▶ failed, outcome_unknown, unless a person accepts a second post
//	      └─ could not look ─▶ look again, until the deadline; then failed, outcome_unknown

// FindAttempts counts the attempts since an open call to find what it made, in vain. Below zero it marks a
// call that follows on one which may have worked. Its numbers are stored: they never change.
type FindAttempts int16

const (
	// CallRepeating marks a call that is repeated by its key, though nobody knows what became of the
	// first.
	CallRepeating FindAttempts = -1
	// CallRetried marks a call after a retry whose looks did not find what the call before it made; its
	// key may be answered with that.
	CallRetried FindAttempts = -2
)

// Count is the number of attempts.
func (a FindAttempts) Count() int { return int(max(a, 0)) }

// isOpen reports whether an earlier call may have published the entry: it is looked for,
// or the call is repeated.
func (d Delivery) isOpen() bool { return d.Step == StepFind || d.Repeats() }

// lacks reports whether a look found that the entry is published, without something that it
// was to have.
func (d Delivery) lacks(o Outcome) bool {
	return d.Step == StepFind && o.Verdict == Found && o.Err != nil && o.Err.Kind == Refused
}

// Repeats reports whether the call is a repetition after SafeToRepeat.
func (d Delivery) Repeats() bool { return d.FindAttempts == CallRepeating }

// idempotencyWindow is how long a platform may answer a key with what a call before a retry made.
const idempotencyWindow = 24 * time.Hour

// KnownSince is the time since which Known must be complete: that of the call which is
// looked for. After a retry's looks, an earlier call had the same key, so it goes back
// further by as long as platforms keep keys.
func (d Delivery) KnownSince() time.Time {
	if d.FindAttempts == CallRetried {
		return d.Since.Add(-idempotencyWindow)
	}
	return d.Since
}

// lost returns the result of a call without an answer: the entry is looked for.
func (d Delivery) lost(e *Error, at time.Time) Result {
	r := d.waiting(StepFind, SettleTime)
	if d.Repeats() { // the next repetition must not overlap this call
		r.NextIn = CallDeadline + SettleTime
	}
	r.FindAttempts, r.Error, r.kind = 0, targetError(e, at), AttemptUnknown
	if !d.CannotFind {
		r.Error = stillOpen(e.Message, at)
	}
	if e.Kind == Unknown {
		r.Error.Lost = e.Message
	}
	return r
}

// afterFind permits a second visible call only after two looks that did not find the entry, a
// settle time apart and as long as the platform may take to list it, or if the call is safe to
// repeat. If nobody can tell, the entry fails and a person decides.
func (d Delivery) afterFind(o Outcome, at time.Time, jitter float64) Result {
	switch {
	case o.Verdict == Found:
		r := d.published(o.Receipt, at)
		if r.Found = true; !o.Receipt.Open && !d.polls() {
			r.tell(AttemptFound)
		}
		return r
	case o.missing() && d.mayBeListed(o.Verdict):
		r := d.waiting(StepFind, SettleTime<<d.FindAttempts.Count())
		r.FindAttempts, r.Error = max(d.FindAttempts, 0)+1, stillOpen("it was not there when crier last looked", at)
		r.kind = AttemptNotFound
		return r
	case o.missing() && d.Unsettled.Has(d.Entry):
		r := d.callAgain()
		r.Fresh = r.Unsettled == 0
		r.Error = targetError(errNotTaken(), at)
		return r
	case o.missing():
		r := d.failure(errNotTaken(), StepPublish, at, jitter)
		r.FindAttempts, r.Receipts = 0, withoutEntry(r.Receipts, d.Entry)
		return r
	case o.Verdict == SafeToRepeat && at.Before(d.Until):
		r := d.callAgain()
		r.FindAttempts, r.Unsettled = CallRepeating, d.Unsettled
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

// mayBeListed reports whether another look has to follow one that did not find the entry. Each
// is twice as long after the one before, so that their number tells how long it was looked for:
// a settle time at least, and where a list tells as long as the platform may take to list what it
// has.
func (d Delivery) mayBeListed(verdict Verdict) bool {
	looks := d.FindAttempts.Count()
	return looks == 0 || verdict == NotThere && SettleTime<<looks-SettleTime < d.Listed
}

// missing reports whether a look found that the entry is not there, as far as it can tell.
func (o Outcome) missing() bool { return o.Verdict == NotThere || o.Verdict == NotMade }

func errNotTaken() *Error {
	return &Error{Kind: Retryable, Message: "the platform did not take the post"}
}

// callAgain goes on to the visible call at no cost of a try. If the lost call was made
// before a retry, it begins with Prepare, since what was uploaded then may be gone.
func (d Delivery) callAgain() Result {
	r := d.waiting(StepPublish, 0)
	r.FindAttempts, r.Receipts, r.Unsettled = 0, withoutEntry(r.Receipts, d.Entry), d.Unsettled.Without(d.Entry)
	r.kind = AttemptRetrying
	if d.Unsettled.Has(d.Entry) {
		r.Step, r.Progress, r.FindAttempts = StepPrepare, nil, CallRetried
	}
	return r
}

// unanswered returns the result of a step that failed while the outcome of an earlier
// call is open: it stays open, and is looked for until the deadline. Only faults of
// crier's own cost a try.
func (d Delivery) unanswered(e *Error, at time.Time, jitter float64) Result {
	calls := d.Step == StepPublish
	switch {
	case calls && (e.Kind == Unknown || e.Kind == Duplicate):
		return d.lost(e, at)
	case e.Kind == TokenDead && d.Account.Problem() != nil: // else the account is checked, and the look repeated
		return d.failed(d.outcomeUnknown(credentialsDead, at))
	case e.Kind == Refused && d.Step != StepFind:
		return d.failed(d.outcomeUnknown("the platform refused the call when it was repeated: "+e.Message, at))
	case e.Kind == Internal && d.Attempts+1 >= d.Tries:
		return d.failed(DeadUnknown(at))
	case !at.Before(d.Until): // which may be that it is published, and nobody knows as what
		return d.failed(d.outcomeUnknown(couldNotAsk+" (at last: "+e.Message+")", at))
	}
	r := d.waiting(StepFind, d.lookWait(e.RetryAfter, at, jitter))
	r.FindAttempts, r.Error, r.kind = max(d.FindAttempts, 0), stillOpen(e.Message, at), AttemptLookFailed
	if e.Kind == Internal {
		r.Attempts++
	}
	return r
}

const (
	soonestLook = 5 * time.Second
	rarestLook  = 4 * time.Minute // and its jitter
	// lookGrowth is the part of the time since the call that the next look waits, and the
	// part of that wait by which jitter spreads it.
	lookGrowth = 4
	// afterUntil is how long after the deadline the last look is, so that rounding cannot
	// put it before.
	afterUntil = time.Second
)

// lookWait returns how long to wait after a look that failed: it grows with the time
// since the call, or the retry, but ends just after the deadline, when the last look is
// made.
func (d Delivery) lookWait(retryAfter time.Duration, at time.Time, jitter float64) time.Duration {
	began := d.Since
	if d.DueAt.After(began) {
		began = d.DueAt
	}
	wait := min(max(at.Sub(began)/lookGrowth, soonestLook), rarestLook)
	wait += time.Duration(jitter * float64(wait/lookGrowth))
	return min(max(wait, retryAfter), d.Until.Add(afterUntil).Sub(at))
}

// Reasons why nobody knows what became of a call, after what is known of it.
const (
	couldNotTell = "what the account shows does not tell whether it was published; " +
		"a retry looks once more, and publishes where nobody can tell only with acceptDuplicate"
	couldNotAsk = "the platform could not be asked within the time the post may be late whether it was published; " +
		"a retry looks first"
	credentialsDead = "the platform does not take the account's credentials, so it could not be asked whether it was published; " +
		"connect the account again and retry the post: a retry looks first"
	accountGone = "the account was disconnected before the platform could be asked whether it was published; " +
		"connect it again and retry the post: a retry looks first"
	stillProcessed = "it has not finished processing it within the time the post may be late; a retry looks first"
	cannotLook     = "the platform offers no way to find out whether it was published; " +
		"look at the account, and retry with acceptDuplicate if it is not there"
)

const secondAccepted = "nobody can tell whether it was published; the platform is called again, since a second post is accepted"

// outcomeUnknown is the error of an entry that fails while nobody knows whether it is
// published.
func (d Delivery) outcomeUnknown(why string, at time.Time) *TargetError {
	known := cmp.Or(d.Lost, "the answer was lost")
	if d.polls() {
		known = "the platform took the post"
	}
	if d.CannotFind {
		why = cannotLook
		if d.Error != nil && d.Error.Code == CodeOutcomeUnknown { // what the platform said
			known = d.Error.Message
		}
	}
	return &TargetError{Code: CodeOutcomeUnknown, Message: known + ", and " + why, At: at}
}

// stillOpen is the error that a target shows while its outcome is looked for.
func stillOpen(why string, at time.Time) *TargetError {
	return &TargetError{Code: CodeOutcomeUnknown, Message: "outcome still open, crier goes on looking: " + why, At: at}
}

// ReceiptRetention is how long the receipts of a profile are kept by entry or first
// comment: longer than a lost call is looked for.
const ReceiptRetention = 8 * 24 * time.Hour

// ErrReceiptTaken refuses a result whose look found what belongs to another entry or
// first comment: see LookAgain.
var ErrReceiptTaken = errors.New("what was found is another entry's")

// ErrReceiptsForgotten means that a look goes back further than ReceiptRetention, so
// nobody can tell which entries the profile's posts are.
var ErrReceiptsForgotten = errors.New("what was published to the profile since then is forgotten")

// LookAgain returns the result of a look that found what belongs to another entry. It
// costs no try, and the next look has it in Known; past the deadline the entry fails.
func (d Delivery) LookAgain(at time.Time) Result {
	d = d.asEntry()
	r := d.waiting(StepFind, SettleTime)
	r.FindAttempts, r.Error, r.kind = max(d.FindAttempts, 0), stillOpen("what was found is another post's", at), AttemptNotFound
	if !at.Before(d.Until) {
		r = d.failed(d.outcomeUnknown(couldNotTell, at))
	}
	r.Attempt = d.attempt(Outcome{}, r, at)
	return r
}
