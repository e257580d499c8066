package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

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

// The kinds of InboxItem.
const (
	InboxComment = "comment" // under a post of the account
	InboxMention = "mention" // anywhere else, by naming the account
)

// InboxRetention is how long it is known what an account has received, from when it was first
// seen: it can be answered and marked for that long.
const InboxRetention = 90 * 24 * time.Hour

// Author is who wrote something on a platform. What the platform does not tell is empty.
type Author struct {
	ID     string `json:"id,omitempty"`
	Handle string `json:"handle,omitempty"`
	Name   string `json:"name,omitempty"`
	URL    string `json:"url,omitempty"`
}

// InboxItem is what somebody wrote to an account, as it stands at a revision.
type InboxItem struct {
	Kind         string     `json:"kind"`
	NativeID     string     `json:"nativeId"`
	ParentID     string     `json:"parentId,omitempty"` // what it answers; empty: the post itself
	Author       Author     `json:"author"`
	Text         string     `json:"text"`
	URL          string     `json:"url,omitempty"`
	PostNativeID string     `json:"postNativeId,omitempty"` // the post of the account that it is under
	WrittenAt    time.Time  `json:"writtenAt"`
	Deleted      bool       `json:"deleted,omitempty"`
	ReadAt       *time.Time `json:"readAt,omitempty"`
	Revision     int64      `json:"revision"` // of the same item: the highest holds
}

// Received is something that somebody has written to an account, as its platform shows it: its
// revision, and when it was read, are crier's to know.
type Received struct {
	Item  InboxItem
	Post  PostID // of crier that it is under; zero: none
	State string // what an answer to it needs besides: see ReplyTo
}

// Digest tells one content of an item from another.
func (r Received) Digest() []byte {
	hash := sha256.New()
	for _, part := range []string{r.Item.Text, r.Item.URL, r.Item.Author.Handle, r.Item.Author.Name, r.State, strconv.FormatBool(r.Item.Deleted)} {
		hash.Write(binary.AppendUvarint(nil, uint64(len(part))))
		hash.Write([]byte(part))
	}
	return hash.Sum(nil)[:16]
}

// NewsAge is how old something may be when it is first seen for webhooks to be told.
const NewsAge = 24 * time.Hour

// InboxEntry is what is known of an item without its content.
type InboxEntry struct {
	ID        ItemID
	Account   AccountID
	Platform  Platform
	Mention   bool
	NativeID  string
	ParentID  string
	PostID    PostID // zero: not under a post of crier's
	WrittenAt time.Time
	Deleted   bool
	ReadAt    time.Time // zero: nobody has read it
}

// Place is where the entry stands in the order of the inbox.
func (e InboxEntry) Place() InboxPlace { return InboxPlace{e.WrittenAt, e.ID} }

// InboxPlace is a place in the order of the inbox: the newest first.
type InboxPlace struct {
	At time.Time
	ID ItemID
}

// InboxFilter selects what of a workspace's inbox is listed.
type InboxFilter struct {
	Mentions bool
	Account  AccountID // zero: all
	Post     PostID    // zero: all
	Unread   bool
	After    InboxPlace // zero: from the newest
	Limit    int
}

// UnreadCount is how much of an account's inbox nobody has read, up to MostCounted.
type UnreadCount struct {
	Account            AccountID
	Comments, Mentions int
}
