package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/client/internal/api"
)

type (
	// Detail is one thing that is wrong with a request, or worth a warning.
	Detail = api.Detail
	// ErrorCode names a kind of error.
	ErrorCode = api.ErrorCode
)

// Error is an answer that is no success.
type Error struct {
	Status  int       // of HTTP
	Code    ErrorCode // empty where the answer was not crier's
	Message string
	// Details are all that is wrong with a request, each with its field; of CodeAccountAmbiguous,
	// the accounts to choose from.
	Details       []Detail
	Documentation string        // the page that explains the code
	RequestID     string        // names the request in the server's logs
	RetryAfter    time.Duration // zero where the server named none
}

// Error says what the server said.
func (e *Error) Error() string {
	var text strings.Builder
	if e.Code == "" {
		fmt.Fprintf(&text, "the server answered %d", e.Status)
	} else {
		fmt.Fprintf(&text, "%s (%d): %s", e.Code, e.Status, e.Message)
	}
	for _, d := range e.Details {
		if !strings.Contains(e.Message, d.Message) { // which often says all of it
			text.WriteString("\n  " + d.Field + ": " + d.Message)
		}
	}
	if e.Status >= http.StatusInternalServerError && e.RequestID != "" {
		text.WriteString(" (request " + e.RequestID + ")")
	}
	return text.String()
}

// Codes of errors.
const (
	CodeValidationError     = api.ErrorCodeValidationError
	CodeAccountAmbiguous    = api.ErrorCodeAccountAmbiguous
	CodeInvalidState        = api.ErrorCodeInvalidState
	CodeUnauthorized        = api.ErrorCodeUnauthorized
	CodeForbidden           = api.ErrorCodeForbidden
	CodePlanLimitReached    = api.ErrorCodePlanLimitReached
	CodeNotFound            = api.ErrorCodeNotFound
	CodeIdempotencyConflict = api.ErrorCodeIdempotencyConflict
	CodePausedByOperator    = api.ErrorCodePausedByOperator
	CodeRateLimitExceeded   = api.ErrorCodeRateLimitExceeded
	CodeDailyLimitReached   = api.ErrorCodeDailyLimitReached
	CodePayloadTooLarge     = api.ErrorCodePayloadTooLarge
	CodeInternalError       = api.ErrorCodeInternalError
	CodeUnavailable         = api.ErrorCodeUnavailable
)

// errorOf reads an answer that is no success.
func errorOf(response *http.Response, body []byte) *Error {
	e := &Error{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	var envelope struct{ Error api.Error }
	if json.Unmarshal(body, &envelope) == nil {
		failure := envelope.Error
		e.Code, e.Message, e.Details, e.Documentation = failure.Code, failure.Message, failure.Details, failure.Documentation
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
