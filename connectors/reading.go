package connectors

import (
	"context"
	"errors"
	"time"

	"crier/schema"
)

// ErrNotReported is of what a platform tells of no post or account of this kind.
var ErrNotReported = errors.New("the platform does not tell")

// MetricsSource is a connector whose platform tells how posts do.
type MetricsSource interface {
	// MetricsBatch is how many posts one call of PostMetrics takes, which is one call of the
	// platform's.
	MetricsBatch() int
	// PostMetrics returns the metrics of posts of one account, in their order. A post that the
	// platform no longer has is marked as gone.
	PostMetrics(ctx context.Context, r Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error)
}

// FollowersSource is a connector whose platform tells how an account does.
type FollowersSource interface {
	// Followers returns the counts of now; Day is left empty.
	Followers(ctx context.Context, r Reading) (schema.Followers, error)
}

// Reading is on whose behalf something is read, and with which turn.
type Reading struct {
	Account     schema.Account
	Credentials schema.Credentials
	Reservation schema.Reservation // of the first call; nil: it takes one by itself
}

// EachPost reads the metrics of posts one after the other, where a call of the platform's takes
// one. The first call has the reading's turn.
func EachPost(r Reading, posts []schema.PublishedPost, read func(Reading, schema.PublishedPost) (schema.PostMetrics, error)) ([]schema.PostMetrics, error) {
	metrics := make([]schema.PostMetrics, len(posts))
	for i, p := range posts {
		var err error
		if metrics[i], err = read(r, p); err != nil {
			return nil, err
		}
		r.Reservation = nil
	}
	return metrics, nil
}

// NativeIDs returns what posts are called on their platform.
func NativeIDs(posts []schema.PublishedPost) []string {
	ids := make([]string, len(posts))
	for i, p := range posts {
		ids[i] = p.NativeID
	}
	return ids
}

// MetricsOf puts the metrics that were found into the order of the posts; missing is of what was not found.
func MetricsOf(posts []schema.PublishedPost, found map[string]schema.Metrics, missing schema.PostMetrics) []schema.PostMetrics {
	metrics := make([]schema.PostMetrics, len(posts))
	for i, p := range posts {
		m, ok := found[p.NativeID]
		if metrics[i] = missing; ok {
			metrics[i] = schema.PostMetrics{Metrics: m}
		}
	}
	return metrics
}

// Sum adds counts; what is not known of one is not known of the sum.
func Sum(counts ...*int64) *int64 {
	var sum int64
	for _, n := range counts {
		if n == nil {
			return nil
		}
		sum += *n
	}
	return &sum
}

// CommentSource is a connector whose platform shows what people write under a post.
type CommentSource interface {
	// Comments returns a page of what people have written under a post of the account, answers
	// to comments included, but not what the account itself has written. A post that the
	// platform no longer has is a page that says so.
	Comments(ctx context.Context, r Reading, post schema.PublishedPost, cursor string) (ReceivedPage, error)
}

// MentionSource is a connector whose platform tells where people name an account.
type MentionSource interface {
	// Mentions returns a page of what names the account, the newest first, without what is
	// under the account's own posts.
	Mentions(ctx context.Context, r Reading, cursor string) (ReceivedPage, error)
}

// Replier is a connector whose platform takes answers to what people write.
type Replier interface {
	// Reply posts d.Comment as an answer to d.Comment.ReplyTo: one visible call, by the rules
	// of Connector.Publish.
	Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error)
	// FindReply looks for what an earlier Reply of this delivery may have made, by the rules
	// of Connector.Find.
	FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error)
}

// TranscriptSource is a connector whose platform has the words that are spoken in a video.
type TranscriptSource interface {
	// Transcript returns the captions of a video of the account in a language, the first that
	// there is for an empty one. It is NotFound where there are none.
	Transcript(ctx context.Context, r Reading, video, language string) (Transcript, error)
}

// RetentionSource is a connector whose platform tells how long people watch a video.
type RetentionSource interface {
	// Retention returns how many are watching along a video of the account since a time before it
	// was published; nothing where too few have watched it.
	Retention(ctx context.Context, r Reading, video string, since time.Time) ([]RetentionPoint, error)
}

// RetentionPoint is how many watch some part of a video.
type RetentionPoint struct {
	Elapsed  float64 // the share of the video that is over, to 1
	Watching float64 // the share of all views; parts that are seen again can be above 1
}

// ReceivedPage is a part of what an account has received.
type ReceivedPage struct {
	Items []schema.Received
	Next  string // where it goes on; empty: it is over
	Gone  bool   // the platform no longer has the post
	// Extent is what a look has read whose last page this is, if it began with the first: of that,
	// what is not there is not on the platform any more.
	Extent Extent
}

// Under returns something received as what stands under a post. What answers the post itself has no parent.
func Under(post schema.PublishedPost, r schema.Received) schema.Received {
	r.Post, r.Item.PostNativeID = post.Post, post.NativeID
	if r.Item.ParentID == post.NativeID {
		r.Item.ParentID = ""
	}
	return r
}

// Extent is how much of what stands under a post was read.
type Extent int

// How much it was.
const (
	SomeComments   Extent = iota // there may be others
	DirectComments               // all that answers the post itself
	AllComments                  // that, and all answers to it
)

// Transcript is what is spoken in a video.
type Transcript struct {
	Language  string   // BCP 47, as the platform has it
	Automatic bool     // made by the platform's speech recognition
	Languages []string // all that there are
	Cues      []Cue
}

// Cue is a part of a transcript. Its times are from the beginning, in milliseconds.
type Cue struct {
	Start, End int64
	Text       string
}

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

// Dated gives the time of now to items that have no time from their platform, or an impossible one.
func (p FeedPage) Dated(now time.Time) FeedPage {
	for i := range p.Items {
		if schema.PastTime(p.Items[i].WrittenAt, now).IsZero() {
			p.Items[i].WrittenAt = now
		}
	}
	return p
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
	Resumed   bool
	Requested schema.StreamPlace
}
