package instagram

import (
	"errors"
	"net/http"
	"time"

	"crier/connectors/graph"
	"crier/schema"
)

// fullWait is when an account is tried again whose posts of the last 24 hours are used up.
const fullWait = 15 * time.Minute

// subcodeNotReady is of a container that Instagram cannot publish now: it works on it, perhaps since
// an earlier call has published it.
const subcodeNotReady = 2207027

// Classify is the Classify of the platform's connectors.ClientConfig: what Instagram's own
// subcodes say beyond those of all Graph APIs
// (developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes).
func Classify(status int, header http.Header, body []byte) *schema.Error {
	e := graph.Classify(status, header, body)
	if e == nil {
		return nil
	}
	switch r, _ := errors.AsType[graph.Error](e); r.Subcode {
	case 2207051, // held back as spam: soon again makes it worse
		2207057: // the cover is taken from beyond the video's end
		e.Kind, e.RetryAfter = schema.Refused, 0
	case 2207042: // the account's posts of the day are used up
		e.Kind, e.RetryAfter, e.Alone = schema.RateLimited, fullWait, true
	case 2207052: // Instagram could not fetch the media
		e.Kind = schema.Unknown
	case subcodeNotReady:
		e.Kind = schema.Retryable // and nobody is throttled: the container is asked at once
	}
	return e
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
