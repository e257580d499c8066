package facebook

import (
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Facebook, Label: "Facebook",
		Constraints: Constraints(),
		// A page has 4,800 calls in 24 hours for each person it has engaged
		// (developers.facebook.com/docs/graph-api/overview/rate-limiting). The usage headers say
		// how much of that is left; bursts alone are evened out here.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 1, Burst: 60}}},
		Calls:      connectors.Calls{Platform: schema.Facebook, Answers: answers(), Pace: graph.Pace, PaceReads: graph.PaceReads},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true}, ChoosesScopes: true},
		New:        func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// Constraints is what a Facebook page takes.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.Facebook,
		Text:     schema.TextLimit{Max: 63206, Count: utf8.RuneCountInString},
		Media: schema.MediaLimits{
			Max:              10,
			MaxVideos:        1, // a feed post attaches photos; a video is a post of its own
			Kinds:            []schema.MediaKind{schema.Image, schema.GIF, schema.Video},
			MaxImageBytes:    4 << 20,
			MaxVideoBytes:    4 << 30,
			MaxVideoDuration: 4 * time.Hour,
			FilmAdvice:       schema.FilmLimits{Codecs: []string{"h264", "hevc"}, MaxFrameRate: 60, Plain: true, Steady: true},
			MinWidth:         100,
			MinHeight:        100,
		},
		FirstComment: schema.CommentLimit{Supported: true},
		DailyCap:     100,
		Listing:      schema.Listing{Within: schema.UsualListing},
		Settings:     settingsCheck(),
		Together:     connectors.Together(together),
		Wider:        wider(),
	}
}

// wider is what a page takes beyond that.
func wider() []schema.Widening {
	return []schema.Widening{{
		What:   "images of up to 10 MB and videos of up to 10 GB",
		Source: "ayrshare.com/docs/media-guidelines/facebook-pages, which retells Meta's documents, as stored in 2026",
		Apply: func(c *schema.Constraints, _ schema.Account) {
			c.Media.MaxImageBytes, c.Media.MaxVideoBytes = 10_000_000, 10_000_000_000
		},
	}}
}
