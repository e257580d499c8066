package schema

import (
	"cmp"
	"time"

	"crier/schema/retry"
)

// The renewal of an account's credentials: it trades a refresh token before the access
// token expires, or once the platform refuses that, and finds out what a refusal means if
// there is nothing to trade.
//
//	trade ─┬─ new credentials ─▶ stored at once; after a refusal checked first, and ended where they are refused too
//	       ├─ refused for good (invalid_grant) ─▶ the account is ended
//	       ├─ not reached, rate limited ─▶ trade again, later
//	       └─ no answer ─▶ check the old credentials
//	                       ├─ they work ─▶ used until they expire, then checked again
//	                       └─ they do not ─▶ trade again: there is nothing left to lose
//
// The refresh token may be void once it was sent, and some platforms revoke all of an
// account's tokens when one is used twice. So a trade is recorded before it is made, and
// one whose outcome is not known is not repeated while the old credentials work.
//
// An account whose end may pass is checked again, now and then.

// RenewalStep is what an account's renewal needs next. Its number is stored: it never
// changes.
type RenewalStep int16

// The steps of a renewal.
const (
	RenewalIdle  RenewalStep = iota // nothing was begun
	RenewalTrade                    // a trade was begun, and its outcome is not known
	RenewalAgain                    // and the old credentials have been found dead since: trade again
	RenewalCheck                    // a call was refused that may say nothing of the account: check it, and trade nothing
)

// Renewal is one claimed step of the renewal of an account's credentials.
type Renewal struct {
	Account  Account
	Claim    int32
	Trade    bool // trade the refresh token; otherwise check the credentials
	Open     bool // an earlier trade was begun, and its outcome is not known
	Doubtful bool // a call was refused that may say nothing of the account: its step is RenewalCheck
	Attempts int
	Warned   bool      // of the expiry
	Deadline time.Time // of the call, on this process's clock
}

// RenewalOutcome is the outcome of a renewal's call.
type RenewalOutcome struct {
	Sealed    []byte    // of a trade: the new credentials, sealed
	ExpiresAt time.Time // of them, or of those that were checked; zero: not known
	Renewable bool      // of the new credentials
	Rejected  *Error    // of a trade: the platform refuses the new credentials as well; nil: it does not, or was not asked
	Keyless   bool      // nothing was called: see Outcome
	Settings  []byte    // of a check: what the platform allows the account; empty: nothing is known
	Name      string    // of a check: what the platform calls the account; empty: nothing is known
	Err       *Error
}

// RenewalResult is the state of an account after a step of its renewal.
type RenewalResult struct {
	Account  Account // as it is from now on
	Settings []byte  // new ones; empty: they stay as they are
	Name     string  // a new one; empty: it stays as it is
	Claim    int32
	Traded   bool // Account.Sealed are new credentials
	Good     bool // the platform accepted the credentials just now
	Ended    bool // it has ended just now: its owner is to be told
	Revived  bool // it had ended, and works again
	Settled  bool // a target whose call was refused may try again
	Warn     bool // its owner is to be told of the expiry
	Step     RenewalStep
	Attempts int
	NextAt   time.Time // zero: nothing more is to be done
}

const (
	// ExpiryNotice is how long before the expiry of credentials that crier cannot renew
	// their owner is told.
	ExpiryNotice = 7 * 24 * time.Hour
	// RenewalWait is how long a target waits whose call was refused for dead credentials.
	RenewalWait = 5 * time.Second
	// RenewalTrust is how long new credentials, or those that were found good, are not
	// checked again: what the platform refuses in that time, it refuses for other
	// reasons.
	RenewalTrust = time.Minute

	// LimitsAge is how old what a platform said of an account's limits may be.
	LimitsAge = 24 * time.Hour

	renewalMargin = 10 // a renewable token is renewed when the n-th part of its life is left
	// RenewalEarliest is how long before the expiry of its token an account is renewed at the earliest,
	// unless its platform refuses that.
	RenewalEarliest  = 3 * 24 * time.Hour
	renewalLatest    = time.Minute
	renewalPatience  = time.Hour // between tries that fail
	renewalQuickness = 5 * time.Second
)

// RenewalDue returns when an account must next be looked at, for its credentials or its limits; zero:
// never. warned is whether its owner was told of the expiry.
func (a Account) RenewalDue(now time.Time, warned bool) time.Time {
	if a.Problem() != nil || a.Disconnected {
		return time.Time{}
	}
	due, limits := a.credentialsDue(now, warned), now.Add(LimitsAge)
	if a.HasOwnLimits() && (due.IsZero() || limits.Before(due)) {
		return limits
	}
	return due
}

func (a Account) credentialsDue(now time.Time, warned bool) time.Time {
	switch left := a.ExpiresAt.Sub(now); {
	case a.ExpiresAt.IsZero():
		return time.Time{}
	case a.Renewable:
		return a.ExpiresAt.Add(-min(max(left/renewalMargin, renewalLatest), RenewalEarliest, max(left/2, 0)))
	case left > ExpiryNotice || !warned:
		return a.ExpiresAt.Add(-ExpiryNotice)
	case left > 0:
		return a.ExpiresAt
	default:
		return time.Time{}
	}
}

