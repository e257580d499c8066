package linkedin

import (
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.LinkedIn, Label: "LinkedIn",
		Constraints: Constraints(),
		// 150 posts a day of a member, and comments by the minute
		// (learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits): LinkedIn says
		// when a day is spent, so that bursts alone are evened out here.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 2, Burst: 60}}},
		Calls:      connectors.Calls{Platform: schema.LinkedIn, Answers: answers()},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true, Entity: true}, ChoosesScopes: true, Version: DefaultVersion},
		// Of what LinkedIn gives of members, their activity may be kept for the shortest time.
		Retention: connectors.Retention{
			Period: 48 * time.Hour, Source: "learn.microsoft.com/linkedin/marketing/data-storage-requirements",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

const (
	maxText       = 3000
	maxComment    = 1250      // about: comments-api
	maxVideoBytes = 500 << 20 // videos-api
	// maxPixels is what a picture must stay below (images-api).
	maxPixels = 36_152_320
)

// Constraints is what LinkedIn takes from a member or an organization.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.LinkedIn,
		Text:     schema.TextLimit{Max: maxText, Count: utf8.RuneCountInString},
		Media: schema.MediaLimits{
			Max:              1,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.GIF, schema.Video, schema.PDF},
			ImageTypes:       []string{"image/jpeg", "image/png", "image/gif"},
			VideoTypes:       []string{"video/mp4"},
			MaxVideoBytes:    maxVideoBytes,
			MaxDocumentBytes: 100 << 20,
			MaxVideoDuration: 10 * time.Minute,
			MaxPixels:        maxPixels - 1,
			GIF:              schema.GIFLimits{MaxFrames: 250}, // its images API
			MinWidth:         200,
			MinHeight:        200,
			MinAspect:        1 / 2.4,
			MaxAspect:        2.4,
			Moving:           []string{"image/gif"},
			FilmAdvice:       schema.FilmLimits{Codecs: []string{"h264"}, MaxFrameRate: 60, MinDuration: 3 * time.Second, Plain: true},
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: maxComment, Count: utf8.RuneCountInString},
		DailyCap:     50,
		Listing:      schema.Listing{Within: schema.UsualListing},
		Settings:     settingsCheck(),
		Together:     connectors.Together(together),
		Wider:        wider(),
	}
}

// wider is what LinkedIn takes beyond that.
func wider() []schema.Widening {
	const under = "learn.microsoft.com/linkedin/marketing/community-management/shares/"
	return []schema.Widening{
		{
			What: "2 to 20 images in a post", Source: under + "multiimage-post-api",
			Apply: func(c *schema.Constraints, _ schema.Account) { c.Media.Max = 20 },
		},
		{
			What: "images and videos of any shape and size, in pixels, below 36,152,320", Source: under + "images-api",
			Apply: func(c *schema.Constraints, _ schema.Account) {
				c.Media.MinAspect, c.Media.MaxAspect, c.Media.MinWidth, c.Media.MinHeight = 0, 0, 0, 0
			},
		},
		{
			What: "videos of up to 30 minutes", Source: under + "videos-api",
			Apply: func(c *schema.Constraints, _ schema.Account) { c.Media.MaxVideoDuration = 30 * time.Minute },
		},
	}
}
