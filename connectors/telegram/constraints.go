package telegram

import (
	"unicode/utf16"

	"crier/schema"
)

// The limits of the Bot API (core.telegram.org/bots/api#sending-files).
const (
	maxText       = 4096
	maxCaption    = 1024
	maxAlbum      = 10
	maxPhotoBytes = 10 << 20
	maxVideoBytes = 50 << 20
	maxPhotoRatio = 20
	maxPhotoSides = 10_000 // pixels, width and height together
)

const (
	jpeg = "image/jpeg"
	png  = "image/png"
	mp4  = "video/mp4"
)

// Constraints is what Telegram takes of a bot.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.Telegram,
		Text:     schema.TextLimit{Max: maxText, Count: utf16Units},
		Caption:  maxCaption,
		Media: schema.MediaLimits{
			Max:            maxAlbum,
			MaxVideos:      maxAlbum,
			Mixed:          true,
			Kinds:          []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:     []string{jpeg, png},
			VideoTypes:     []string{mp4},
			MaxImageBytes:  maxPhotoBytes,
			MaxVideoBytes:  maxVideoBytes,
			MaxSides:       maxPhotoSides,
			MinAspect:      1.0 / maxPhotoRatio,
			MaxAspect:      maxPhotoRatio,
			AspectOfImages: true,
			FilmAdvice:     schema.FilmLimits{Codecs: []string{"h264"}, Plain: true},
		},
		DailyCap: 50,
		Blind:    true, // a bot is not shown what it has sent
		Settings: settingRules().Check,
	}
}

// utf16Units counts as Telegram does. Its limits hold after markup is taken out; the
// text is counted with it, which is never too lenient.
func utf16Units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
