package simulation

import (
	"encoding/json"
	"time"

	"crier/schema"
)

// Post is one thing that was published: an entry or a comment. Its slices are shared
// and must not be changed.
type Post struct {
	Platform  schema.Platform `json:"platform"`
	Account   string          `json:"account"` // as the platform names the account
	ID        string          `json:"id"`      // unique within the account
	Text      string          `json:"text"`
	Media     []Media         `json:"media,omitempty"`
	ReplyTo   string          `json:"replyTo,omitempty"` // id of the post it answers
	CreatedAt time.Time       `json:"createdAt"`
	// Key lets the account have the post once: an idempotency key, a record key. Empty: none.
	Key    string          `json:"key,omitempty"`
	Fields json.RawMessage `json:"fields,omitempty"` // what else the platform keeps
	// Workspace is for whom it was published: see World.WorkspaceOf.
	Workspace schema.WorkspaceID `json:"workspace,omitzero"`
	// By is what the account was called then; empty: as the simulator calls it.
	By string `json:"by,omitempty"`
	// Place is its number, from 0, among the posts of its workspace on this platform.
	Place int `json:"-"`
}

// Media is a media item of a post.
type Media struct {
	ID      string `json:"id"`   // the upload's
	Type    string `json:"type"` // media type, such as image/png
	Size    int64  `json:"size"` // bytes
	AltText string `json:"altText,omitempty"`
	Content string `json:"content,omitempty"` // what the world keeps of it; empty: nothing
}

// Upload is media a platform was given before the post that uses it. The bytes are the
// gallery's.
type Upload struct {
	ID        string          `json:"id"`
	Account   string          `json:"account"`
	Type      string          `json:"type"` // media type, such as image/png
	Size      int64           `json:"size"` // bytes
	AltText   string          `json:"altText,omitempty"`
	Content   string          `json:"content,omitempty"` // what the world keeps of it; empty: nothing
	CreatedAt time.Time       `json:"createdAt"`
	ReadyAt   time.Time       `json:"readyAt,omitzero"` // end of processing; zero: at once
	Fields    json.RawMessage `json:"fields,omitempty"` // what else the platform keeps
}

// Media returns the upload as the media item of a post.
func (u Upload) Media() Media {
	return Media{ID: u.ID, Type: u.Type, Size: u.Size, AltText: u.AltText, Content: u.Content}
}
