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
	// fetchWait is when Pinterest is asked again to fetch a picture, which it could not: five tries are most
	// of an hour.
	fetchWait = 10 * time.Minute
	// spamWait is when an account is tried again that Pinterest holds back for a while.
	spamWait = time.Hour
)

// answers is what Pinterest's refusals mean beyond their status: 401 is a token that has expired, was
// revoked, or ended with the password, which the API does not tell apart.
func answers() connectors.Answers {
	const reference = "developers.pinterest.com/docs/api/v5, error codes"
	return connectors.Answers{Read: readRefusal, Table: []connectors.Answer{
		{
			Status: []int{http.StatusUnauthorized, http.StatusForbidden}, Codes: []string{strconv.Itoa(codeScope)},
			Means: connectors.EndsAccount, End: schema.EndScope, Source: reference,
			Example: `{"code":3,"message":"Your token does not have sufficient permissions"}`,
		},
		{ // the same media went through 25 minutes later
			Status: []int{http.StatusBadRequest}, Says: "could not fetch the image",
			Means: connectors.IsRetried, Wait: fetchWait, Source: "gitroomhq/postiz-app #1931",
			Example: `{"code":1,"message":"Sorry we could not fetch the image."}`,
		},
		{
			Status: []int{http.StatusBadRequest}, Says: "Unable to reach the URL",
			Means: connectors.IsRetried, Wait: fetchWait, Source: "gitroomhq/postiz-app #1931",
			Example: `{"code":1,"message":"Unable to reach the URL. Please check the URL is correct and try again."}`,
		},
		{
			Status: []int{4}, Says: "to combat spam",
			Means: connectors.IsAwaited, Wait: spamWait, Source: "gitroomhq/postiz-app, Pinterest provider",
			Example: `{"code":403,"message":"You've hit one of the blocks (Pins) we have in place to combat spam. Try again later."}`,
		},
		{
			Status: []int{http.StatusConflict}, Own: true, Means: connectors.IsRetried, Wait: conflictWait, Source: reference,
			Example: `{"code":409,"message":"Could not get exclusive access to the board"}`,
		},
		{ // limits of an app with standard access are of a minute (reference/rate-limits)
			Status: []int{http.StatusTooManyRequests}, Own: true, Means: connectors.IsAwaited, Wait: minuteWait, Alone: true,
			Source: "developers.pinterest.com/docs/reference/rate-limits", Example: `{"code":8,"message":"This request exceeded a rate limit."}`,
		},
	}}
}

func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	r := refusalIn(response.Body)
	if r.Message == "" {
		return connectors.Refusal{}, false
	}
	return connectors.Refusal{Codes: []string{strconv.Itoa(r.Code)}, Message: r.Message}, true
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
	seconds, hasReset := first(resetHeader)
	if !known || !hasReset || left > 0 || seconds <= 0 {
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
