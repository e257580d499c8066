package schema

import (
	"encoding/json"
	"fmt"
	"time"
)

// Post is 1 to 25 ordered entries sent to one or more targets. A thread is a post
// with several entries.
type Post struct {
	ID           PostID
	Workspace    WorkspaceID
	Brand        BrandID // zero: none
	Version      int32   // raised by every edit, cancel and retry; messages carry it
	Status       PostStatus
	ScheduledFor time.Time // UTC, never moved by a wait; zero: a draft without a time
	Timezone     string    // IANA name scheduledFor was read in
	FromAPI      bool      // lists hold API posts only
	Content      Content
	Targets      []Target
	CreatedAt    time.Time
	UpdatedAt    time.Time

	Trace string // W3C traceparent of what is done with it at the moment; not stored
}

// Content is what was asked to be published, kept as one document.
type Content struct {
	Entries       []Entry                      `json:"entries"`
	Settings      map[Platform]json.RawMessage `json:"settings,omitempty"`
	FirstComments []FirstComment               `json:"firstComments,omitempty"`
	Metadata      map[string]string            `json:"metadata,omitempty"`
	ExternalID    string                       `json:"externalId,omitempty"`
	Thread        *ThreadConfig                `json:"thread,omitempty"` // set on threads only
	Queue         QueueID                      `json:"queue,omitzero"`   // whose slot scheduledFor is; zero: none's
}

// Entry is one link of the chain: the whole post, or one post of a thread.
type Entry struct {
	Text     string              `json:"text,omitempty"`
	Platform map[Platform]string `json:"platform,omitempty"` // overrides Text for one platform
	Media    []Media             `json:"media,omitempty"`
}

// Media is one media item of an entry: at a url, or an upload, whose url then is where
// platforms can pull it.
type Media struct {
	Kind    MediaKind `json:"type"`
	URL     string    `json:"url,omitempty"`
	MediaID MediaID   `json:"mediaId,omitzero"`
	AltText string    `json:"altText,omitempty"`
	// Facts are known of uploads; of a url they are found once it is fetched, which is
	// right before publishing.
	Facts *MediaFacts `json:"facts,omitempty"`
}

// KnownKind is what the item is: by its content where that is known, else as declared.
func (m Media) KnownKind() MediaKind {
	if m.Facts != nil {
		return m.Facts.Kind
	}
	return m.Kind
}

// Shown returns the kind as mediaItems take and show it, where a GIF is an image.
func (k MediaKind) Shown() MediaKind {
	if k == GIF {
		return Image
	}
	return k
}

// MediaKind is what a media item is said to be.
type MediaKind string

// The kinds of media. A GIF is an image by its declared type and found by probing.
const (
	Image MediaKind = "image"
	Video MediaKind = "video"
	GIF   MediaKind = "gif"
	PDF   MediaKind = "pdf"
)

// FirstComment asks for a comment on an entry once the target is done.
type FirstComment struct {
	Target int    `json:"target"` // index of the entry, from 0
	Text   string `json:"text"`
}

// ThreadConfig is how a thread goes on after a failure.
type ThreadConfig struct {
	Title           string  `json:"title,omitempty"`
	PostDelay       float64 `json:"postDelay,omitempty"` // accepted, without effect
	ContinueOnError bool    `json:"continueOnError,omitempty"`
	MaxRetries      int     `json:"maxRetries"`
}

// The bounds of a thread's config.
const (
	DefaultThreadRetries = 3
	MaxThreadRetries     = 10
)

// DefaultTries is how many platform calls of one entry may fail before it has failed.
const DefaultTries = 5

// Tries returns how many failed calls end an entry.
func (c Content) Tries() int {
	if c.Thread == nil {
		return DefaultTries
	}
	return c.Thread.MaxRetries + 1
}

// TextFor returns the text of an entry on a platform. The most specific wins: the
// target's own content, the platform's settings, the entry's text for the platform,
// the entry's text.
func (c Content) TextFor(entry int, platform Platform, own string) string {
	if own != "" {
		return own
	}
	if text := contentSetting(c.Settings[platform]); text != "" && len(c.Entries) == 1 {
		return text
	}
	if text := c.Entries[entry].Platform[platform]; text != "" {
		return text
	}
	return c.Entries[entry].Text
}

func contentSetting(settings json.RawMessage) string {
	var s struct {
		Content string `json:"content"`
	}
	if len(settings) == 0 || json.Unmarshal(settings, &s) != nil {
		return ""
	}
	return s.Content
}

