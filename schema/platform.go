package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier/schema/lists"
)

// Platform is one of the 12 platforms. Its number is stored: it never changes.
type Platform int16

// The platforms.
const (
	Twitter Platform = iota + 1
	Instagram
	Facebook
	LinkedIn
	TikTok
	Threads
	Bluesky
	YouTube
	Pinterest
	Telegram
	Mastodon
	GoogleBusiness
)

var platformNames = [...]string{
	Twitter: "twitter", Instagram: "instagram", Facebook: "facebook", LinkedIn: "linkedin",
	TikTok: "tiktok", Threads: "threads", Bluesky: "bluesky", YouTube: "youtube",
	Pinterest: "pinterest", Telegram: "telegram", Mastodon: "mastodon", GoogleBusiness: "google-business",
}

// Platforms returns all platforms, in the order of their numbers.
func Platforms() []Platform {
	all := make([]Platform, 0, len(platformNames)-1)
	for p := Twitter; int(p) < len(platformNames); p++ {
		all = append(all, p)
	}
	return all
}

// PlatformNames are the names of all platforms, for errors.
func PlatformNames() string { return strings.Join(platformNames[Twitter:], ", ") }

// ParsePlatform returns the platform of that name.
func ParsePlatform(name string) (Platform, error) {
	if p := lists.Number[Platform](name, platformNames[:]); p > 0 {
		return p, nil
	}
	return 0, fmt.Errorf("%q is no platform: %s are", name, PlatformNames())
}

// String returns the platform's name in the API.
func (p Platform) String() string { return lists.Name(p, Twitter, platformNames[:], "platform") }

// TradesTokensForThemselves reports whether the platform trades an access token for a new
// one, without a refresh token; the old one works until it expires.
func (p Platform) TradesTokensForThemselves() bool { return p == Instagram || p == Threads }

