package youtube

import (
	"unicode/utf8"

	"crier/schema"
	"crier/schema/validation"
)

// Constraints is what YouTube takes: one video, the text its description. YouTube
// inserts no video without a title.
func Constraints() schema.Constraints {
	title := schema.TextLimit{Max: 100, Required: true, Count: utf8.RuneCountInString}
	return schema.Constraints{
		Platform: schema.YouTube,
		Text:     schema.TextLimit{Max: 5000, Count: func(text string) int { return len(text) }}, // UTF-8 bytes
		Title:    title,
		Media: schema.MediaLimits{
			Required:      true,
			Max:           1,
			MaxVideos:     1,
			Kinds:         []schema.MediaKind{schema.Video},
			VideoTypes:    []string{"video/mp4", "video/quicktime", "video/x-msvideo", "video/webm"},
			MaxVideoBytes: 2 << 30,
			MinWidth:      426,
			MinHeight:     240,
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: 10000, Count: utf8.RuneCountInString},
		DailyCap:     50,
		Settings:     validation.SettingRules{"title": validation.TextSetting(title)}.Check,
	}
}
