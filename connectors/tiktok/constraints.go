package tiktok

import (
	"time"
	"unicode/utf16"

	"crier/schema"
	"crier/schema/validation"
)

// Constraints is what TikTok takes. It could show up to 35 photos as well, but a post
// without a video is refused here, so that one video is all there can be.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.TikTok,
		Text:     schema.TextLimit{Max: 2200, Count: utf16Units},
		Media: schema.MediaLimits{
			Required:         true,
			Max:              1,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Video},
			MaxVideoDuration: 10 * time.Minute,
			MinWidth:         360,
			MinHeight:        360,
			MinAspect:        9.0 / 16,
			MaxAspect:        1,
		},
		DailyCap: 50,
		Settings: validation.SettingRules{
			"privacy": validation.EnumSetting("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY").Require(),
		}.Check,
	}
}

// utf16Units counts as TikTok does: its limit on a title is in UTF-16 code units.
func utf16Units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
