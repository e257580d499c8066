package instagram

import (
	"errors"
	"time"

	"crier/connectors"
	"crier/connectors/graph"
)

// fullWait is when an account is tried again whose posts of the last 24 hours are used up.
const fullWait = 15 * time.Minute

// subcodeNotReady is of a container that Instagram cannot publish now: it works on it, perhaps since
// an earlier call has published it.
const subcodeNotReady = 2207027

// answers is what Instagram's own subcodes mean beyond those of all Graph APIs.
func answers() connectors.Answers {
	const codes = "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes"
	return graph.Answers([]connectors.Answer{
		graph.NotGranted("developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights", opInsights, opListComments, opListReplies),
		graph.Dispensable("developers.facebook.com/docs/instagram-platform/comment-moderation", opComment, opReply),
		{ // the cover is taken from beyond the video's end
			Codes: []string{"/2207057"}, Means: connectors.IsRefused, Source: codes,
			Example: `{"error":{"message":"thumb_offset","type":"OAuthException","code":1,"error_subcode":2207057}}`,
		},
		{ // the account's posts of the day are used up
			Codes: []string{"/2207042"}, Means: connectors.IsAwaited, Wait: fullWait, Alone: true, Source: codes,
			Example: `{"error":{"message":"Application request limit reached","type":"OAuthException","code":9,"error_subcode":2207042}}`,
		},
		{ // and nobody is throttled: the container is asked at once
			Codes: []string{"/2207027"}, Means: connectors.IsRetried, Source: codes,
			Example: `{"error":{"message":"Media ID is not available","type":"OAuthException","code":9007,"error_subcode":2207027}}`,
		},
	}, opProfile, graph.OpRefresh)
}

// isGone reports whether an error says that a container or a media is not there.
func isGone(err error) bool {
	r, ok := errors.AsType[graph.Error](err)
	return ok && (r.Code == 24 || r.Subcode == 2207020 || r.Has(100, 33))
}

func isNotReady(err error) bool {
	r, ok := errors.AsType[graph.Error](err)
	return ok && r.Subcode == subcodeNotReady
}