// After returns the result of a step. now is the database's time; jitter in [0,1) spreads
// tries.
func (r Renewal) After(o RenewalOutcome, now time.Time, jitter float64) RenewalResult {
	result := RenewalResult{Account: r.Account, Claim: r.Claim}
	switch {
	case o.Err == nil && r.Trade:
		return r.traded(result, o, now)
	case o.Err == nil:
		return r.alive(result, o, now)
	case o.Err.Kind == Unknown && r.Trade:
		result.Step, result.Attempts, result.NextAt = RenewalTrade, r.Attempts+1, now.Add(SettleTime)
		return result
	case r.Account.Problem() != nil:
		return r.stillEnded(result, now)
	case o.Err.Kind == Refused && r.Doubtful: // not for its credentials
		return r.alive(result, RenewalOutcome{}, now)
	case o.Err.Kind == TokenDead && o.Err.End == NotEnded && r.Doubtful && r.Account.Renewable && now.Sub(r.Account.CheckedAt) > RenewalTrust:
		result.Attempts, result.NextAt = r.Attempts, now
		return result // and trade
	case o.Err.Kind == TokenDead && o.Err.End == NotEnded && !r.Trade && (r.Open || r.Account.Renewable && !r.Doubtful):
		result.Step, result.Attempts, result.NextAt = RenewalAgain, r.Attempts, now
		return result
	case o.Err.Kind == TokenDead || o.Err.Kind == Refused && r.Account.Renewing:
		return r.ended(result, ProblemOf(o.Err), now)
	default:
		return r.later(result, o.Err, now, jitter)
	}
}

// ended ends the account. Its platform has refused it twice: a post's call, and the check
// since then, for whatever reason that was refused.
func (r Renewal) ended(result RenewalResult, p AccountProblem, now time.Time) RenewalResult {
	result.Ended, result.Settled = true, true
	result.Account = r.Account.Ended(p)
	if wait := p.End.EndLookIn(0); wait > 0 {
		result.NextAt = now.Add(wait)
	}
	return result
}

// stillEnded leaves an account ended after a check that found it so, with the first
// reason: a later check may be refused for another.
func (r Renewal) stillEnded(result RenewalResult, now time.Time) RenewalResult {
	result.Settled, result.Attempts = true, r.Attempts+1
	if wait := r.Account.Problem().End.EndLookIn(result.Attempts); wait > 0 {
		result.NextAt = now.Add(wait)
	}
	return result
}

// traded stores the new credentials.
func (r Renewal) traded(result RenewalResult, o RenewalOutcome, now time.Time) RenewalResult {
	result.Account, result.Revived = r.Account.Revived(), r.Account.Problem() != nil
	a := &result.Account
	a.Sealed, a.ExpiresAt, a.Renewable = o.Sealed, o.ExpiresAt, o.Renewable
	result.Traded, result.Good, result.Settled = true, true, true
	result.Settings, result.Name = o.Settings, o.Name
	result.NextAt = a.RenewalDue(now, false)
	if o.Rejected != nil {
		return r.rejected(result, ProblemOf(o.Rejected), now)
	}
	return result
}

// rejected stores new credentials that the platform refuses like those before: they are the only ones, and
// the account has ended.
func (r Renewal) rejected(result RenewalResult, p AccountProblem, now time.Time) RenewalResult {
	result.Good, result.Revived = false, false
	if already := r.Account.Problem(); already != nil {
		result.Account = result.Account.Ended(*already)
		return r.stillEnded(result, now)
	}
	traded := result.Account
	result = r.ended(result, p, now)
	result.Account = traded.Ended(p)
	return result
}

// alive keeps credentials that work. If a trade is open, they are used until they expire,
// since another trade could end them. Self-renewing ones are different: they keep working
// after a trade and cannot be traded once they have expired, so they are traded again in
// time.
func (r Renewal) alive(result RenewalResult, o RenewalOutcome, now time.Time) RenewalResult {
	result.Account, result.Revived = r.Account.Revived(), r.Account.Problem() != nil
	a := &result.Account
	if !o.ExpiresAt.IsZero() {
		a.ExpiresAt = o.ExpiresAt
	}
	result.Good, result.Settled, result.Settings, result.Name = true, true, o.Settings, o.Name
	if r.Open && !a.Platform.TradesTokensForThemselves() {
		result.Step = RenewalTrade
		result.NextAt = a.ExpiresAt
		return result
	}
	left := a.ExpiresAt.Sub(now)
	result.Warn = !r.Warned && !a.Renewable && !a.ExpiresAt.IsZero() && left > 0 && left <= ExpiryNotice
	result.NextAt = a.RenewalDue(now, r.Warned || result.Warn)
	return result
}

// later tries again after a call that says nothing about the credentials.
func (r Renewal) later(result RenewalResult, e *Error, now time.Time, jitter float64) RenewalResult {
	wait := min(cmp.Or(e.RetryAfter, retry.Renewal.Wait(r.Attempts, jitter)), renewalPatience)
	if e.Kind == Refused {
		wait = renewalPatience
	}
	result.Step, result.Attempts, result.NextAt = r.unsettled(), r.Attempts+1, now.Add(max(wait, renewalQuickness))
	return result
}

// unsettled is the step of a renewal that has come to nothing yet.
func (r Renewal) unsettled() RenewalStep {
	switch {
	case r.Open:
		return RenewalTrade
	case r.Doubtful:
		return RenewalCheck
	default:
		return RenewalIdle
	}
}

// GiveBack returns the result of giving the claim back. A trade that was claimed but not
// made is not open.
func (r Renewal) GiveBack(now time.Time) RenewalResult {
	return RenewalResult{Account: r.Account, Claim: r.Claim, Step: r.unsettled(), Attempts: r.Attempts, NextAt: now}
}

// PutOff is GiveBack for credentials whose key this process lacks: another may have it, or this
// one gets it.
func (r Renewal) PutOff(now time.Time) RenewalResult {
	result := r.GiveBack(now)
	result.NextAt = now.Add(KeylessWait)
	return result
}
