package google

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Error is what an API says in a refusal. It is the cause of what a refusal means.
type Error struct {
	Code     int      // the HTTP status
	Status   string   // such as INVALID_ARGUMENT; empty: an older API
	Message  string   // in general
	Reasons  []string // such as ACCESS_TOKEN_SCOPE_INSUFFICIENT, and those of older APIs
	Problems []string // with single fields
	Retry    time.Duration
	// Limit is the quota that was used up, and LimitValue how much it allows.
	Limit, LimitValue string
}

// Error says it for logs: codes alone, since texts may quote what was sent.
func (e Error) Error() string {
	return fmt.Sprintf("status %d: %s %s", e.Code, e.Status, strings.Join(e.Reasons, " "))
}

// says returns what went wrong in particular, or else in general.
func (e Error) says() string {
	return cmp.Or(schema.Clauses(e.Problems...), e.Message, e.Status, "Google gave no reason")
}

// Has reports whether a reason is one of the error's.
func (e Error) Has(reason string) bool { return slices.Contains(e.Reasons, reason) }

// ReadError reads the body of a refusal. It is false where that is no API's.
func ReadError(body []byte) (Error, bool) {
	var envelope struct {
		Error struct {
			Code    int    `json:"code"`
			Status  string `json:"status"`
			Message string `json:"message"`
			Errors  []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
			Details []detail `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Error.Code == 0 {
		return Error{}, false
	}
	read := Error{Code: envelope.Error.Code, Status: envelope.Error.Status, Message: envelope.Error.Message}
	for _, e := range envelope.Error.Errors {
		read.Reasons = append(read.Reasons, e.Reason)
	}
	for _, d := range envelope.Error.Details {
		read.add(d)
	}
	return read, true
}

// detail is of one of several types (google.rpc: ErrorInfo, RetryInfo, BadRequest; of the
// Business Profile's own: ValidationError).
type detail struct {
	Reason   string `json:"reason"`
	Metadata struct {
		Limit      string `json:"quota_limit"`
		LimitValue string `json:"quota_limit_value"`
	} `json:"metadata"`
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		Field       string `json:"field"`
		Description string `json:"description"`
	} `json:"fieldViolations"`
	Errors []struct {
		Code    json.RawMessage `json:"code"` // a name or its number
		Field   string          `json:"field"`
		Message string          `json:"message"`
	} `json:"errorDetails"`
}

func (e *Error) add(d detail) {
	if d.Reason != "" {
		e.Reasons = append(e.Reasons, d.Reason)
	}
	e.Limit, e.LimitValue = cmp.Or(e.Limit, d.Metadata.Limit), cmp.Or(e.LimitValue, d.Metadata.LimitValue)
	if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
		e.Retry = max(e.Retry, wait)
	}
	for _, v := range d.Violations {
		e.Problems = append(e.Problems, problem(v.Field, v.Description))
	}
	for _, entry := range d.Errors {
		if code := strings.Trim(string(entry.Code), `"`); code != "" {
			e.Reasons = append(e.Reasons, code)
		}
		e.Problems = append(e.Problems, problem(entry.Field, entry.Message))
	}
}

func problem(field, text string) string {
	if field == "" || text == "" {
		return cmp.Or(text, field)
	}
	return field + ": " + text
}

const (
	// minuteWait is for quotas of a minute, of which no answer tells the end.
	minuteWait = time.Minute
	// operatorWait is when a call is made again that waits for crier's operator.
	operatorWait = 5 * time.Minute
)

// Codes of a refusal beside its reasons and its status.
const (
	noQuota   = "no quota" // a limit of nothing
	docErrors = "cloud.google.com/apis/design/errors"
)

// Read reads a refusal in Google's form.
func Read(response *connectors.Response) (connectors.Refusal, bool) {
	f, ok := ReadError(response.Body)
	if !ok {
		return connectors.Refusal{}, false
	}
	refusal := connectors.Refusal{Codes: append(slices.Clone(f.Reasons), f.Status), Message: f.says(), Cause: f}
	switch {
	case response.Status != http.StatusTooManyRequests:
	case f.LimitValue == "0":
		refusal.Codes = append(refusal.Codes, noQuota)
	case response.Header.Get("Retry-After") == "":
		refusal.Wait = f.Retry
		if refusal.Wait == 0 && strings.Contains(f.Limit, "PerDay") {
			refusal.Wait = UntilNextDay(response.Header)
		}
	}
	return refusal, true
}

// Answers are the rows that the refusals of all of Google's APIs share. Waits for the operator cost no post
// its try: nothing is wrong with it.
func Answers() []connectors.Answer {
	return []connectors.Answer{
		{
			Status: []int{4}, Codes: []string{"SERVICE_DISABLED", "accessNotConfigured"},
			Means: connectors.IsAwaited, Wait: operatorWait,
			Message: "Google's API is not enabled for crier's app: its operator has to enable it", Source: "gitroomhq/postiz-app issue 1692",
			Example: `{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}}`,
		},
		{
			Status: []int{4}, Codes: []string{"ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"},
			Means: connectors.EndsAccount, End: schema.EndScope, Source: docErrors,
			Example: `{"error":{"code":403,"message":"m","errors":[{"reason":"insufficientPermissions"}]}}`,
		},
		{
			Status: []int{http.StatusTooManyRequests}, Codes: []string{noQuota},
			Means: connectors.IsAwaited, Wait: operatorWait,
			Message: "Google has granted crier's app no calls of this API: its operator has to apply for access",
			Source:  "developers.google.com/my-business/content/limits",
			Example: `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"metadata":{"quota_limit_value":"0"}}]}}`,
		},
		{
			Status: []int{http.StatusTooManyRequests}, Own: true,
			Means: connectors.IsAwaited, Wait: minuteWait, Source: docErrors,
			Example: `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`,
		},
	}
}

// UntilNextDay returns how long a day's quota is gone, by the clock of who wrote the answer.
func UntilNextDay(header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return minuteWait
	}
	return NextDay(at).Sub(at)
}

// NextDay returns when the quotas of a day begin again: at midnight Pacific time.
func NextDay(now time.Time) time.Time {
	pacific, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // not reached: the program holds the zones
	}
	year, month, day := now.In(pacific).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, pacific)
}
