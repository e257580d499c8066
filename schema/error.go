package schema

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// ErrorKind says what somebody can do about an Error. The gateway maps it to a status and
// a code, the pipeline to a state.
type ErrorKind int

// The kinds of errors. Those up to Unavailable are the API's; from Refused on they
// are what a platform's answer meant.
const (
	Internal            ErrorKind = iota // our fault; nothing of it is shown
	Invalid                              // validation_error
	AccountAmbiguous                     // several accounts, none named
	InvalidState                         // the resource is in another state
	Unauthorized                         // no valid key
	Forbidden                            // the key may not
	KeyUnconfirmed                       // the key is of a backup, and nobody has confirmed it since
	PlanLimitReached                     // the plan allows no more
	NotFound                             // it does not exist, or is another workspace's
	MethodNotAllowed                     // the path takes other methods
	IdempotencyConflict                  // the key was used with another body
	PausedByOperator                     // a member cannot resume what the operator has paused
	RateLimitExceeded                    // too many requests
	DailyLimitReached                    // the account's day is full
	PayloadTooLarge                      // the body is over its bound
	Unavailable                          // a part we need does not answer

	Refused     // the platform refused the content for good
	Duplicate   // the platform says it has this already: a hint that an earlier call worked, but no proof
	TokenDead   // crier can no longer act for the account; End says why if that is known
	RateLimited // the platform asks to wait; RetryAfter says how long
	Retryable   // the platform failed and did nothing: 5xx, or never reached
	Unknown     // the call was sent and its answer lost: it may have worked
)

// Error is a failure somebody can act on; any other error is a fault.
type Error struct {
	Kind       ErrorKind
	Message    string        // safe to show
	Details    []Detail      // all that is wrong with a request, each with its field
	RetryAfter time.Duration // zero if none was given
	Alone      bool          // RetryAfter is of calls such as this one alone: others of the account need not wait
	End        End           // of TokenDead: what became of the account; NotEnded: the platform did not say
	Repeats    bool          // of Refused: the account has the same already, by another post
	Doubtful   bool          // of TokenDead: the refusal may be of this call alone; a check of the account tells
	Unprepared bool          // of a refused Publish: what Prepare made is gone, so Prepare runs again before the next call
	Advanced   bool          // of a failed Prepare: it got further than any before it, as in Progress.Advanced
	Err        error         // cause, for the log only
}

// Detail is one thing that is wrong with a request, or worth a warning.
type Detail struct {
	Field    string `json:"field"`
	Platform string `json:"platform,omitempty"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	// Of a limit that is reached: the limit, and the next UTC day below it, as
	// 2006-01-02.
	Limit       int    `json:"limit,omitempty"`
	NextFreeDay string `json:"nextFreeDay,omitempty"`
}

// IsAmong reports whether one of others says the same of the same field of the same platform, in whatever
// words.
func (d Detail) IsAmong(others []Detail) bool {
	return slices.ContainsFunc(others, func(other Detail) bool {
		return other.Field == d.Field && other.Platform == d.Platform && other.Code == d.Code
	})
}

// Error is for logs: it includes the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error; Internal if it is not an Error, that is, a fault
// of ours.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// InvalidDetails makes the validation error of several details.
func InvalidDetails(details []Detail) *Error {
	messages := make([]string, len(details))
	for i, d := range details {
		messages[i] = d.Field + ": " + d.Message
	}
	return &Error{Kind: Invalid, Message: Clauses(messages...), Details: details}
}

// Clauses joins messages to one. Some are a platform's own, which end as sentences do.
func Clauses(messages ...string) string {
	var joined strings.Builder
	for i, message := range messages {
		message = strings.TrimSpace(message)
		if i == len(messages)-1 {
			joined.WriteString(message)
			break
		}
		joined.WriteString(strings.TrimRight(message, "."))
		if !strings.HasSuffix(message, "?") && !strings.HasSuffix(message, "!") {
			joined.WriteByte(';')
		}
		joined.WriteByte(' ')
	}
	return joined.String()
}

// InvalidField makes the validation error of one field.
func InvalidField(field, code, message string) *Error {
	return InvalidDetails([]Detail{{Field: field, Code: code, Message: message}})
}
