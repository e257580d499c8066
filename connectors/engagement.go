package connectors

import (
	"context"

	"crier/schema"
)

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

// ReceivedPage is a part of what an account has received.
type ReceivedPage struct {
	Items []schema.Received
	Next  string // where it goes on; empty: it is over
	Gone  bool   // the platform no longer has the post
}

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
