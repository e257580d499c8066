package mastodon

import (
	"encoding/json"
	"time"

	"crier/connectors"
)

// newStatus is the body of POST /api/v1/statuses
// (docs.joinmastodon.org/methods/statuses/#create).
type newStatus struct {
	Status      string   `json:"status,omitempty"`
	MediaIDs    []string `json:"media_ids,omitempty"`
	Poll        *newPoll `json:"poll,omitempty"`
	InReplyToID string   `json:"in_reply_to_id,omitempty"`
	Sensitive   bool     `json:"sensitive,omitempty"`
	SpoilerText string   `json:"spoiler_text,omitempty"`
	Visibility  string   `json:"visibility,omitempty"`
	Language    string   `json:"language,omitempty"`
	// ContentType is no field of Mastodon's: servers that have it take a text for Markdown where the
	// account's default is that (GoToSocial internal/processing/status/common.go).
	ContentType string `json:"content_type,omitempty"`
}

const plainContent = "text/plain"

type newPoll struct {
	Options    []string `json:"options"`
	ExpiresIn  int      `json:"expires_in"` // seconds
	Multiple   bool     `json:"multiple,omitempty"`
	HideTotals bool     `json:"hide_totals,omitempty"`
}

// status is what the connector reads of a Status
// (docs.joinmastodon.org/entities/Status).
type status struct {
	ID          string    `json:"id"`
	CreatedAt   time.Time `json:"created_at"`
	InReplyToID string    `json:"in_reply_to_id"` // null: empty
	Content     string    `json:"content"`        // HTML
	Text        string    `json:"text"`           // as it was sent; GoToSocial gives it to the author
	SpoilerText string    `json:"spoiler_text"`
	URL         string    `json:"url"` // null: empty
	Media       []struct {
		ID string `json:"id"`
	} `json:"media_attachments"`
	Poll *struct {
		Options []struct {
			Title string `json:"title"`
		} `json:"options"`
	} `json:"poll"`
	Reblog  json.RawMessage `json:"reblog"`
	Account accountCount    `json:"account"`
}

// accountCount is what the connector reads of an account that stands in an answer.
type accountCount struct {
	ID       string `json:"id"`
	Statuses *int64 `json:"statuses_count"`
}

func (s status) isReblog() bool { return !isNull(s.Reblog) }

// webURL returns the status's address if a browser can open it. Servers are whatever
// a user named: an address of another scheme is not shown.
func (s status) webURL() string { return connectors.WebURL(s.URL) }
