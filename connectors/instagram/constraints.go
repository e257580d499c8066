package instagram

import (
	"time"
	"unicode/utf8"

	"crier/schema"
)

// Constraints is what Instagram takes.
func Constraints() schema.Constraints {
	rules := settingRules()
	return schema.Constraints{
		Platform: schema.Instagram,
		Text:     schema.TextLimit{Max: 2200, Count: utf8.RuneCountInString},
		Media: schema.MediaLimits{
			Required:         true,
			Max:              10,
			MaxVideos:        10,
			Mixed:            true,
			Kinds:            []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:       []string{"image/jpeg"},
			VideoTypes:       []string{"video/mp4", "video/quicktime"},
			MaxImageBytes:    8 << 20,
			MaxVideoBytes:    300 << 20,
			MaxVideoDuration: 90 * time.Second,
			MinWidth:         320,
			MinHeight:        320,
			MinAspect:        4.0 / 5,
			MaxAspect:        1.91,
			AspectOfImages:   true, // a reel is upright
		},
		Hashtags: 30,
		Mentions: 20, // developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes, 2207010
		FirstComment: schema.CommentLimit{
			Supported: true,
			Max:       1000,
			Count:     func(text string) int { return len(text) }, // UTF-8 bytes
		},
		DailyCap:      100,
		Containers:    true,
		Pulls:         true,
		Listing:       schema.Listing{Within: schema.UsualListing},
		Settings:      rules.Check,
		MediaSettings: rules.Media(),
		Together:      ofItsMedia,
	}
}
