package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"crier/schema/lists"
	"crier/schema/retry"
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
	FromAPI      bool      // no member made it at the dashboard; lists have such posts alone unless asked for all
	Content      Content
	Targets      []Target
	CreatedAt    time.Time
	UpdatedAt    time.Time

	Trace string // W3C traceparent of what is being done with it; not stored
}

// MaxTexts is how many characters the texts of a post have together, without what platforms get
// instead: a few more than Facebook, which takes most, so that every event about a post fits into a
// message.
const MaxTexts = 65_536

// Content is what is to be published, stored as one document.
type Content struct {
	Entries  []Entry                      `json:"entries"`
	Settings map[Platform]json.RawMessage `json:"settings,omitempty"`
	// SettingUploads are the uploads whose addresses stand in Settings, such as covers.
	SettingUploads []MediaID         `json:"settingUploads,omitempty"`
	FirstComments  []FirstComment    `json:"firstComments,omitempty"`
	Metadata       map[string]string `json:"metadata,omitempty"`
	ExternalID     string            `json:"externalId,omitempty"`
	Thread         *ThreadConfig     `json:"thread,omitempty"` // set on threads only
	Queue          QueueID           `json:"queue,omitzero"`   // whose slot scheduledFor is; zero: of no queue
}

// Entry is one message: the whole post, or one part of a thread.
type Entry struct {
	Text     string              `json:"text,omitempty"`
	Platform map[Platform]string `json:"platform,omitempty"` // overrides Text for one platform
	Media    []Media             `json:"media,omitempty"`
}

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

// The number of entries of a thread.
const (
	MinThreadEntries = 2
	MaxThreadEntries = 25
)

// DefaultTries is how many platform calls of one entry may fail before it has failed.
const DefaultTries = retry.EntryTries

// Tries returns after how many failed calls an entry has failed.
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
	if text := c.SettingText(platform); text != "" && len(c.Entries) == 1 {
		return text
	}
	if text := c.Entries[entry].Platform[platform]; text != "" {
		return text
	}
	return c.Entries[entry].Text
}

// SettingText returns the text that a platform's settings put in place of that of a post
// with one entry; empty: none.
func (c Content) SettingText(platform Platform) string {
	var s struct {
		Content string `json:"content"`
	}
	if settings := c.Settings[platform]; len(settings) == 0 || json.Unmarshal(settings, &s) != nil {
		return ""
	}
	return UnixLines(s.Content)
}

// ErrUnchanged is what a change of a post returns that leaves it as it is.
var ErrUnchanged = errors.New("the post stays as it is")

// ErrJudged is what a change of a post returns that is judged, and then not made.
var ErrJudged = errors.New("the change of the post is judged alone")

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
func (s PostStatus) String() string { return lists.Name(s, Draft, postStatusNames[:], "status") }

// ParsePostStatus returns the status of that name.
func ParsePostStatus(name string) (PostStatus, error) {
	if s := lists.Number[PostStatus](name, postStatusNames[:]); s > 0 {
		return s, nil
	}
	return 0, fmt.Errorf("%q is no status of a post: %s are", name, strings.Join(postStatusNames[Draft:], ", "))
}

// Terminal reports whether only a retry can change the post's status.
func (s PostStatus) Terminal() bool {
	return s == Posted || s == PartiallyFailed || s == Failed || s == Cancelled
}

// StatusOf returns the status that follows from the numbers of posted and failed targets,
// once none is open.
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

// Creation is one request that creates posts: all of them or none, unless
// ResponseIfRefused is set.
type Creation struct {
	Idempotency *Idempotency // nil: the request came without a key
	Posts       []Post
	// PostsPerMonth is what the plan of the workspace allows, in entries; 0: no limit.
	PostsPerMonth int
	Response      []byte // the body a repetition of the request is answered with
	// ResponseIfRefused returns the response if these of the posts are refused, by a daily cap or
	// the plan, and the others created. If it is nil, or returns nil, one refusal refuses the
	// whole request.
	ResponseIfRefused func(refused map[PostID]*Error) []byte
}

// Idempotency identifies a request that must have its effect once.
type Idempotency struct {
	Lineage     KeyID
	Key         string
	Fingerprint [32]byte // of the route and the decoded body
}

// IdempotencyRetention is how long the answer to a request is kept.
const IdempotencyRetention = 24 * time.Hour

// Created is the result of a creation: new posts, or the answer of the request it
// repeats.
type Created struct {
	Replayed bool
	Response []byte
}

