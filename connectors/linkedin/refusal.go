package linkedin

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// refusal is the body of an error.
type refusal struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	Details struct {
		Inputs []inputError `json:"inputErrors"`
	} `json:"errorDetails"`
}

type inputError struct {
	Code string `json:"code"`
}

// is reports whether a refusal has a code. Older services name it in their message alone.
func (r refusal) is(code string) bool {
	return r.Code == code || strings.Contains(r.Message, code) ||
		slices.Contains(r.Details.Inputs, inputError{code})
}

// The codes that mean more than their status does.
const (
	codeDuplicate  = "DUPLICATE_POST"
	codeWaiting    = "MEDIA_ASSET_WAITING_UPLOAD"
	codeDenied     = "ACCESS_DENIED"
	saysDuplicate  = "is a duplicate of"
	saysNotEnough  = "Not enough permissions"
	saysDailyLimit = " DAY limit"
)

const (
	// versionWait is when a call of a version that has ended is made again: its operator has
	// to set another.
	versionWait = 5 * time.Minute
	// mediaWait is when a post is sent again whose media was not ready.
	mediaWait = 10 * time.Second
	// minuteWait is for limits of a minute, which no header tells the end of.
	minuteWait = time.Minute
)

// Classify is the Classify of the platform's connectors.ClientConfig. Any other answer has
// the default meaning.
func Classify(status int, header http.Header, body []byte) *schema.Error {
	var r refusal
	if json.Unmarshal(body, &r) != nil {
		r = refusal{}
	}
	switch {
	case status == http.StatusUpgradeRequired:
		// It costs no try: nothing is wrong with the post.
		return &schema.Error{
			Kind: schema.RateLimited, RetryAfter: versionWait, Err: connectors.ErrOutdated,
			Message: "LinkedIn no longer serves the version of its API that crier asks for; its operator has to set CRIER_LINKEDIN_VERSION",
		}
	case r.Message == "" && r.Code == "":
		return nil
	case r.is(codeDuplicate) || strings.Contains(r.Message, saysDuplicate):
		return &schema.Error{Kind: schema.Duplicate, Message: r.Message}
	case r.is(codeWaiting):
		return &schema.Error{Kind: schema.Retryable, RetryAfter: mediaWait, Message: r.Message}
	case status == http.StatusForbidden && (r.Code == codeDenied || strings.HasPrefix(r.Message, saysNotEnough)):
		return &schema.Error{Kind: schema.TokenDead, End: schema.EndScope, Message: r.Message}
	case status == http.StatusTooManyRequests && header.Get("Retry-After") == "":
		return &schema.Error{Kind: schema.RateLimited, RetryAfter: waitOf(r, header), Message: r.Message, Alone: true} // limits are of an endpoint
	default:
		return nil
	}
}

// waitOf returns how long a limit lasts: those of a day end at midnight UTC, and no header
// tells (shared/api-guide/concepts/rate-limits).
func waitOf(r refusal, header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil || !strings.Contains(r.Message, saysDailyLimit) {
		return minuteWait
	}
	const day = 24 * time.Hour
	return at.Truncate(day).Add(day).Sub(at)
}
