package schema

import "time"

// MayRenew tells whether a refusal of the account's credentials is to be looked into. Where
// the platform took them a moment ago, or they are new, it refuses for another reason.
func (a Account) MayRenew(at time.Time) bool {
	return a.Problem() == nil && !a.Disconnected && at.Sub(a.CheckedAt) > RenewalTrust
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
