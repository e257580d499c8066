package youtube

import (
	"errors"
	"net/http"
	"time"

	"crier/connectors"
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
	// freshWait is when a video is given a place or a picture again that was not known yet.
	freshWait = time.Minute
	// minuteWait is for limits that no header tells the end of.
	minuteWait = time.Minute
)

// answers is what YouTube's refusals mean: the reasons of its own, and those of all of Google's APIs.
func answers() connectors.Answers {
	const errorsPage, limits = "developers.google.com/youtube/v3/docs/errors", "support.google.com/youtube/answer/4525348"
	own := []connectors.Answer{
		{ // until midnight Pacific time
			Codes: []string{reasonQuota, reasonDaily},
			Means: connectors.IsAwaited, Wait: minuteWait, Alone: true, Source: errorsPage, Example: example(reasonQuota),
		},
		{
			Codes: []string{"rateLimitExceeded", "userRateLimitExceeded"}, Means: connectors.IsAwaited, Wait: minuteWait,
			Source: errorsPage, Example: example("rateLimitExceeded"),
		},
		{
			Codes: []string{"uploadLimitExceeded"},
			Means: connectors.IsAwaited, Wait: uploadsWait, Alone: true, Source: limits,
			Example: `{"error":{"code":400,"message":"m","errors":[{"reason":"uploadLimitExceeded"}]}}`,
		},
		{ // of thumbnails
			Codes: []string{"uploadRateLimitExceeded"}, Means: connectors.IsAwaited, Wait: thumbnailsWait, Alone: true,
			Source: errorsPage, Example: example("uploadRateLimitExceeded"),
		},
		{ // some of them it has by then all the same, which a look tells
			Operations: []string{opAddToPlaylist, opPlaylistItems, opThumbnail}, Status: []int{http.StatusNotFound}, Codes: []string{"videoNotFound"},
			Means: connectors.IsRetried, Wait: freshWait, Alone: true, Source: "porjo/youtubeuploader #88; tokland/youtube-upload #305",
			Example: `{"error":{"code":404,"message":"Video not found.","errors":[{"reason":"videoNotFound"}]}}`,
		},
		{ // YouTube says that this may pass, and in its outages it does
			Operations: []string{opComment, opReply}, Status: []int{http.StatusBadRequest}, Codes: []string{"processingFailure"},
			Means: connectors.IsUnknown, Source: errorsPage + ", commentThreads.insert; ThioJoe/YT-Spammer-Purge #85, #860",
			Example: `{"error":{"code":400,"message":"m","errors":[{"reason":"processingFailure"}]}}`,
		},
		{
			Codes: []string{"authenticatedUserAccountSuspended"}, Means: connectors.EndsAccount, End: schema.EndSuspended,
			Source: errorsPage, Example: example("authenticatedUserAccountSuspended"),
		},
		{ // of the latter there is no channel any more
			Codes: []string{"authenticatedUserAccountClosed", "youtubeSignupRequired"},
			Means: connectors.EndsAccount, End: schema.EndDeleted,
			Source: errorsPage, Example: example("youtubeSignupRequired"),
		},
	}
	return connectors.Answers{Read: readRefusal, Table: append(own, google.Answers()...)}
}

func example(reason string) string {
	return `{"error":{"code":403,"message":"m","errors":[{"reason":"` + reason + `"}]}}`
}

func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	refusal, ok := google.Read(response)
	if f, isGoogles := errors.AsType[google.Error](refusal.Cause); isGoogles && isSpent(f) {
		refusal.Wait = google.UntilNextDay(response.Header)
	}
	return refusal, ok
}

func isSpent(failure google.Error) bool { return failure.Has(reasonQuota) || failure.Has(reasonDaily) }
