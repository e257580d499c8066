package schema

import (
	"encoding/json"
	"slices"
	"strings"
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

// EventNames are the names of all events, for errors.
func EventNames() string {
	names := make([]string, 0, len(EventTypes()))
	for _, t := range EventTypes() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
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

// Facts that only analytics stores, each in a table of its own: an Event whose Data is the
// JSON of the type that is named. Storing one again changes nothing.
const (
	FactPostMetrics   EventType = "fact.post_metrics"   // PostMetrics: how a target does
	FactFollowers     EventType = "fact.followers"      // Followers: how an account does
	FactInboxItem     EventType = "fact.inbox_item"     // InboxItem: what people wrote to an account
	FactFeedItem      EventType = "fact.feed_item"      // FeedItem: what a monitor found
	FactDelivery      EventType = "fact.delivery"       // DeliveryFact: one try at a webhook
	FactPlatformCalls EventType = "fact.platform_calls" // PlatformCalls: a minute of calls
	FactAPIUsage      EventType = "fact.api_usage"      // APIUsage: a minute of requests
)

// IsFact reports whether only analytics stores it.
func (t EventType) IsFact() bool { return strings.HasPrefix(string(t), "fact.") }

// Metrics is how a post does on its platform, counted since it was published. What the
// platform does not tell is nil, which is not zero.
type Metrics struct {
	Impressions  *int64 `json:"impressions,omitempty"` // times shown
	Reach        *int64 `json:"reach,omitempty"`       // people who saw it
	Views        *int64 `json:"views,omitempty"`       // of a video, or of the post where the platform says views
	Likes        *int64 `json:"likes,omitempty"`       // reactions of any kind
	Comments     *int64 `json:"comments,omitempty"`    // replies too
	Shares       *int64 `json:"shares,omitempty"`      // reposts and quotes too
	Saves        *int64 `json:"saves,omitempty"`       // bookmarks too
	Clicks       *int64 `json:"clicks,omitempty"`      // on links or on the post
	WatchSeconds *int64 `json:"watchSeconds,omitempty"`
}

// PostMetrics is one look at the metrics of a published target.
type PostMetrics struct {
	Target   int16     `json:"target"` // its place in the post
	NativeID string    `json:"nativeId"`
	PostedAt time.Time `json:"postedAt"`
	// Slot is which look of the schedule this is, from 0; a look that is repeated is the same.
	Slot    int16   `json:"slot"`
	Gone    bool    `json:"gone,omitempty"` // the platform no longer has the post
	Metrics Metrics `json:"metrics"`
}

// Followers is one day's look at an account. What the platform does not tell is nil.
type Followers struct {
	Day       string `json:"day"` // UTC, such as 2026-11-23
	Followers *int64 `json:"followers,omitempty"`
	Following *int64 `json:"following,omitempty"`
	Posts     *int64 `json:"posts,omitempty"`
}

// PublishedPost is a target that is on its platform.
type PublishedPost struct {
	Post     PostID
	Target   int16
	NativeID string // of the platform, as the receipt has it
	URL      string
	PostedAt time.Time
	Video    bool // with a video among its media
}

// Author is who wrote something on a platform.
type Author struct {
	ID     string `json:"id,omitempty"` // on the platform
	Handle string `json:"handle,omitempty"`
	Name   string `json:"name,omitempty"`
	URL    string `json:"url,omitempty"`
}

// The kinds of what people write to an account.
const (
	InboxComment = "comment"
	InboxMention = "mention"
)

// InboxItem is what somebody wrote to an account. Of one native id the greatest revision
// stands; WrittenAt is the same in all of them.
type InboxItem struct {
	Kind         string     `json:"kind"` // InboxComment or InboxMention
	NativeID     string     `json:"nativeId"`
	ParentID     string     `json:"parentId,omitempty"` // of the comment that it answers
	Author       Author     `json:"author"`
	Text         string     `json:"text,omitempty"`
	URL          string     `json:"url,omitempty"`
	PostNativeID string     `json:"postNativeId,omitempty"` // of what it stands under
	WrittenAt    time.Time  `json:"writtenAt"`
	Deleted      bool       `json:"deleted,omitempty"` // the platform no longer has it
	ReadAt       *time.Time `json:"readAt,omitempty"`  // nil: nobody has read it
	Revision     int64      `json:"revision"`
}

// FeedItem is a publication that a monitor found.
type FeedItem struct {
	Monitor   MonitorID `json:"monitor"`
	NativeID  string    `json:"nativeId"`
	Author    Author    `json:"author"`
	Text      string    `json:"text,omitempty"`
	URL       string    `json:"url,omitempty"`
	Language  string    `json:"language,omitempty"` // BCP 47; empty: not known
	WrittenAt time.Time `json:"writtenAt"`
	Keywords  []string  `json:"keywords,omitempty"` // that matched
}

// The outcomes of a try at a webhook.
const (
	TryDelivered = "delivered"
	TryRetried   = "retried" // it failed, and another follows
	TryFailed    = "failed"  // it was the last
)

// DeliveryFact is one try at a webhook, which its delivery and claim identify.
type DeliveryFact struct {
	Delivery DeliveryID `json:"delivery"`
	Claim    int32      `json:"claim"`
	Webhook  WebhookID  `json:"webhook"`
	Event    EventType  `json:"event"`
	Attempt  int        `json:"attempt"` // from 1
	Outcome  string     `json:"outcome"`
	Code     int        `json:"code,omitempty"`     // of the answer; 0: none came
	Seconds  float64    `json:"seconds,omitempty"`  // until the answer
	Lateness float64    `json:"lateness,omitempty"` // seconds from the event to the end of the try
}

// PlatformCalls is how many calls of one operation one process made to a platform within a
// minute, by what came of them. It belongs to no workspace.
type PlatformCalls struct {
	Minute    time.Time `json:"minute"`
	Process   string    `json:"process"` // a UUID of one run
	Operation string    `json:"operation"`
	Outcome   string    `json:"outcome"`
	Calls     int64     `json:"calls"`
	Seconds   float64   `json:"seconds"` // of all of them together
}

// APIUsage is how many requests a workspace made to one route through one process within a
// minute, by key and status.
type APIUsage struct {
	Minute   time.Time `json:"minute"`
	Process  string    `json:"process"`
	Key      KeyID     `json:"key,omitzero"`
	Method   string    `json:"method"`
	Route    string    `json:"route"` // a pattern
	Status   int       `json:"status"`
	Requests int64     `json:"requests"`
	Seconds  float64   `json:"seconds"`
}

// APIRequest is a request of a workspace that was answered.
type APIRequest struct {
	Workspace WorkspaceID
	Key       KeyID
	Method    string
	Route     string // a pattern
	Status    int
	Took      time.Duration
}

// PlatformCall is a call to a platform, or one that was held back before sending.
type PlatformCall struct {
	Platform  Platform
	Operation string
	Outcome   string
	Took      time.Duration
}
