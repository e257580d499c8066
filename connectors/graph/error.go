package graph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"crier/schema"
)

// Error is the error object of an answer
// (developers.facebook.com/docs/graph-api/guides/error-handling).
type Error struct {
	Status      int    `json:"-"` // of the answer
	Message     string `json:"message"`
	Type        string `json:"type"`
	Code        int    `json:"code"`
	Subcode     int    `json:"error_subcode"`
	Transient   bool   `json:"is_transient"`
	UserMessage string `json:"error_user_msg"` // for people, in their language; often not there
	Trace       string `json:"fbtrace_id"`     // by which Meta finds the call
}

// Error says it for logs.
func (r Error) Error() string {
	return fmt.Sprintf("status %d: code %d, subcode %d, %s (fbtrace_id %s)", r.Status, r.Code, r.Subcode, r.Type, r.Trace)
}

// Has reports whether it is of a code and a subcode.
func (r Error) Has(code, subcode int) bool { return r.Code == code && r.Subcode == subcode }

// Read returns the refusal that an answer is; ok is false where it is none, as a proxy's
// page is none. The pages of consent and the redemption of codes have a form of their own.
func Read(status int, body []byte) (r Error, ok bool) {
	var answer struct {
		Error   *Error `json:"error"`
		Type    string `json:"error_type"`
		Message string `json:"error_message"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err == nil && answer.Error != nil && (answer.Error.Code != 0 || answer.Error.Message != ""):
		r = *answer.Error
	case err == nil && answer.Type != "" && answer.Message != "":
		r = Error{Type: answer.Type, Message: answer.Message}
	default:
		return Error{}, false
	}
	r.Status = status
	return r, true
}

// The codes that all Graph APIs have.
const (
	codeUnknown       = 1
	codeUnavailable   = 2
	codePermission    = 10
	codeSession       = 102
	codeToken         = 190
	firstNotPermitted = 200
	lastNotPermitted  = 299
	codeDuplicate     = 506
)

// Subcodes of codeToken that a person has to settle with Meta, after which the token works
// again.
const (
	subcodeCheckpoint  = 459
	subcodeUnconfirmed = 464
)

// defaultWait is how long a caller waits that is told of no time: limits are of the last
// hour, and something of it has passed by then.
const defaultWait = 5 * time.Minute

// Classify is the Classify of a connectors.ClientConfig: nil for what is no refusal of
// Meta's own, so that it has the default meaning. The error has the Error as its cause.
func Classify(status int, header http.Header, body []byte) *schema.Error {
	r, ok := Read(status, body)
	if !ok {
		return nil
	}
	meant := r.meaning()
	meant.Message, meant.Err = cmp.Or(r.UserMessage, r.Message, "the platform gave no reason"), r
	if meant.Kind == schema.RateLimited && header.Get("Retry-After") == "" {
		meant.RetryAfter = cmp.Or(usageOf(header).regain, defaultWait)
	}
	return meant
}

// meaning is what the code of a refusal says, else its status.
func (r Error) meaning() *schema.Error {
	switch {
	case r.Code == codeToken && (r.Subcode == subcodeCheckpoint || r.Subcode == subcodeUnconfirmed):
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndDeactivated}
	case r.Code == codeToken || r.Code == codeSession:
		return &schema.Error{Kind: schema.TokenDead}
	case r.Code == codePermission || r.Code >= firstNotPermitted && r.Code <= lastNotPermitted:
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndScope}
	case isThrottling(r.Code):
		return &schema.Error{Kind: schema.RateLimited}
	case r.Code == codeDuplicate:
		return &schema.Error{Kind: schema.Duplicate}
	case r.Transient || r.Code == codeUnknown || r.Code == codeUnavailable || r.Code < 0:
		return &schema.Error{Kind: schema.Unknown}
	}
	switch {
	case r.Status == http.StatusTooManyRequests:
		return &schema.Error{Kind: schema.RateLimited}
	case r.Status == http.StatusUnauthorized:
		return &schema.Error{Kind: schema.TokenDead}
	case r.Status >= http.StatusInternalServerError:
		return &schema.Error{Kind: schema.Unknown}
	default:
		return &schema.Error{Kind: schema.Refused}
	}
}

// isThrottling reports whether a code is one of too many calls: of the app (4), the user (17),
// the page (32), the app's hour (341), of one operation (613), or of a use case.
func isThrottling(code int) bool {
	switch code {
	case 4, 17, 32, 341, 613:
		return true
	}
	return code >= 80000 && code <= 80014
}
