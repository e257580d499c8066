package mastodon

import (
	"encoding/json"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Mastodon, Label: "Mastodon",
		Constraints: Constraints(),
		// 300 calls in 5 minutes (docs.joinmastodon.org/api/rate-limits).
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 1, Burst: 60}}},
		Calls:      connectors.Calls{Platform: schema.Mastodon, Answers: answers()},
		Connecting: connectors.Connecting{Registers: true},
		New:        func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// mediaTypes are those of what Mastodon takes and crier knows. A GIF becomes a video.
func mediaTypes() []string {
	return []string{"image/jpeg", "image/png", "image/webp", "image/gif", "video/mp4", "video/quicktime", "video/webm"}
}

// Constraints is what Mastodon takes, on a server of which nothing else is known.
func Constraints() schema.Constraints { return constraintsOf(usualLimits()) }

// constraintsOfAccount is what an account's own server takes.
func constraintsOfAccount(a schema.Account) schema.Constraints {
	l, known := limitsOf(a)
	c := constraintsOf(l)
	if known {
		c.Server = hostOf(a.Server)
		c.FirstComment.Max, c.FirstComment.Usual = l.Text, 0
	}
	return c
}

func constraintsOf(l limits) schema.Constraints {
	count := l.count()
	return schema.Constraints{
		Platform:     schema.Mastodon,
		Own:          constraintsOfAccount,
		Text:         schema.TextLimit{Max: l.Text, Count: count},
		Beside:       besideText(l),
		Listing:      listingOf(l),
		Media:        mediaLimits(l),
		FirstComment: schema.CommentLimit{Supported: true, RootOnly: true, Usual: l.Text, Count: count},
		Thread:       schema.ThreadLimit{Supported: true, Pause: 1500 * time.Millisecond},
		DailyCap:     50,
		Settings:     settingsCheck(l),
		Together:     connectors.Together(pollWithoutMedia),
	}
}

// maxGIFPixels is what Mastodon takes of a GIF, which it does not say
// (app/models/concerns/attachmentable.rb, GIF_MATRIX_LIMIT).
const maxGIFPixels = 921_600

func mediaLimits(l limits) schema.MediaLimits {
	refused := func(mediaType string) bool { return !l.takes(mediaType) }
	m := schema.MediaLimits{
		Max: l.Media, MaxVideos: 1, MaxAltText: l.AltText,
		ImageTypes:    slices.DeleteFunc([]string{"image/jpeg", "image/png", "image/webp", "image/gif"}, refused),
		VideoTypes:    slices.DeleteFunc([]string{"video/mp4", "video/quicktime", "video/webm", "image/gif"}, refused),
		MaxImageBytes: l.ImageBytes, MaxVideoBytes: l.VideoBytes, MaxPixels: l.Pixels,
		FilmAdvice: schema.FilmLimits{MaxFrameRate: float64(l.FrameRate)},
	}
	if l.Software == mastodonItself { // others name such limits, and do not hold to them
		m.MaxVideoPixels, m.MaxGIFPixels = l.FilmPixels, maxGIFPixels
		m.Film.MaxFrameRate = float64(l.FrameRate)
	}
	if len(m.ImageTypes) > 0 {
		m.Kinds = append(m.Kinds, schema.Image)
	}
	if l.takes("image/gif") {
		m.Kinds = append(m.Kinds, schema.GIF)
	}
	if len(m.VideoTypes) > 0 {
		m.Kinds = append(m.Kinds, schema.Video)
	}
	return m
}

// besideText is a Constraints.Beside: a content warning is of one length with the text that it stands
// before (mastodon/mastodon app/validators/status_length_validator.rb).
func besideText(l limits) func(json.RawMessage) (int, string) {
	count := l.graphemes()
	return func(object json.RawMessage) (int, string) {
		var s struct {
			Warning string `json:"spoilerText"`
		}
		if len(object) == 0 || json.Unmarshal(object, &s) != nil {
			return 0, "" // said by the settings' own check
		}
		if n := count(s.Warning); n <= l.Text { // else said there too
			return n, "content warning"
		}
		return 0, ""
	}
}

// listingOf is how soon a server lists what was published: Mastodon itself at once.
func listingOf(l limits) schema.Listing {
	if l.Software == compatible {
		return schema.Listing{Within: schema.UsualListing}
	}
	return schema.Listing{}
}
