package schema

import "time"

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
