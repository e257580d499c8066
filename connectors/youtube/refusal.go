package youtube

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"crier/schema"
)

// refusal is the body of an error.
type refusal struct {
	Error struct {
		Message string `json:"message"`
		Errors  []struct {
			Reason string `json:"reason"`
		} `json:"errors"`
		Details []struct {
			Reason string `json:"reason"`
		} `json:"details"`
	} `json:"error"`
}

// reason returns why, as YouTube calls it; empty where it does not say.
func (r refusal) reason() string {
	if len(r.Error.Errors) > 0 {
		return r.Error.Errors[0].Reason
	}
	if len(r.Error.Details) > 0 {
		return r.Error.Details[0].Reason
	}
	return ""
}

// The reasons of a day's quota that is used up.
const (
	reasonQuota = "quotaExceeded"
	reasonDaily = "dailyLimitExceeded"
)

const (
	// uploadsWait is when a channel is tried again that may upload no more videos: YouTube says
	// neither how many that are nor for how long.
	uploadsWait = 6 * time.Hour
	// minuteWait is for limits that no header tells the end of.
	minuteWait = time.Minute
	// operatorWait is when a call is made again for which crier's operator has to do something.
	operatorWait = 5 * time.Minute
)

// Classify is the Classify of the platform's connectors.ClientConfig
// (developers.google.com/youtube/v3/docs/errors; .../docs/videos/insert, commentThreads/insert).
// Any other answer has the default meaning.
func Classify(_ int, header http.Header, body []byte) *schema.Error {
	var r refusal
	if json.Unmarshal(body, &r) != nil {
		r = refusal{}
	}
	said := r.Error.Message
	dead := func(end schema.End) *schema.Error {
		return &schema.Error{Kind: schema.TokenDead, End: end, Message: said}
	}
	limited := func(wait time.Duration) *schema.Error {
		return &schema.Error{Kind: schema.RateLimited, RetryAfter: wait, Message: said}
	}
	switch r.reason() {
	case reasonQuota, reasonDaily:
		return limited(untilNextDay(header))
	case "rateLimitExceeded", "userRateLimitExceeded", "uploadRateLimitExceeded", "RATE_LIMIT_EXCEEDED":
		if header.Get("Retry-After") != "" {
			return limited(0)
		}
		return limited(minuteWait)
	case "uploadLimitExceeded":
		return limited(uploadsWait)
	case "accessNotConfigured", "SERVICE_DISABLED":
		// It costs no try: nothing is wrong with the post.
		return &schema.Error{
			Kind: schema.RateLimited, RetryAfter: operatorWait,
			Message: "crier's Google project may not call the YouTube Data API v3; its operator has to enable that",
		}
	case "insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
		return dead(schema.EndScope)
	case "authenticatedUserAccountSuspended":
		return dead(schema.EndSuspended)
	case "authenticatedUserAccountClosed":
		return dead(schema.EndDeleted)
	case "youtubeSignupRequired":
		return dead(schema.EndDeleted) // the Google account has no channel any more
	default:
		return nil
	}
}

// pacific is where YouTube's days are counted.
var pacific = sync.OnceValue(func() *time.Location {
	location, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // the database of time zones is compiled in
	}
	return location
})

// nextDay returns when the next day of quotas begins: at midnight Pacific.
func nextDay(at time.Time) time.Time {
	local := at.In(pacific())
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, local.Location())
}

// untilNextDay returns how long a day's quota is gone, by the clock of who wrote the answer.
func untilNextDay(header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return operatorWait
	}
	return nextDay(at).Sub(at)
}

// withoutEnd judges the refusal of a call that publishing does not need.
func withoutEnd(err error) error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.End == schema.EndScope {
		return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	return err
}