// Target is one post bound for one account: the unit the pipeline moves, retries,
// limits and fails.
type Target struct {
	N        int16 // position in the post, from 0; with the post's id its name
	Account  AccountID
	Platform Platform
	Content  string // overrides the post's text; empty: no override
	// FirstStep is StepPrepare where the first entry needs preparing on this platform.
	FirstStep Step
	State     TargetState
	Receipts  []Receipt // what is known of each published entry, in order of position
	Entry     int       // the current entry, or the one it ended with
	Unsettled EntrySet  // entries that ended without anybody knowing whether they are there
	Comments  []Comment
	Error     *TargetError // why it failed, or why its last try did
	NextAt    time.Time    // not before this time; zero: at once
	Attempts  int          // failed platform calls of the current entry
	PostedAt  time.Time
	Hold      *Hold     // why nothing of it goes out at present; nil: nothing holds it
	ChargedOn time.Time // the UTC day of whose daily cap it holds a unit; zero: it holds none
}

// TargetRef names a target at a version of its post.
type TargetRef struct {
	Post    PostID
	N       int16
	Version int32
}

// Receipt is what is known of one published entry or comment.
type Receipt struct {
	Entry    int       `json:"entry"`           // position of the entry, from 0
	NativeID string    `json:"id,omitempty"`    // id on the platform
	URL      string    `json:"url,omitempty"`   // public address, if the platform has one
	PostedAt time.Time `json:"at,omitzero"`     // UTC
	State    string    `json:"state,omitempty"` // what the connector needs to hang the next entry on it
	Open     bool      `json:"open,omitempty"`  // the platform goes on by itself; Find closes it
}

// TargetError is why a try of a target failed, safe to show.
type TargetError struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	At      time.Time `json:"at,omitzero"`
}

// Comment is one first comment of a target: asked for, and what became of it.
type Comment struct {
	ID       CommentID
	Position int // index among the post's first comments
	Entry    int // the entry it belongs to, from 0
	Text     string
	State    CommentState
	NativeID string
	URL      string
	PostedAt time.Time
	Error    *TargetError
}

// PostStatus is the status of a post; it follows from its targets'. Its number is
// stored: it never changes.
type PostStatus int16

// The statuses of a post.
const (
	Draft PostStatus = iota + 1
	Scheduled
	Processing // from the first claim on
	Posted     // every target
	PartiallyFailed
	Failed // no target was posted
	Cancelled
)

var postStatusNames = [...]string{
	Draft: "draft", Scheduled: "scheduled", Processing: "processing", Posted: "posted",
	PartiallyFailed: "partially_failed", Failed: "failed", Cancelled: "cancelled",
}

// String returns the status's name in the API.
func (s PostStatus) String() string {
	if s < Draft || int(s) >= len(postStatusNames) {
		return fmt.Sprintf("status(%d)", int16(s))
	}
	return postStatusNames[s]
}

// ParsePostStatus returns the status of that name.
func ParsePostStatus(name string) (PostStatus, error) {
	for s := Draft; int(s) < len(postStatusNames); s++ {
		if postStatusNames[s] == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("%q is no status of a post", name)
}

// Terminal tells whether nothing moves the post any more but a retry.
func (s PostStatus) Terminal() bool {
	return s == Posted || s == PartiallyFailed || s == Failed || s == Cancelled
}

// TargetState is where a target stands. Its number is stored: it never changes.
type TargetState int16

// The states of a target.
const (
	TargetPending TargetState = iota // waits for its time, a retry or the next step
	TargetClaimed                    // leased by a worker
	TargetPosted
	TargetFailed
	TargetCancelled
)

// String returns the state's name in the API, where a claimed target is pending.
func (s TargetState) String() string {
	switch s {
	case TargetPosted:
		return "posted"
	case TargetFailed:
		return "failed"
	case TargetCancelled:
		return "cancelled"
	default:
		return "pending"
	}
}

// CommentState is where a first comment stands. Its number is stored: it never changes.
type CommentState int16

// The states of a first comment.
const (
	CommentPending CommentState = iota
	CommentClaimed
	CommentPosted
	CommentFailed
	CommentSkipped // its entry was not published
)

// String returns the state's name in the API, where a claimed comment is pending.
func (s CommentState) String() string {
	switch s {
	case CommentPosted:
		return "posted"
	case CommentFailed:
		return "failed"
	case CommentSkipped:
		return "skipped"
	default:
		return "pending"
	}
}

// StatusOf returns the status that follows from how many targets are posted and
// failed once none is left.
func StatusOf(posted, failed int) PostStatus {
	switch {
	case failed == 0:
		return Posted
	case posted == 0:
		return Failed
	default:
		return PartiallyFailed
	}
}
