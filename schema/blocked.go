package schema

import (
	"encoding/json"
	"time"
)

// TooLate reports whether the delivery may no longer be published: it is past its
// deadline, or was claimed because a pause outlasted it. What an earlier call may have
// made is still looked for.
func (d Delivery) TooLate(at time.Time) bool {
	return d.Step != StepFind && (d.Paused || at.After(d.Until))
}

// Missed fails a target that is too late: a post at a surprising time is worse than none.
func (d Delivery) Missed(at time.Time) Result {
	d.ContinueOnError = false
	reason := &TargetError{
		Code: codeMissedDeadline, Message: "the post could not go out within the time it may be late; retry it if it still should", At: at,
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

// BlockedComment is Blocked for a first comment, which is an entry of its own.
func (d Delivery) BlockedComment(at time.Time) (r CommentResult, ok bool) {
	blocked, ok := d.alone().Blocked(at)
	if !ok {
		return r, false
	}
	return d.commentResult(blocked), true
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
	return d.ended(p.Code, p.Message+"; "+hint, at)
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
	r := d.waiting(d.Step, 0)
	if d.isOpen() {
		r.Error = stillOpen("crier was stopped before it could look", at)
	}
	if progress != nil {
		r.Progress = progress
	}
	return r
}

// GiveBackComment is GiveBack for a first comment.
func (d Delivery) GiveBackComment(at time.Time) CommentResult {
	return d.commentResult(d.alone().GiveBack(nil, at))
}

// KeylessWait is how long waits what this process lacks the key for.
const KeylessWait = 30 * time.Second

// PutOff is GiveBack for a step that this process lacks the key for: another may have it, or this
// one gets it.
func (d Delivery) PutOff(at time.Time) Result {
	r := d.waiting(d.Step, KeylessWait)
	if d.isOpen() {
		r.Error = stillOpen("crier cannot read the credentials at the moment", at)
	}
	return r
}

// PutOffComment is PutOff for a first comment.
func (d Delivery) PutOffComment(at time.Time) CommentResult {
	return d.commentResult(d.alone().PutOff(at))
}
