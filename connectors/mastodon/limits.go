package mastodon

import (
	"context"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
)

// limits are what a server takes (docs.joinmastodon.org/entities/Instance/#configuration), as
// they are kept in the settings of its accounts. Sizes are in bytes, times in seconds.
type limits struct {
	Text       int      `json:"text"` // characters, as are URL, AltText and PollOption
	URL        int      `json:"url"`  // that every URL counts
	Media      int      `json:"media"`
	AltText    int      `json:"altText"`
	ImageBytes int64    `json:"imageBytes"`
	VideoBytes int64    `json:"videoBytes"`
	Pixels     int64    `json:"pixels"`
	FilmPixels int64    `json:"videoPixels,omitempty"`
	FrameRate  int      `json:"frameRate,omitempty"` // of videos, a second
	Types      []string `json:"types,omitempty"`     // of media; empty: all that crier knows
	Options    int      `json:"pollOptions"`
	Option     int      `json:"pollOption"`
	Shortest   int      `json:"pollShortest"`
	Longest    int      `json:"pollLongest"`
	Software   software `json:"software,omitempty"` // empty: kept by a version that did not look
}

// software is what a server is.
type software string

const (
	mastodonItself software = "mastodon"
	compatible     software = "compatible" // it speaks Mastodon's API
)

// usualLimits are those of a server that changed nothing (docs.joinmastodon.org/user/posting;
// app/models/concerns/attachmentable.rb, app/models/media_attachment.rb and the poll validators).
// The longest time of a poll is a mean month.
func usualLimits() limits {
	return limits{
		Text: 500, URL: 23, Media: 4, AltText: 1500,
		ImageBytes: 16 << 20, VideoBytes: 99 << 20, Pixels: 33_177_600, FrameRate: 120,
		Options: 4, Option: 50, Shortest: 300, Longest: 2629746,
	}
}

const minPollOptions = 2

// maxLimits are the most that a server is believed: beyond, crier takes nothing from its users.
func maxLimits() limits {
	return limits{
		Text: 256 << 10, URL: 2048, Media: 50, AltText: schema.MaxAltText,
		ImageBytes: 4 << 30, VideoBytes: 4 << 30, Pixels: 1 << 30, FilmPixels: 1 << 30, FrameRate: 1000,
		Options: 50, Option: 1000, Shortest: 10 * 365 * 86400, Longest: 10 * 365 * 86400,
	}
}

// bounded returns the limits as crier holds posts to them: what is no limit is the usual one.
func (l limits) bounded() limits {
	usual, maximum := usualLimits(), maxLimits()
	l.Text = bounded(l.Text, usual.Text, maximum.Text)
	l.URL = bounded(l.URL, usual.URL, maximum.URL)
	l.Media = bounded(l.Media, usual.Media, maximum.Media)
	l.AltText = bounded(l.AltText, usual.AltText, maximum.AltText)
	l.ImageBytes = bounded(l.ImageBytes, usual.ImageBytes, maximum.ImageBytes)
	l.VideoBytes = bounded(l.VideoBytes, usual.VideoBytes, maximum.VideoBytes)
	l.Pixels = bounded(l.Pixels, usual.Pixels, maximum.Pixels)
	l.FilmPixels, l.FrameRate = bounded(l.FilmPixels, usual.FilmPixels, maximum.FilmPixels), bounded(l.FrameRate, usual.FrameRate, maximum.FrameRate)
	l.Option = bounded(l.Option, usual.Option, maximum.Option)
	if l.Options < minPollOptions {
		l.Options = usual.Options
	}
	l.Options = min(l.Options, maximum.Options)
	l.Shortest, l.Longest = bounded(l.Shortest, usual.Shortest, maximum.Shortest), bounded(l.Longest, usual.Longest, maximum.Longest)
	if l.Shortest > l.Longest {
		l.Shortest, l.Longest = usual.Shortest, usual.Longest
	}
	l.Types = knownTypes(l.Types)
	return l
}

func bounded[T int | int64](limit, usual, maximum T) T {
	if limit <= 0 {
		limit = usual
	}
	return min(limit, maximum)
}

// knownTypes returns those that crier knows as well; none where these are all, or none are.
func knownTypes(types []string) []string {
	var known []string
	for _, mediaType := range mediaTypes() {
		if slices.Contains(types, mediaType) {
			known = append(known, mediaType)
		}
	}
	if len(known) == len(mediaTypes()) {
		return nil
	}
	return known
}

