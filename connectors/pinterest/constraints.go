package pinterest

import (
	"regexp"
	"time"
	"unicode/utf8"

	"crier/schema"
	"crier/schema/validation"
)

// Constraints is what Pinterest takes: the text is a pin's description. The account is
// a board; the setting boardId pins to another one of the same owner.
func Constraints() schema.Constraints {
	title := schema.TextLimit{Max: 100, Count: utf8.RuneCountInString}
	return schema.Constraints{
		Platform: schema.Pinterest,
		Text:     schema.TextLimit{Max: 500, Count: utf8.RuneCountInString},
		Title:    title,
		Media: schema.MediaLimits{
			Required:         true,
			Max:              20,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.Video},
			MaxImageBytes:    32 << 20,
			MaxVideoBytes:    2 << 30,
			MaxVideoDuration: 15 * time.Minute,
			MinWidth:         100,
			MinHeight:        100,
			MinAspect:        1 / 2.1,
			MaxAspect:        2.0 / 3,
		},
		DailyCap: 50,
		Settings: validation.SettingRules{
			"title":   validation.TextSetting(title),
			"boardId": validation.PatternSetting(regexp.MustCompile(`^[0-9]+$`), "a board's number"),
		}.Check,
	}
}