// PostFilter selects posts of a workspace, and which part of them is listed.
type PostFilter struct {
	Status   PostStatus // zero: any but where the API leaves some out
	Platform Platform   // zero: any
	Brand    BrandID    // zero: any
	All      bool       // with those that members made at the dashboard; else those of the API alone
	After    time.Time  // scheduled at or after; zero: no bound
	Before   time.Time  // scheduled at or before; zero: no bound
	// ExternalID is the caller's own id of a post; empty: any.
	ExternalID string
	// Metadata must be part of the post's. Of the posts that the other fields select, the
	// store searches only some of the first for it.
	Metadata map[string]string
	// Search is words that a post's texts and titles have; empty: any. The order is LastCreated, and
	// the store reads only some of the posts for a page.
	Search string
	// UpdatedAfter selects what changed then or later; of the fields above Status alone stands
	// beside it. The order is FirstChanged.
	UpdatedAfter time.Time
	Order        PostOrder // LastCreated and FirstCreated: beside ExternalID and Metadata alone
	Limit        int
	Offset       int
	From         *PostPosition // the page begins behind it; nil: Offset says where
}

// PostOrder is the order of a list of posts. Those that are alike in it are in the order of
// their creation, or of its reverse where the list is one.
type PostOrder int

// The orders of lists.
const (
	LastScheduled  PostOrder = iota // drafts without a time before all others
	FirstScheduled                  // and after all others
	LastCreated
	FirstCreated
	FirstChanged
)

// PostPosition is where a post stands in an order.
type PostPosition struct {
	At time.Time // zero: it has no time, or the order is by its id alone
	ID PostID
}

// PostNames are posts by their ids, and by the caller's own.
type PostNames struct {
	IDs         []PostID
	ExternalIDs []string
}

// PostPage is a part of a list.
type PostPage struct {
	Posts []Post
	Total int           // of the whole list, counted up to a bound
	Last  *PostPosition // where the page ends; nil: nothing follows
	// Truncated says of a search that it ended at Last because it had read enough.
	Truncated bool
}

// Queue is a weekly schedule of slots, which posts take one after another.
type Queue struct {
	ID        QueueID
	Workspace WorkspaceID
	Brand     BrandID // zero: of the whole workspace
	Name      string
	Timezone  string // IANA name of the slots' zone
	Slots     []WeekSlot
	Default   bool // of its brand, or of the workspace: at most one each
	CreatedAt time.Time
	UpdatedAt time.Time
}

// WeekSlot is a time of the week at which one post may go out.
type WeekSlot struct {
	Day  string `json:"day"`  // monday to sunday
	Time string `json:"time"` // 00:00 to 23:59
}

// QueueChoice names the queue that a post is to be placed in.
type QueueChoice struct {
	ID    QueueID // zero: the default of the brand, or else of the workspace
	Brand BrandID
}

// QueueReader returns the queue of a choice, and its coming slots that are taken, in order. It is NotFound if
// there is no such queue.
type QueueReader func(QueueChoice) (queue Queue, taken []time.Time, err error)

// UnixLines returns a text whose lines end with LF.
func UnixLines(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// WithoutInvisible returns a text without the signs that show nothing, such as marks of direction and
// joiners, blanks excepted.
func WithoutInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, text)
}

// Pasted returns what somebody copied from a page or a chat, such as a handle, without the blanks around it
// and the invisible signs that came along.
func Pasted(text string) string { return strings.TrimSpace(WithoutInvisible(text)) }

// PastedHandle is Pasted of somebody's handle, without the @ that pages show before it.
func PastedHandle(text string) string {
	return strings.TrimSpace(strings.TrimPrefix(Pasted(text), "@"))
}

// IsBlank reports whether a text shows nothing at all.
func IsBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !isInvisible(r) })
}

// invisible are the signs that show nothing beside those of Unicode's category Cf: fillers that count as
// letters, a joiner that counts as a mark, variation selectors, and the pattern of Braille without a dot.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, {Lo: 0xfffe, Hi: 0xffff, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

func isInvisible(r rune) bool {
	// Arabic signs of number and of the end of an aya are of Cf, and visible.
	isVisible := r >= 0x0600 && r <= 0x0605 || r == 0x06dd || r == 0x070f || r == 0x08e2 || r == 0x110bd || r == 0x110cd
	return unicode.Is(unicode.Cf, r) && !isVisible || unicode.Is(invisible, r)
}

// ParseURL reads an address as browsers do: a "%" that begins no escape stands for itself
// (url.spec.whatwg.org), as in https://example.com/100%-off.
func ParseURL(address string) (*url.URL, error) { return url.Parse(EscapePercent(address)) }

// EscapePercent returns an address in which each "%" begins an escape.
func EscapePercent(address string) string {
	if !strings.Contains(address, "%") {
		return address
	}
	var escaped strings.Builder
	for i := range len(address) {
		escaped.WriteByte(address[i])
		if address[i] == '%' && !isEscape(address[i:]) {
			escaped.WriteString("25")
		}
	}
	return escaped.String()
}

// isEscape reports whether a text begins with an escape of a URI (RFC 3986, 2.1).
func isEscape(text string) bool {
	return len(text) > 2 && isHex(text[1]) && isHex(text[2])
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}