// takes reports whether the server takes media of a type.
func (l limits) takes(mediaType string) bool {
	return len(l.Types) == 0 || slices.Contains(l.Types, mediaType)
}

// limits returns what the server says that it takes; ok is false where it says nothing. A value
// that is none, as of another type, counts as not said.
func (i instance) limits() (_ limits, ok bool) {
	var configuration struct {
		Statuses struct {
			Text  int `json:"max_characters"`
			Media int `json:"max_media_attachments"`
			URL   int `json:"characters_reserved_per_url"`
		} `json:"statuses"`
		Media struct {
			Types      []string `json:"supported_mime_types"`
			AltText    int      `json:"description_limit"`
			ImageBytes int64    `json:"image_size_limit"`
			VideoBytes int64    `json:"video_size_limit"`
			Pixels     int64    `json:"image_matrix_limit"`
			FilmPixels int64    `json:"video_matrix_limit"`
			FrameRate  int      `json:"video_frame_rate_limit"`
		} `json:"media_attachments"`
		Polls struct {
			Options  int `json:"max_options"`
			Option   int `json:"max_characters_per_option"`
			Shortest int `json:"min_expiration"`
			Longest  int `json:"max_expiration"`
		} `json:"polls"`
	}
	var sections map[string]json.RawMessage
	if json.Unmarshal(i.Configuration, &sections) != nil || len(sections) == 0 {
		return limits{}, false
	}
	_ = json.Unmarshal(i.Configuration, &configuration) // passes over what is of another type
	s, m, p := configuration.Statuses, configuration.Media, configuration.Polls
	return limits{
		Text: s.Text, URL: s.URL, Media: s.Media, AltText: m.AltText,
		ImageBytes: m.ImageBytes, VideoBytes: m.VideoBytes, Pixels: m.Pixels, FilmPixels: m.FilmPixels, FrameRate: m.FrameRate, Types: m.Types,
		Options: p.Options, Option: p.Option, Shortest: p.Shortest, Longest: p.Longest,
		Software: i.software(),
	}.bounded(), true
}

// limitsWait is how long a server may take to say what it takes.
const limitsWait = 3 * time.Second

// settings returns the settings of an account of the server, with its limits; empty where it does not
// say them now, which keeps nobody from connecting.
func (c *Connector) settings(ctx context.Context, a schema.Account, credentials schema.Credentials) json.RawMessage {
	ctx, cancel := context.WithTimeout(ctx, limitsWait)
	defer cancel()
	description, err := c.instance(ctx, a, credentials)
	if err != nil {
		return nil
	}
	l, ok := description.limits()
	if !ok {
		return nil
	}
	return connectors.Encode(accountSettings{&l})
}

// accountSettings is what is kept of an account.
type accountSettings struct {
	Limits *limits `json:"limits"`
}

// limitsOf returns the limits of an account's server; ok is false where they are not known.
func limitsOf(a schema.Account) (_ limits, ok bool) {
	settings, ok := connectors.AccountSettingsOf[accountSettings](a)
	if !ok || settings.Limits == nil {
		return usualLimits(), false
	}
	return settings.Limits.bounded(), true
}

// softwareOf returns what an account's server is known to be; empty: that is not known.
func (c *Connector) softwareOf(a schema.Account) software {
	if l, _ := limitsOf(a); l.Software != "" {
		return l.Software
	}
	met, _ := c.servers.Known(c.server(a))
	switch {
	case !c.now().Before(met.until):
		return ""
	case met.isMastodon:
		return mastodonItself
	default:
		return compatible
	}
}

// count returns how a server counts a text. Those that are merely compatible count code points, links and
// mentions in full (GoToSocial internal/processing/status/common.go), whatever they say that a URL counts:
// there a text is held to the larger of both counts.
func (l limits) count() func(string) int {
	count := func(text string) int { return countText(text, l.URL) }
	if l.Software != compatible {
		return count
	}
	return func(text string) int { return max(count(text), utf8.RuneCountInString(text)) }
}

// graphemes returns how a server counts what has no links.
func (l limits) graphemes() func(string) int {
	if l.Software == compatible {
		return utf8.RuneCountInString
	}
	return connectors.Graphemes
}
