package youtube

import (
	"errors"
	"net/http"
	"time"

	"crier/connectors/google"
	"crier/schema"
)

// The reasons of a day's quota that is used up.
const (
	reasonQuota = "quotaExceeded"
	reasonDaily = "dailyLimitExceeded"
)

const (
	// uploadsWait is when a channel is tried again that may upload no more videos: its limit is of 24 hours
	// (support.google.com/youtube/answer/4525348).
	uploadsWait = 24 * time.Hour
	// thumbnailsWait is when a channel is tried again that has set many thumbnails lately; until
	// when YouTube does not say either.
	thumbnailsWait = 15 * time.Minute
	// minuteWait is for limits that no header tells the end of.
	minuteWait = time.Minute
)

// Classify is the Classify of the platform's connectors.ClientConfig: that of Google's APIs, except
// for the reasons that are YouTube's own (developers.google.com/youtube/v3/docs/errors;
// .../docs/videos/insert, commentThreads/insert).
func Classify(status int, header http.Header, body []byte) *schema.Error {
	said, ok := google.ReadError(body)
	if !ok {
		return nil
	}
	of := func(e schema.Error) *schema.Error {
		e.Message, e.Err = said.Message, said
		return &e
	}
	switch {
	case isSpent(said):
		return of(schema.Error{Kind: schema.RateLimited, RetryAfter: untilNextDay(header), Alone: true})
	case (said.Has("rateLimitExceeded") || said.Has("userRateLimitExceeded")) && header.Get("Retry-After") == "":
		return of(schema.Error{Kind: schema.RateLimited, RetryAfter: minuteWait})
	case said.Has("rateLimitExceeded") || said.Has("userRateLimitExceeded"):
		return of(schema.Error{Kind: schema.RateLimited})
	case said.Has("uploadLimitExceeded"):
		return of(schema.Error{Kind: schema.RateLimited, RetryAfter: uploadsWait, Alone: true})
	case said.Has("uploadRateLimitExceeded"): // of thumbnails
		return of(schema.Error{Kind: schema.RateLimited, RetryAfter: thumbnailsWait, Alone: true})
	case said.Has("authenticatedUserAccountSuspended"):
		return of(schema.Error{Kind: schema.TokenDead, End: schema.EndSuspended})
	case said.Has("authenticatedUserAccountClosed") || said.Has("youtubeSignupRequired"): // of the latter there is no channel any more
		return of(schema.Error{Kind: schema.TokenDead, End: schema.EndDeleted})
	default:
		return google.Classify(status, header, body)
	}
}

func isSpent(said google.Error) bool { return said.Has(reasonQuota) || said.Has(reasonDaily) }

// untilNextDay returns how long a day's quota is gone, by the clock of who wrote the answer.
func untilNextDay(header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return minuteWait
	}
	return google.NextDay(at).Sub(at)
}

// withoutEnd judges the refusal of a call that publishing does not need.
func withoutEnd(err error) error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.End == schema.EndScope {
		return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	return err
}
