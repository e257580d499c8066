package schema

import (
	"encoding/json"
	"time"
)

// TooLate tells whether nothing of the delivery may go out any more at a time: what is past
// its deadline, or paused past that. What may be there already is looked for.
func (d Delivery) TooLate(at time.Time) bool {
	return d.Step != StepFind && (d.Paused || at.After(d.Until))
}

// Missed ends a target that is too late to go out: a post at a surprising time is worse
// than none.
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

// Blocked returns how the target stands where its account cannot be used: it fails without
// a call, or waits while its credentials are being looked after. ok is false where nothing
// is in the way. A look for what an earlier call made goes on as far as there are
// credentials to look with.
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

// ended fails the target for good: no later entry of a thread would fare better.
func (d Delivery) ended(code, message string, at time.Time) Result {
	d.ContinueOnError = false
	return d.failed(&TargetError{Code: code, Message: message, At: at})
}

// endedBy fails the target with the reason its account has ended for.
func (d Delivery) endedBy(p AccountProblem, at time.Time) Result {
	hint := "retry the post once the account works again"
	if p.End.Traits().Reconnect {
		hint = "connect the account again and retry the post"
	}
	return d.ended(p.Code, p.Message+"; "+hint, at)
}

// endsAccount tells whether a call met the end of the account, said to be one by the
// platform.
func (d Delivery) endsAccount(o Outcome) bool {
	return o.Err != nil && o.Err.Kind == TokenDead && o.Err.End != NotEnded
}

// renewing tells whether a call met dead credentials that are being looked after: it costs
// no try.
func (d Delivery) renewing(o Outcome) bool {
	return d.Renews && o.Err != nil && o.Err.Kind == TokenDead && o.Err.End == NotEnded
}

// MayRenew tells whether a refusal of the account's credentials is to be looked into. Where
// the platform took them a moment ago, or they are new, it refuses for another reason.
func (a Account) MayRenew(at time.Time) bool {
	return a.Problem() == nil && !a.Disconnected && at.Sub(a.CheckedAt) > RenewalTrust
}

// A claim whose step a stop kept from beginning, or cut off, is given back: what it is of
// waits in the same step, due now, and no try is counted.

// GiveBack returns how the target stands once its claim is given back. progress is what a
// step that was cut has come to, nil if nothing.
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

// GiveBackComment returns how the first comment stands once its claim is given back.
func (d Delivery) GiveBackComment(at time.Time) CommentResult {
	return d.commentResult(d.alone().GiveBack(nil, at))
}
