package simulator

import "net/url"

// opUploadMedia is the pattern of the one call with limits of its own, and its name.
const opUploadMedia = "POST /api/v2/media"

// The limits of a server with its own defaults (docs.joinmastodon.org/user/posting and
// docs.joinmastodon.org/methods/instance/#v2).
const (
	maxText       = 500 // characters
	maxMedia      = 4
	maxImageBytes = 16 << 20
	maxVideoBytes = 99 << 20
	urlLength     = 23 // characters that any address counts
)

// The bounds of a poll (docs.joinmastodon.org/entities/Instance/#polls).
const (
	minPollOptions = 2
	maxPollOptions = 4
	maxPollOption  = 50 // characters
	minPollSeconds = 300
	maxPollSeconds = 2629746 // a mean month
)

// defaultVisibility is the privacy of an account that did not choose another.
const defaultVisibility = "public"

// mediaTypes are the types of files that the simulator takes.
func mediaTypes() []string {
	return []string{"image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4", "video/quicktime", "video/webm"}
}

// newStatus is the body of POST /api/v1/statuses
// (docs.joinmastodon.org/methods/statuses/#create).
type newStatus struct {
	Status      string   `json:"status"`
	MediaIDs    []string `json:"media_ids"`
	Poll        *newPoll `json:"poll"`
	InReplyToID string   `json:"in_reply_to_id"`
	Sensitive   bool     `json:"sensitive"`
	SpoilerText string   `json:"spoiler_text"`
	Visibility  string   `json:"visibility"`
	Language    string   `json:"language"`
}

type newPoll struct {
	Options    []string `json:"options"`
	ExpiresIn  int      `json:"expires_in"` // seconds
	Multiple   bool     `json:"multiple"`
	HideTotals bool     `json:"hide_totals"`
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}
