package pinterest

import (
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
)

const (
	maxTitle   = 100
	maxItems   = 5 // of a carousel
	maxAltText = 500
	maxLink    = 2048
)

// Constraints is what Pinterest takes: the text is a pin's description.
func Constraints() schema.Constraints {
	rules := settingRules()
	return schema.Constraints{
		Platform: schema.Pinterest,
		Text:     schema.TextLimit{Max: 500, Count: utf8.RuneCountInString},
		Title:    title(),
		Media: schema.MediaLimits{
			Required:         true,
			Max:              maxItems,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:       []string{"image/jpeg", "image/png"},
			VideoTypes:       []string{"video/mp4", "video/quicktime"},
			MaxImageBytes:    32 << 20,
			MaxVideoBytes:    2 << 30,
			MaxVideoDuration: 15 * time.Minute,
			MaxAltText:       maxAltText,
			MinWidth:         100,
			MinHeight:        100,
			MinAspect:        1 / 2.1,
			MaxAspect:        2.0 / 3,
			FilmAdvice:       schema.FilmLimits{Codecs: []string{"h264", "hevc"}, MinDuration: 4 * time.Second, Plain: true},
		},
		DailyCap:      50,
		Pulls:         true,
		Listing:       schema.Listing{Within: schema.UsualListing},
		Settings:      rules.Check,
		MediaSettings: rules.Media(),
		Together:      connectors.Together(together),
		Wider:         wider(),
	}
}

// wider is what Pinterest takes beyond that.
func wider() []schema.Widening {
	return []schema.Widening{{
		What:   "pins of any shape, squares included",
		Source: "postfa.st/sizes/pinterest/pin, checked against Pinterest's help on 10 March 2026",
		Apply:  func(c *schema.Constraints, _ schema.Account) { c.Media.MinAspect, c.Media.MaxAspect = 0, 0 },
	}}
}

func title() schema.TextLimit { return schema.TextLimit{Max: maxTitle, Count: utf8.RuneCountInString} }
