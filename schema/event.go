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
	WebhookDisabled          EventType = "webhook.disabled"
	CommentReceived          EventType = "comment.received"
	MentionReceived          EventType = "mention.received"
	FeedMatched              EventType = "feed.matched"
)

// Facts about one target, which only analytics reads.
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
		WebhookDisabled, CommentReceived, MentionReceived, FeedMatched,
	}
}

// Subscribable reports whether a webhook can subscribe to the event.
func (t EventType) Subscribable() bool { return slices.Contains(EventTypes(), t) }

// Event is something that happened. It has the same id everywhere: in the outbox, in
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
	Trace     string          `json:"trace,omitempty"`    // W3C traceparent of its cause, if that was traced
	Position  int64           `json:"-"`                  // of its batch, in ClickHouse only
}

// Owed is who still has to handle a batch of events.
type Owed int16

// The consumers of events.
const (
	OwedNotify Owed = 1 << iota
	OwedAnalytics
)

// EventBatch is the events of one commit: the payload of topic events and one row of the
// outbox, which is deleted once every consumer has handled it.
type EventBatch struct {
	ID     BatchID `json:"id"`
	Events []Event `json:"events"`
}

// EventPlace is an event's place in the order in which events are read. It is assigned
// once, on the way to ClickHouse, so an event that comes late, by a slow commit or a
// detour, is placed after those that were read before it and is not missed.
type EventPlace struct {
	Position int64   // of its batch
	ID       EventID // among those of one position
}

// EventFilter selects events of a workspace.
type EventFilter struct {
	After EventPlace
	UpTo  int64 // the last position
	Types []EventType
	Limit int
}

// Horizon is how far events can be read without missing any.
type Horizon struct {
	Position int64     // all events up to it are stored
	At       time.Time // UTC; all events committed before are stored
}

// EventQuery is what a client asks of the events of its workspace.
type EventQuery struct {
	After EventID // the last event that the client has; zero: from the beginning
	Types []EventType
	Limit int
}

// EventPage is a part of the events of a workspace, in the order of their places.
type EventPage struct {
	Events        []Event
	More          bool
	CompleteUntil time.Time // UTC; when nothing more follows, all events committed before were given
}

// PostCount is how many targets of a platform ended in a status on a day.
type PostCount struct {
	Day      time.Time // UTC midnight
	Platform Platform
	Status   string // posted or failed
	Count    int
}
