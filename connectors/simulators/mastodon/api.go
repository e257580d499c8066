package mastodon

import "net/url"

// opUploadMedia is the pattern of the one call with limits of its own, and its name.
const opUploadMedia = "POST /api/v2/media"

const opNotifications = "GET /api/v1/notifications"

const minPollOptions = 2

// defaultVisibility is the privacy of an account that did not choose another.
const defaultVisibility = "public"

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
	ContentType string   `json:"content_type"` // no field of Mastodon's
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
