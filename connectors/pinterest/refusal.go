package pinterest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// refusal is the body of an error.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// refusalIn reads the body of an error; zero where it is none of Pinterest's.
func refusalIn(body []byte) refusal {
	var r refusal
	if json.Unmarshal(body, &r) != nil {
		return refusal{}
	}
	return r
}

// The codes that mean more than their status does.
const (
	codeScope     = 3
	codeNoBoard   = 40
	codeNoSection = 2031
)

const (
	// conflictWait is for how long others may hold a board: one change is made at a time.
	conflictWait = 5 * time.Second
	// minuteWait is for limits whose end no header tells: those of an app with standard access
	// are of a minute (reference/rate-limits).
	minuteWait = time.Minute
)

// Classify is the Classify of the platform's connectors.ClientConfig. Any other answer has
// the default meaning: 401 is a token that has expired, was revoked, or ended with the
// password, which the API does not tell apart.
func Classify(status int, header http.Header, body []byte) *schema.Error {
	r := refusalIn(body)
	switch {
	case r.Message == "":
		return nil
	case r.Code == codeScope && (status == http.StatusUnauthorized || status == http.StatusForbidden):
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndScope, Message: r.Message}
	case status == http.StatusConflict:
		return &schema.Error{Kind: schema.Retryable, RetryAfter: conflictWait, Message: r.Message}
	case status == http.StatusTooManyRequests && header.Get("Retry-After") == "" && header.Get(resetHeader) == "":
		return &schema.Error{Kind: schema.RateLimited, RetryAfter: minuteWait, Message: r.Message, Alone: true}
	case status == http.StatusTooManyRequests:
		return &schema.Error{Kind: schema.RateLimited, Message: r.Message, Alone: true}
	default:
		return nil
	}
}

// What a header tells of the limit that is nearest: how many calls are left of it, and in how
// many seconds it begins again.
const (
	remainingHeader = "X-Ratelimit-Remaining"
	resetHeader     = "X-Ratelimit-Reset"
)

// Pace is the Pace of the platform's connectors.ClientConfig: after the last call of a limit
// calls that count against it wait for the next window. A header may name several limits, the nearest first.
func Pace(header http.Header) time.Duration {
	first := func(name string) (int, bool) {
		value, _, _ := strings.Cut(header.Get(name), ",")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		return n, err == nil
	}
	left, known := first(remainingHeader)
	seconds, told := first(resetHeader)
	if !known || !told || left > 0 || seconds <= 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// ofPin judges the refusal of a pin. A board that is not there is the account's own, and ends
// it, or one that the settings name; a video that is not there was dropped by Pinterest.
func ofPin(response *connectors.Response, err error, isOwn bool, assets []asset) error {
	refused, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil || response.Status != http.StatusNotFound {
		return err
	}
	switch r := refusalIn(response.Body); {
	case isOwn && (r.Code == codeNoBoard || r.Code == codeNoSection):
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndRemoved, Message: refused.Message, Err: err}
	case r.Code != codeNoBoard && r.Code != codeNoSection && r.Message != "" && assets[0].Video != nil:
		return &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: refused.Message, Err: err}
	default:
		return err
	}
}

// ofBoard judges the refusal of a call about the account's own board.
func ofBoard(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil || response.Status != http.StatusNotFound || refusalIn(response.Body).Message == "" {
		return err
	}
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndRemoved, Message: refused.Message, Err: err}
}