// MarshalText makes the platform its name in JSON, as a value and as a key.
func (p Platform) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a platform's name.
func (p *Platform) UnmarshalText(text []byte) error {
	parsed, err := ParsePlatform(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// Constraints is what a platform takes, as data, since validation needs it without a
// connector.
type Constraints struct {
	Platform Platform
	Server   string // whose limits these are, where they are not the platform's own
	// Own returns what is taken of one account, where that is another matter for each; nil: it
	// is the same for all. Media is still made to fit what the platform takes.
	Own func(Account) Constraints
	// Wider is what the platform itself takes beyond these: see PlatformLimits. Nothing: these are its own.
	Wider []Widening

	Text TextLimit
	// Visible returns what is shown of a text that is marked up as the settings say, which is what its limits
	// count, or why the platform cannot read it; nil: a text is shown as it is.
	Visible func(text string, settings json.RawMessage) (string, error)
	// Beside returns how much of the limit of each text the settings take, and what of them does, such as
	// a content warning; nil: nothing does.
	Beside  func(settings json.RawMessage) (n int, what string)
	Caption int       // limit of the text where an entry has media; 0: the same
	Title   TextLimit // Max 0: the platform has no title

	Media MediaLimits

	Hashtags    int // most hashtags; 0: no limit
	FewHashtags int // a post with more gets a warning, though the API takes them; 0: none does
	Cashtags    int // most tags of stocks, such as $ABC; 0: no limit
	Mentions    int // most mentions; 0: no limit
	Links       int // most different addresses; 0: no limit
	// LinkBeside returns an address of the settings that counts with those of the first text; nil: none does.
	LinkBeside   func(settings json.RawMessage) string
	FirstComment CommentLimit
	Thread       ThreadLimit

	DailyCap   int  // posts a UTC day and account; 0: no cap
	Containers bool // an entry without media needs preparing too
	// Previews reports whether an entry with such a text and no media is prepared for a preview of what it
	// links to; nil: none is.
	Previews   func(text string, settings json.RawMessage) bool
	Pulls      bool // the platform fetches media by itself
	Copies     bool // and gets crier's copy of a url, since it reaches crier
	CannotFind bool // nobody can look for a lost call
	Listing    Listing

	// Settings checks the platform's part of platformSettings; nil: it has none. The
	// field of a detail is relative to it.
	Settings func(settings json.RawMessage) []Detail
	// MediaWith returns what media is taken of a post with such settings; nil: the same of all.
	MediaWith func(l MediaLimits, settings json.RawMessage) MediaLimits
	// MediaSettings are the names of the settings that are addresses of media, such as coverUrl or
	// card.thumbnailUrl.
	MediaSettings []string
	// Together checks the settings and the first entry against each other; nil: there is
	// nothing to check. Fields are relative as those of Settings.
	Together func(first Entry, settings json.RawMessage) []Detail
}

// Listing is how soon a look shows what a lost call made.
type Listing struct {
	// Within is how long it may be missing; zero: it is shown at once, or a second call makes
	// nothing more.
	Within time.Duration
	// Refuses tells that a second text is refused where it is the first one again; of media
	// that is not known. The last try has none after it that would tell.
	Refuses bool
}

// UsualListing is the Within of a platform whose documents do not say how soon its lists show
// what was made.
const UsualListing = time.Minute

// of returns how long what a delivery's call made may be missing. A simulator lists at once.
func (l Listing) of(d *Delivery) time.Duration {
	isText := d.Comment != nil || len(d.Media) == 0
	switch {
	case d.Account.Sandbox, l.Refuses && isText && d.Attempts+1 < d.Tries:
		return 0
	default:
		return l.Within
	}
}

// TextLimit bounds a text by the platform's own way of counting.
type TextLimit struct {
	Max      int
	MaxBytes int // of its UTF-8, beside Max; 0: no limit
	Required bool
	Without  string // signs that it may not hold
	Count    func(text string) int
}

// CommentLimit is what first comments a platform takes.
type CommentLimit struct {
	Supported bool
	RootOnly  bool   // on the first entry of a thread only
	Max       int    // 0: no limit of its own
	MaxBytes  int    // of its UTF-8, beside Max; 0: no limit
	Usual     int    // beyond it some servers refuse; 0: none do
	Without   string // signs that it may not hold
	Count     func(text string) int
}

// ThreadLimit is how a platform takes threads.
type ThreadLimit struct {
	Supported bool
	Pause     time.Duration // between two entries
}

// MediaLimits is what media a platform takes. Sizes are in bytes, dimensions in
// pixels, aspect ratios are width over height; zero means no limit.
type MediaLimits struct {
	Required         bool
	Max              int // items in all
	MaxVideos        int // a video excludes images where this is 1 and Mixed is false
	Mixed            bool
	Kinds            []MediaKind
	ImageTypes       []string // media types by content, such as image/jpeg
	VideoTypes       []string
	MaxImageBytes    int64
	MaxVideoBytes    int64
	MaxGIFBytes      int64 // of a GIF, where that is less than of its like
	MaxDocumentBytes int64
	MaxVideoDuration time.Duration
	MaxPixels        int64 // of a picture, its width times its height
	MaxGIFPixels     int64 // of a GIF, where that is less
	MaxVideoPixels   int64 // of a video
	MaxSides         int   // of a picture, its width and its height together
	MinWidth         int
	MinHeight        int
	MaxAltText       int // characters; 0: MaxAltText of all
	MinAspect        float64
	MaxAspect        float64
	AspectOfImages   bool // the aspect ratio bounds pictures only
	ExactAspect      bool // a side that was rounded to a whole pixel may already be too long for it
	MaxWidth         int
	MaxHeight        int
	Converts         bool // an uploaded picture that has another format, and is fine otherwise, becomes a JPEG
	OneSize          bool // several pictures have the same width and height
	// GIF is what GIFs are refused for, and GIFAdvice what the documents ask for besides.
	GIF, GIFAdvice GIFLimits
	// Moving are the types of pictures that move there; any other stands still.
	Moving []string
	// Film is what videos are refused for, as firm documents or answers have it; FilmAdvice is what the
	// documents ask for besides, of which a warning says that it may not be taken.
	Film, FilmAdvice FilmLimits
}

// GIFLimits is how large a GIF is to be; zero means no limit, and what is not known of one is taken.
type GIFLimits struct {
	MaxFrames int   // its pictures
	MaxWidth  int   // pixels
	MaxHeight int   // pixels
	MaxPixels int64 // of all its pictures together
}

// FilmLimits is how videos are to be coded; zero means no limit, and what a file does not say is taken.
type FilmLimits struct {
	Codecs       []string // as FilmFacts has them
	Sounds       []string // likewise
	MaxChannels  int      // of sound
	MinFrameRate float64  // pictures a second
	MaxFrameRate float64
	MinDuration  time.Duration
	MinSide      int  // pixels
	MaxSide      int  // pixels
	MaxWidth     int  // pixels
	Plain        bool // 4:2:0 of 8 bits
	Steady       bool // the frame rate does not change
	Whole        bool // no edit list leaves out a part
}

// LimitedBy names whose limits these are.
func (c Constraints) LimitedBy() string {
	if c.Server == "" {
		return c.Platform.String()
	}
	return c.Platform.String() + " (" + c.Server + ")"
}

// Prepares reports whether an entry needs Prepare before it can be published with a text.
func (c Constraints) Prepares(entry Entry, text string, settings json.RawMessage) bool {
	return c.Containers || len(entry.Media) > 0 || c.Previews != nil && c.Previews(text, settings)
}

// MaxText returns how long the text of an entry may be; 0: any length.
func (c Constraints) MaxText(entry Entry) int {
	if len(entry.Media) > 0 && c.Caption > 0 {
		return c.Caption
	}
	return c.Text.Max
}

// Reads returns what is shown of a text, or why the platform cannot read it.
func (c Constraints) Reads(text string, settings json.RawMessage) (string, error) {
	if c.Visible == nil {
		return text, nil
	}
	return c.Visible(text, settings)
}

// Takes reports whether the platform takes a first comment on that entry.
func (l CommentLimit) Takes(c FirstComment) bool {
	return l.Supported && (c.Target == 0 || !l.RootOnly)
}

// Widening is one limit of a platform that is wider than the specification's.
type Widening struct {
	What   string // in words, such as "videos of up to 3 minutes"
	Source string // the platform's page or the report that says so, with its date
	// Of tells of which accounts it is taken, as their platform said last; nil: of all.
	Of func(Account) bool
	// Apply puts it in the place of the specification's limit, for an account.
	Apply func(*Constraints, Account)
}

// For returns what is taken of an account; nil: one that is not known.
func (c Constraints) For(a *Account) Constraints {
	if a == nil {
		return c
	}
	own := c
	if c.Own != nil {
		own = c.Own(*a)
	}
	own.Wider = widerOf(c.Wider, *a)
	if a.Limits != PlatformLimits || len(own.Wider) == 0 {
		return own
	}
	return own.Widened(*a)
}

// widerOf returns those that hold of an account, without asking again.
func widerOf(all []Widening, a Account) []Widening {
	if !slices.ContainsFunc(all, func(w Widening) bool { return w.Of != nil }) {
		return all
	}
	var held []Widening
	for _, w := range all {
		if w.Holds(a) {
			w.Of = nil
			held = append(held, w)
		}
	}
	return held
}

// Holds reports whether a platform takes that of an account.
func (w Widening) Holds(a Account) bool { return w.Of == nil || w.Of(a) }

// Widened returns what the platform itself takes of an account.
func (c Constraints) Widened(a Account) Constraints {
	for _, w := range c.Wider {
		if w.Holds(a) {
			w.Apply(&c, a)
		}
	}
	c.Wider = nil
	return c
}

// Of returns what is taken of a delivery: by its account, and by its settings.
func (c Constraints) Of(d Delivery) Constraints {
	own := c.For(&d.Account)
	return *own.With(d.Settings)
}

// With returns what is taken of a post with these settings: c itself where they change nothing.
func (c *Constraints) With(settings json.RawMessage) *Constraints {
	if c.MediaWith == nil {
		return c
	}
	with := *c
	with.Media = c.MediaWith(c.Media, settings)
	return &with
}

// clockError is how far a platform's clock may be ahead.
const clockError = 24 * time.Hour

// ValidTime returns a time that a platform gives, in UTC; the zero time, as if it gave none, for one
// that neither JSON nor the databases can hold: its year is none of 1 to 9999.
func ValidTime(t time.Time) time.Time {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// PastTime returns a time at which something has happened by a platform, in UTC; the zero time, as
// if it gave none, where it is not valid, or more than a day ahead.
func PastTime(t, now time.Time) time.Time {
	t = ValidTime(t)
	if t.After(now.Add(clockError)) {
		return time.Time{}
	}
	return t
}
