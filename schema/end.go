package schema

import (
	"errors"
	"fmt"
	"time"
)

// End is why a platform lets crier act for an account no more. Its number is stored: it
// never changes.
//
//	a call is refused ─┬─ and says why (End) ─▶ the account is ended at once
//	                   └─ and does not ─▶ the account is checked (Renewal) ─▶ ended, or not
//
// From then on its posts fail with the reason, and it is told once by account.error. A
// reconnect undoes every end. Those that may pass without one are looked at again by the
// renewal, and whenever somebody asks for the account's health.
type End int16

// The ends of an account.
const (
	NotEnded       End = iota
	EndRevoked         // the token, the app password or the bot's token no longer works
	EndScope           // the credentials work, and no longer allow to publish
	EndRemoved         // the bot is no longer in the chat, or the chat is not there
	EndSuspended       // the platform took the account down, or froze it
	EndDeactivated     // its owner deactivated it, or has still to confirm it
	EndDeleted         // it is no more
)

// EndTraits is what follows from an end.
type EndTraits struct {
	Code string // of account.error, and of the posts that fail by it
	// Reconnect tells that connecting the account again helps. Where it does not, somebody
	// has to act on the platform first.
	Reconnect bool
	// Passes tells that it may be over without a reconnect, and that a check shows it.
	Passes bool
}

// Traits returns what follows from the end.
func (e End) Traits() EndTraits {
	switch e {
	case EndRemoved:
		return EndTraits{Code: CodeNeedsReconnect, Reconnect: true, Passes: true}
	case EndSuspended:
		return EndTraits{Code: CodeSuspended, Passes: true}
	case EndDeactivated:
		return EndTraits{Code: CodeDeactivated, Passes: true}
	case EndDeleted:
		return EndTraits{Code: CodeDeleted, Passes: true}
	default:
		return EndTraits{Code: CodeNeedsReconnect, Reconnect: true}
	}
}

// String names the end, as the controls of the simulators do.
func (e End) String() string {
	names := [...]string{
		NotEnded: "", EndRevoked: "revoked", EndScope: "scope-withdrawn", EndRemoved: "removed",
		EndSuspended: "suspended", EndDeactivated: "deactivated", EndDeleted: "deleted",
	}
	if e < 0 || int(e) >= len(names) {
		return fmt.Sprintf("end(%d)", int16(e))
	}
	return names[e]
}

// The codes of what is wrong with an account.
const (
	CodeNeedsReconnect = "account_needs_reconnect"
	CodeSuspended      = "account_suspended"
	CodeDeactivated    = "account_deactivated"
	CodeDeleted        = "account_deleted"
	CodeDisconnected   = "account_disconnected"
)

// AccountProblem is why an account does not work.
type AccountProblem struct {
	End     End    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"` // the platform's, safe to show
}

// ProblemOf returns what a refusal of the kind TokenDead says of the account.
func ProblemOf(err error) AccountProblem {
	end, message := EndRevoked, ""
	if e, ok := errors.AsType[*Error](err); ok {
		message = e.Message
		if e.End != NotEnded {
			end = e.End
		}
	}
	return problem(end, message)
}

func problem(end End, message string) AccountProblem {
	if message == "" {
		message = "the platform takes the account's credentials no more"
	}
	return AccountProblem{End: end, Code: end.Traits().Code, Message: message}
}

// Problem returns why the account has ended; nil while it has not.
func (a Account) Problem() *AccountProblem {
	end := a.End
	if end == NotEnded && a.NeedsReconnect {
		end = EndRevoked
	}
	if end == NotEnded {
		return nil
	}
	p := problem(end, a.EndMessage)
	return &p
}

// Ended returns the account as it is once it has ended.
func (a Account) Ended(p AccountProblem) Account {
	a.End, a.EndMessage, a.NeedsReconnect, a.Renewing = p.End, p.Message, p.End.Traits().Reconnect, false
	return a
}

// Revived returns the account as it is once its platform lets crier act for it.
func (a Account) Revived() Account {
	a.End, a.EndMessage, a.NeedsReconnect, a.Renewing = NotEnded, "", false, false
	return a
}

// How soon an account that has ended is looked at again, where its end may pass: soon at
// first, and less and less often.
const (
	endLookFirst = 5 * time.Minute
	endLookLast  = 6 * time.Hour
)

// EndLookIn returns when an account is looked at again after a number of looks that found
// it ended; zero: never.
func (e End) EndLookIn(looks int) time.Duration {
	if !e.Traits().Passes {
		return 0
	}
	return min(endLookFirst<<min(looks, 8), endLookLast)
}
