package twitter

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/schema"
)

// Codes of the API's first version, which some refusals of v2 still come with
// (docs.x.com/x-api/fundamentals/response-codes-and-errors).
const (
	codeSuspended  = 64
	codeDuplicate  = 187
	codeLocked     = 326
	codeRestricted = 433 // the author of the post chose who may reply
)

// What X says in refusals that have no type of their own (about:blank), as reported in
// github.com/akrherz/iembot issues 156 and 163, and gptme/gptme-contrib pull request 811.
const (
	saysDuplicate = "duplicate content"
	saysLocked    = "temporarily locked"
	saysUninvited = "Reply to this conversation is not allowed"
	suspendedType = "/problems/user-suspended"
	cappedType    = "/problems/usage-capped"
)

const (
	// untoldWait is for a rate limit that does not say when it ends.
	untoldWait = time.Minute
	// planWait is for what only the operator can change: a plan that is used up, credits
	// that are spent.
	planWait = 15 * time.Minute
)

// problem is a refusal: one of RFC 9457 with X's errors beside it, or those of the API's
// first version alone.
type problem struct {
	Type   string `json:"type"`
	Detail string `json:"detail"`
	Errors []struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
}

// said returns what the refusal says to people. The detail of an invalid request is the
// same for all: what is wrong stands in its errors.
func (p problem) said() string {
	for _, e := range p.Errors {
		if e.Message != "" {
			return e.Message
		}
	}
	return p.Detail
}

func (p problem) hasCode(code int) bool {
	for _, e := range p.Errors {
		if e.Code == code {
			return true
		}
	}
	return false
}

func (p problem) says(text string) bool { return strings.Contains(p.said(), text) }

// Classify is the Classify of the platform's connectors.ClientConfig. Any other answer has
// the default meaning, so that a 401 is a token that no longer works.
func Classify(status int, header http.Header, body []byte) *schema.Error {
	var p problem
	if json.Unmarshal(body, &p) != nil {
		p = problem{}
	}
	said := p.said()
	switch {
	case status == http.StatusTooManyRequests:
		return throttled(header, p)
	case status == http.StatusPaymentRequired: // pay per use, and nothing is left to pay with
		return &schema.Error{Kind: schema.RateLimited, RetryAfter: planWait, Message: cmp.Or(said, "X asks for payment before it takes more")}
	case status >= http.StatusInternalServerError || said == "":
		return nil
	case strings.HasSuffix(p.Type, suspendedType) || p.hasCode(codeSuspended):
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndSuspended, Message: said}
	case p.hasCode(codeLocked) || status == http.StatusForbidden && p.says(saysLocked):
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndDeactivated, Message: said}
	case p.hasCode(codeDuplicate) || status == http.StatusForbidden && p.says(saysDuplicate):
		return &schema.Error{Kind: schema.Duplicate, Message: said}
	case p.hasCode(codeRestricted) || status == http.StatusForbidden && p.says(saysUninvited):
		return refused("%s Since 23 February 2026 X takes a reply from an app only where its author was mentioned or quoted.", said)
	case status == http.StatusBadRequest:
		return &schema.Error{Kind: schema.Refused, Message: said}
	default:
		return nil
	}
}

// throttled is a rate limit: until the end of the windows that are used up, else until the
// one that the client reads from the headers.
func throttled(header http.Header, p problem) *schema.Error {
	e := &schema.Error{Kind: schema.RateLimited, Message: cmp.Or(p.said(), "X asks to wait"), Alone: true} // windows are of an endpoint
	for _, name := range []string{window, appDay, userDay} {
		e.RetryAfter = max(e.RetryAfter, exhausted(header, name))
	}
	saysWhen := slices.ContainsFunc([]string{"Retry-After", window + "-Reset"}, func(name string) bool { return header.Get(name) != "" })
	switch {
	case strings.HasSuffix(p.Type, cappedType):
		e.RetryAfter = max(e.RetryAfter, planWait)
	case e.RetryAfter == 0 && !saysWhen:
		e.RetryAfter = untoldWait
	}
	return e
}
