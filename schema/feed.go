package schema

import (
	"slices"
	"time"
)

// Monitor is what a workspace listens for: public posts that have one of the included keywords
// and none of the excluded ones.
type Monitor struct {
	ID        MonitorID
	Workspace WorkspaceID
	Name      string
	Include   []string
	Exclude   []string
	Language  string // ISO 639-1; empty: any
	Platforms []Platform
	Paused    bool // finds nothing, and keeps what it has found
	CreatedAt time.Time
	UpdatedAt time.Time
	Search    *MonitorSearch // nil: nothing is searched for it
}

// MonitorSearch is how a monitor is searched for on a platform that has no stream.
type MonitorSearch struct {
	Until   time.Time // what was written until then was looked for
	Problem string    // why nothing is searched; empty: nothing is wrong
}

// Searches reports whether a monitor has to be searched for.
func (m Monitor) Searches() bool { return !m.Paused && slices.Contains(m.Platforms, Threads) }

// LooksAs reports whether a monitor looks for the same as another, whatever they are called.
func (m Monitor) LooksAs(other Monitor) bool {
	return slices.Equal(m.Include, other.Include) && slices.Equal(m.Exclude, other.Exclude) && m.Language == other.Language &&
		slices.Equal(m.Platforms, other.Platforms) && m.Paused == other.Paused
}

// KeywordBytes is how many bytes the keywords have together.
func (m Monitor) KeywordBytes() (bytes int) {
	for _, keywords := range [][]string{m.Include, m.Exclude} {
		for _, keyword := range keywords {
			bytes += len(keyword)
		}
	}
	return bytes
}

// What a monitor may be, and how many of them.
const (
	MaxMonitors     = 10_000    // of a workspace
	MaxKeywords     = 20        // of a monitor: included, and excluded as many
	ShortestKeyword = 2         // characters
	LongestKeyword  = 100       // characters
	MaxKeywordBytes = 256 << 10 // of a workspace's monitors together
	// HeldKeywordBytes is what keywords of all workspaces a process listens for: some 200 bytes of
	// memory for each.
	HeldKeywordBytes = 1 << 20
)

// MonitorPlatforms are where monitors can look.
func MonitorPlatforms() []Platform { return []Platform{Bluesky, Threads} }

// StreamPlatforms are those with a stream of all public posts, where monitors look by themselves.
// On the others they are searched for.
func StreamPlatforms() []Platform { return []Platform{Bluesky} }

// SearchPlatforms are those whose public posts can be searched.
func SearchPlatforms() []Platform { return []Platform{Bluesky, Threads} }

// StreamPlace is how far a stream was read.
type StreamPlace struct {
	Host string
	Time time.Time // the host's, of the last event; zero: nothing was read
}

// StreamClaim is the right to read a stream, which one process has at a time.
type StreamClaim struct {
	Stream string
	Number int64 // only grows: whoever claims later takes the right away
	Place  StreamPlace
}

// Find is a post that a monitor found.
type Find struct {
	Workspace WorkspaceID
	Monitor   string // its name
	Platform  Platform
	// Key is what the post is known by, with its revision: one of a key is found once.
	Key  [16]byte
	Item FeedItem
	// Known is how long the key is remembered: as long as the post can come again.
	Known time.Duration
}

// FeedMatchedData is the data of feed.matched: posts that a monitor found at one moment.
type FeedMatchedData struct {
	Monitor FeedMonitor   `json:"monitor"`
	Items   []MatchedItem `json:"items"`
}

// FeedMonitor names a monitor.
type FeedMonitor struct {
	ID   MonitorID `json:"id"`
	Name string    `json:"name"`
}

// MatchedItem is a post that a monitor found, as the API shows it.
type MatchedItem struct {
	Platform  Platform  `json:"platform"`
	NativeID  string    `json:"nativeId"`
	Author    Author    `json:"author"`
	Text      string    `json:"text"`
	URL       string    `json:"url,omitempty"`
	Language  string    `json:"language,omitempty"`
	WrittenAt time.Time `json:"writtenAt"`
	Keywords  []string  `json:"keywords"`
}

// Matched is the item as the API shows it.
func (i FeedItem) Matched(p Platform) MatchedItem {
	return MatchedItem{
		Platform: p, NativeID: i.NativeID, Author: i.Author, Text: i.Text, URL: i.URL, Language: i.Language,
		WrittenAt: i.WrittenAt, Keywords: i.Keywords,
	}
}

// SearchPace is how often an account searches for its workspace's monitors: 2,000 times a day of
// the 2,200 that Threads lets a person search
// (developers.facebook.com/docs/threads/keyword-search). The rest is for GET /feeds/search.
const SearchPace = 24 * time.Hour / 2000

// SearchStep is the next turn of a monitor that is searched for: a page of a keyword.
type SearchStep struct {
	Monitor Monitor
	Sharing int // monitors that share the account's quota, this one included
	SearchProgress
}

// SearchProgress is how far a monitor was searched for.
type SearchProgress struct {
	Until   time.Time // all keywords were searched for until then
	Began   time.Time // the round through them: Until after it
	Keyword int       // in hand, an index of Include
	Page    int       // of it, from 0
	Place   string    // where the page begins, as the platform says
	NextAt  time.Time
	Problem string
}

// StreamLease is how long a process may be silent about a stream that it reads; another goes on
// with it then.
const StreamLease = 15 * time.Second

// FeedItemQuery is which finds of a monitor are asked for, the newest first.
type FeedItemQuery struct {
	Monitor  MonitorID
	Platform Platform  // zero: any
	Before   time.Time // written then, with ids below BeforeID, or before; zero: from the newest on
	BeforeID string
	Limit    int
}
