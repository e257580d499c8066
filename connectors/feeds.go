package connectors

import (
	"context"
	"time"

	"crier/schema"
)

// FeedItem is a public post as its platform tells of it.
type FeedItem struct {
	Platform schema.Platform
	NativeID string // on bluesky its at:// address
	// Revision tells an edit of the post from the post; empty where the platform has no edits.
	Revision  string
	Author    schema.Author
	Text      string
	URL       string
	Languages []string // as the author or the platform says, BCP 47; empty: not known
	WrittenAt time.Time
	SeenAt    time.Time // when the platform's stream carried it; zero: it came otherwise
}

// FeedQuery is what is looked for in public posts.
type FeedQuery struct {
	Words    string
	Language string    // empty: any
	Since    time.Time // zero: any
	Cursor   string    // of the page before; empty: the first
	Limit    int
}

// FeedPage is a part of what was found, the newest first.
type FeedPage struct {
	Items []FeedItem
	Next  string // the cursor of the next page; empty: there is none
}

// FeedSearcher is a connector whose platform has a search over public posts.
type FeedSearcher interface {
	// SearchFeed looks for public posts on behalf of an account.
	SearchFeed(ctx context.Context, r Reading, q FeedQuery) (FeedPage, error)
}

// PublicProfile is what a platform shows of somebody to everybody. What it does not tell is nil
// or empty.
type PublicProfile struct {
	ID          string
	Handle      string
	Name        string
	Description string
	URL         string
	AvatarURL   string
	Followers   *int64
	Following   *int64
	Posts       *int64
	CreatedAt   time.Time // zero: not known
}

// ProfileReader is a connector whose platform shows profiles to everybody.
type ProfileReader interface {
	// ReadProfile returns the profile of a handle or id. One that does not exist is an error of
	// kind NotFound.
	ReadProfile(ctx context.Context, r Reading, actor string) (PublicProfile, error)
}

// StreamKind is what a message of a stream of public posts is.
type StreamKind int

// The kinds of messages.
const (
	StreamOther     StreamKind = iota // nothing that people read, such as a deletion
	StreamPost                        // a post, or an edit of one
	StreamMalformed                   // no event of the stream
	StreamOversized                   // too large to be read
)

var streamKinds = [...]string{"other", "post", "malformed", "oversized"}

// String returns the kind's name in metrics.
func (k StreamKind) String() string { return streamKinds[k] }

// StreamEvent is a message of a stream of public posts.
type StreamEvent struct {
	Kind StreamKind
	Item FeedItem           // of a StreamPost
	At   schema.StreamPlace // how far the stream is read with it
	// Resumed is that the event is the first of a connection, and Asked the place that was asked
	// for: what lies between may be missing, where the host did not keep it.
	Resumed bool
	Asked   schema.StreamPlace
}
