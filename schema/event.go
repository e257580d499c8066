package schema

import (
	"encoding/json"
	"slices"
	"time"
)

// EventType is what happened.
type EventType string

// The events a webhook can subscribe to.
const (
	PostScheduled            EventType = "post.scheduled"
	PostPublished            EventType = "post.published"
	PostFailed               EventType = "post.failed"
	PostCancelled            EventType = "post.cancelled"
	PostUpdated              EventType = "post.updated"
	ThreadScheduled          EventType = "thread.scheduled"
	ThreadPublished          EventType = "thread.published"
	ThreadPartiallyPublished EventType = "thread.partially_published"
	ThreadFailed             EventType = "thread.failed"
	AccountConnected         EventType = "account.connected"
	AccountDisconnected      EventType = "account.disconnected"
	AccountError             EventType = "account.error"
	AccountTokenExpiring     EventType = "account.token_expiring"
)

// The facts only analytics reads: what became of one target.
const (
	TargetWasPosted EventType = "target.posted"
	TargetHasFailed EventType = "target.failed"
)

// EventTypes returns the events a webhook can subscribe to.
func EventTypes() []EventType {
	return []EventType{
		PostScheduled, PostPublished, PostFailed, PostCancelled, PostUpdated,
		ThreadScheduled, ThreadPublished, ThreadPartiallyPublished, ThreadFailed,
		AccountConnected, AccountDisconnected, AccountError, AccountTokenExpiring,
	}
}

// Subscribable tells whether a webhook can subscribe to the event.
func (t EventType) Subscribable() bool { return slices.Contains(EventTypes(), t) }

// Event is what happened, whole. Its id identifies it everywhere: in the outbox, in
// webhooks and in ClickHouse.
type Event struct {
	ID        EventID         `json:"id"`
	Type      EventType       `json:"type"`
	Workspace WorkspaceID     `json:"workspace"`
	Post      PostID          `json:"post,omitzero"`
	Account   AccountID       `json:"account,omitzero"`
	Platform  Platform        `json:"platform,omitzero"`
	At        time.Time       `json:"at"`
	Lateness  float64         `json:"lateness,omitempty"` // seconds from due to done; facts of targets only
	Code      string          `json:"code,omitempty"`     // error code; failed targets only
	Data      json.RawMessage `json:"data,omitempty"`     // the `data` of the webhook
	Trace     string          `json:"trace,omitempty"`    // W3C traceparent of what it came of, if that was traced
	Position  int64           `json:"-"`                  // of its batch, in ClickHouse only
}

// Owed says who still has to handle a batch of events.
type Owed int16

// Who is owed a batch of events.
const (
	OwedNotify Owed = 1 << iota
	OwedAnalytics
)

// EventBatch is the events of one commit: the payload of topic events and one row of
// the outbox, which lives until nobody is owed it.
type EventBatch struct {
	ID     BatchID `json:"id"`
	Events []Event `json:"events"`
}

// PostData is the `data` of the events about a post.
type PostData struct {
	Post PostSummary `json:"post"`
}

// PostSummary is a post as webhooks show it.
type PostSummary struct {
	ID           PostID            `json:"id"`
	Content      string            `json:"content"`
	Status       string            `json:"status"` // reads "published" once any target is posted
	ScheduledFor *time.Time        `json:"scheduledFor,omitempty"`
	ExternalID   string            `json:"externalId,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Platforms    []PlatformSummary `json:"platforms"`
	PublishedAt  *time.Time        `json:"publishedAt,omitempty"`
}

// ThreadData is the `data` of the events about a thread.
type ThreadData struct {
	Thread ThreadSummary `json:"thread"`
}

// ThreadSummary is a thread as webhooks show it: its chain of entries, where the post
// that carries it shows its first.
type ThreadSummary struct {
	ID           ThreadID          `json:"id"`
	PostID       PostID            `json:"postId"` // of the post that carries it, whose own events are sent too
	Title        string            `json:"title,omitempty"`
	Status       string            `json:"status"` // scheduled, published, partially_published or failed
	ScheduledFor *time.Time        `json:"scheduledFor,omitempty"`
	ExternalID   string            `json:"externalId,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Platforms    []PlatformSummary `json:"platforms"`
	Entries      []EntrySummary    `json:"entries"`
	PublishedAt  *time.Time        `json:"publishedAt,omitempty"`
}

// EntrySummary is one entry of a thread as webhooks show it.
type EntrySummary struct {
	Position        int                    `json:"position"` // from 1
	Content         string                 `json:"content"`
	Status          string                 `json:"status"` // pending, posted, partially_failed or failed
	PlatformPostIDs map[Platform]EntryPost `json:"platformPostIds,omitempty"`
}

// EntryPost is what an entry became on a platform.
type EntryPost struct {
	PostID string `json:"postId"`
	URL    string `json:"url,omitempty"`
}

// PlatformSummary is one target of a post as webhooks show it.
type PlatformSummary struct {
	Platform  Platform     `json:"platform"`
	AccountID AccountID    `json:"accountId"`
	Status    string       `json:"status"`
	PostID    string       `json:"postId,omitempty"`
	URL       string       `json:"url,omitempty"`
	PostedAt  *time.Time   `json:"postedAt,omitempty"`
	Error     *TargetError `json:"error,omitempty"`
}
