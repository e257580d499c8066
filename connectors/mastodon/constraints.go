package mastodon

import (
	"time"

	"crier/schema"
)

// The limits of a server with its own defaults; an instance may allow more
// (docs.joinmastodon.org/user/posting).
const (
	maxText       = 500
	maxMedia      = 4
	maxImageBytes = 16 << 20
	maxVideoBytes = 99 << 20
	maxPixels     = 33_177_600 // app/models/concerns/attachmentable.rb
)

// Constraints is what Mastodon takes.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.Mastodon,
		Text:     schema.TextLimit{Max: maxText, Count: countText},
		Media: schema.MediaLimits{
			Max:           maxMedia,
			MaxVideos:     1,
			Kinds:         []schema.MediaKind{schema.Image, schema.GIF, schema.Video},
			ImageTypes:    []string{"image/jpeg", "image/png", "image/webp", "image/gif"},
			VideoTypes:    []string{"video/mp4", "video/quicktime", "video/webm", "image/gif"}, // a GIF becomes a video
			MaxImageBytes: maxImageBytes,
			MaxVideoBytes: maxVideoBytes,
			MaxPixels:     maxPixels,
		},
		FirstComment: schema.CommentLimit{Supported: true, RootOnly: true, Usual: maxText, Count: countText},
		Thread:       schema.ThreadLimit{Supported: true, Pause: 1500 * time.Millisecond},
		DailyCap:     50,
		Settings:     settingsCheck(),
		Together:     pollWithoutMedia,
	}
}
