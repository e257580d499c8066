package threads

import (
	"time"
	"unicode"
	"unicode/utf8"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Threads, Label: "Threads",
		Constraints: Constraints(),
		// 48,000 calls a day at the least (developers.facebook.com/docs/threads/overview); a
		// post takes four, and some more while Threads works on its media.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 0.5, Burst: 200}}},
		Calls:      connectors.Calls{Platform: schema.Threads, Answers: answers(), Pace: graph.Pace, PaceReads: graph.PaceReads},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, SelfRenewing: true}, ChoosesScopes: true},
		New:        func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

const maxText = 500

// Constraints is what Threads takes.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.Threads,
		Text:     schema.TextLimit{Max: maxText, Count: count},
		// With the attached one (developers.facebook.com/docs/threads/changelog, 22 December 2025, and
		// create-posts/text-attachments, how links are counted).
		Links: 5, LinkBeside: linkAttached,
		Media: schema.MediaLimits{
			Max:              10,
			MaxVideos:        10,
			Mixed:            true,
			Kinds:            []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:       []string{"image/jpeg", "image/png"},
			VideoTypes:       []string{"video/mp4", "video/quicktime"},
			MaxImageBytes:    8 << 20,
			MaxVideoBytes:    1 << 30,
			MaxVideoDuration: 5 * time.Minute,
			MinWidth:         320,
			MinHeight:        320,
			MinAspect:        4.0 / 5,
			MaxAspect:        1.91,
			// A container of another rate fails with INVALID_FRAME_RATE.
			Film:       schema.FilmLimits{Codecs: []string{"h264", "hevc"}, MinFrameRate: 23, MaxFrameRate: 60},
			FilmAdvice: schema.FilmLimits{Sounds: []string{"aac", "he-aac"}, MaxChannels: 2, MaxWidth: 1920, Plain: true, Whole: true},
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: maxText, Count: count},
		Thread:       schema.ThreadLimit{Supported: true, Pause: 30 * time.Second},
		DailyCap:     250,
		Containers:   true,
		Pulls:        true,
		Listing:      schema.Listing{Within: schema.UsualListing},
		Settings:     settingRules().Check,
		Together:     connectors.Together(textAlone),
		Wider:        wider(),
	}
}

// wider is what Threads takes beyond that.
func wider() []schema.Widening {
	const posts = "developers.facebook.com/docs/threads/posts, 22 December 2025"
	return []schema.Widening{
		{
			What: "pictures of up to 10:1 and videos of any shape from 0.01:1 to 10:1, 9:16 included", Source: posts,
			Apply: func(c *schema.Constraints, _ schema.Account) { c.Media.MinAspect, c.Media.MaxAspect = 0.01, 10 },
		},
		{
			What: "carousels of up to 20 items", Source: posts,
			Apply: func(c *schema.Constraints, _ schema.Account) { c.Media.Max, c.Media.MaxVideos = 20, 20 },
		},
	}
}

// The characters that only make emoji of others: they belong to the bytes of an emoji.
const (
	zeroWidthJoiner = '\u200d'
	emojiVariation  = '\ufe0f'
	keycap          = '\u20e3'
	firstSkinTone   = '\U0001f3fb'
	lastSkinTone    = '\U0001f3ff'
	firstEmoji      = '\u203c' // signs below it, such as ©, are text to Threads
)

// count counts as Threads does: characters, but an emoji by its UTF-8 bytes.
func count(text string) int {
	n := 0
	for _, r := range text {
		if isEmoji(r) {
			n += utf8.RuneLen(r)
			continue
		}
		n++
	}
	return n
}

func isEmoji(r rune) bool {
	switch r {
	case zeroWidthJoiner, emojiVariation, keycap:
		return true
	}
	return r >= firstSkinTone && r <= lastSkinTone || r >= firstEmoji && unicode.Is(unicode.So, r)
}
