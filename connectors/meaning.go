package connectors

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// Answers is what the answers of a platform mean beyond their status: how its refusals are read, and
// a table of those that mean something of their own.
type Answers struct {
	// Read reads a refusal in the platform's form. It is false for what is not the platform's own, such as
	// a proxy's page; rows without a code and a text match that all the same.
	Read func(*Response) (Refusal, bool)
	// Table is read from the top: the first row that covers an answer counts. What none covers has the
	// default meaning of its status.
	Table []Answer
}

// Refusal is what a platform says in an answer other than 2xx.
type Refusal struct {
	Codes   []string      // its codes in the platform's words, such as "190/459" and "190"
	Message string        // for people
	Wait    time.Duration // that the platform names in a form of its own; 0: none
	Cause   error         // for logs
}

// Meaning is what an answer means for the work whose call it answers.
type Meaning int

// The meanings.
const (
	IsRefused     Meaning = iota + 1 // for good
	IsDuplicate                      // the platform says that it has this already
	IsRetried                        // nothing was done; it costs a try
	IsAwaited                        // nothing was done; it costs no try
	IsUnknown                        // a visible call may have been carried out; any other is retried
	ChecksAccount                    // the account is looked at by itself before anything ends
	EndsAccount                      // End says why
	DoubtsAccount                    // the account is looked at by itself: if it works, this call alone is refused
)

var meaningNames = map[Meaning]string{
	IsRefused: "refused", IsDuplicate: "duplicate", IsRetried: "retried", IsAwaited: "waits", IsUnknown: "unknown",
	ChecksAccount: "the account is checked", EndsAccount: "the account has ended",
	DoubtsAccount: "the account is checked; if it works, refused",
}

// String returns the meaning as the documents name it.
func (m Meaning) String() string { return meaningNames[m] }

var meaningKinds = map[Meaning]schema.ErrorKind{
	IsRefused: schema.Refused, IsDuplicate: schema.Duplicate, IsRetried: schema.Retryable, IsAwaited: schema.RateLimited,
	IsUnknown: schema.Unknown, ChecksAccount: schema.TokenDead, EndsAccount: schema.TokenDead,
	DoubtsAccount: schema.TokenDead,
}

// Scope is which calls a row is about.
type Scope int

// The scopes.
const (
	AnyCall     Scope = iota
	VisibleCall       // the one call that makes an entry visible
	HiddenCall        // any other
	ReadCall          // of those the ones that only read (GET)
)

func (s Scope) covers(call Call) bool {
	switch s {
	case VisibleCall:
		return call.Visible
	case HiddenCall:
		return !call.Visible
	case ReadCall:
		return !call.Visible && (call.Method == "" || call.Method == http.MethodGet || call.Method == http.MethodHead)
	default:
		return true
	}
}

// Answer is one row of the table: which answers it covers, and what they mean. Fields that are zero
// cover all.
type Answer struct {
	Scope      Scope
	Operations []string // of the platform, any of them
	Status     []int    // any of them; 4 and 5 are all of 4xx and 5xx. Where it is empty, no 5xx of a visible call
	// Codes are any of those that a Refusal has. "200-299" covers the numbers between.
	Codes []string
	Own   bool   // the answer is in the platform's own form: Read has read it
	Says  string // is part of the message

	Means Meaning
	End   schema.End    // of EndsAccount
	Wait  time.Duration // of IsAwaited and IsRetried, where the answer names none
	// Alone: the wait is of such calls alone. Unprepared: what was prepared is gone and is made again.
	Alone, Unprepared bool
	Message           string // in place of the platform's own
	Cause             error  // of all such answers, for errors.Is

	Source  string // the document or the report that tells of it
	Example string // a body of such an answer
}

// EndOfAccount returns the rows of an answer that tells of the end of its account, whatever was called. A
// read may be refused for what it reads, except by the operations that ask for the account itself.
func EndOfAccount(answer Answer, ofItself ...string) []Answer {
	answer.Means = EndsAccount
	itself, read := answer, answer
	itself.Operations = ofItself
	read.Scope, read.Means, read.End = ReadCall, ChecksAccount, schema.NotEnded
	return []Answer{itself, read, answer}
}

// WithoutEnd judges the refusal of a call that publishing does not need: a token that may not make it may
// publish all the same.
func WithoutEnd(err error) error {
	if e, ok := errors.AsType[*schema.Error](err); ok && (e.End == schema.EndScope || e.Doubtful) {
		return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	return err
}

// Match returns the row that covers an answer, and what the platform said in it.
func (a Answers) Match(call Call, response *Response) (Answer, Refusal, bool) {
	var refusal Refusal
	var own bool
	if a.Read != nil {
		refusal, own = a.Read(response)
	}
	for _, row := range a.Table {
		if (own || !row.Own) && row.covers(call, response.Status, refusal) {
			return row, refusal, true
		}
	}
	return Answer{}, refusal, false
}

// Error returns the error that an answer means by the table, else by its status with the platform's
// words; nil where the platform said nothing of its own and no row covers the answer.
func (a Answers) Error(call Call, response *Response) *schema.Error {
	row, refusal, ok := a.Match(call, response)
	if !ok && refusal.Message == "" {
		return nil
	}
	e := &schema.Error{Message: refusal.Message, Err: refusal.Cause}
	if !ok {
		e.Kind, e.RetryAfter = kindOf(call, response), refusal.Wait
		return e
	}
	e.Kind, e.End, e.Alone, e.Unprepared = meaningKinds[row.Means], row.End, row.Alone, row.Unprepared
	e.Doubtful, e.RetryAfter = row.Means == DoubtsAccount, row.wait(response, refusal)
	if row.Message != "" {
		e.Message = row.Message
	}
	if row.Cause != nil {
		e.Err = row.Cause
	}
	if e.Message == "" {
		e.Message = platformWords(response)
	}
	return e
}

func (r Answer) covers(call Call, status int, refusal Refusal) bool {
	return r.Scope.covers(call) &&
		(len(r.Operations) == 0 || slices.Contains(r.Operations, call.Operation)) &&
		r.coversStatus(call, status) &&
		(len(r.Codes) == 0 || slices.ContainsFunc(r.Codes, refusal.has)) &&
		(r.Says == "" || strings.Contains(refusal.Message, r.Says))
}

// coversStatus: what a server that failed says of a visible call says nothing about whether it was carried
// out, unless a row is about such answers.
func (r Answer) coversStatus(call Call, status int) bool {
	if len(r.Status) == 0 {
		return !call.Visible || status < 500
	}
	return slices.ContainsFunc(r.Status, func(s int) bool { return s == status || s < 10 && s == status/100 })
}

// has reports whether a refusal has a code, or one of a range.
func (r Refusal) has(pattern string) bool {
	first, last, isRange := strings.Cut(pattern, "-")
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if !isRange || errFrom != nil || errTo != nil {
		return slices.Contains(r.Codes, pattern)
	}
	return slices.ContainsFunc(r.Codes, func(code string) bool {
		n, err := strconv.Atoi(code)
		return err == nil && n >= from && n <= to
	})
}

// wait is how long an answer asks to wait: by the platform's own form, by the headers, else by the row.
// The headers are read by the client where it is 0.
func (r Answer) wait(response *Response, refusal Refusal) time.Duration {
	switch {
	case r.Means != IsAwaited && r.Means != IsRetried:
		return 0
	case refusal.Wait > 0:
		return refusal.Wait
	case r.Means == IsAwaited && saysWhen(response.Header):
		return 0
	default:
		return r.Wait
	}
}
