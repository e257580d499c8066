package mastodon

import (
	"slices"
	"time"

	"crier/schema"
)

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
	count := func(text string) int { return countText(text, l.URL) }
	return schema.Constraints{
		Platform:     schema.Mastodon,
		Own:          constraintsOfAccount,
		Text:         schema.TextLimit{Max: l.Text, Count: count},
		Media:        mediaLimits(l),
		FirstComment: schema.CommentLimit{Supported: true, RootOnly: true, Usual: l.Text, Count: count},
		Thread:       schema.ThreadLimit{Supported: true, Pause: 1500 * time.Millisecond},
		DailyCap:     50,
		Settings:     settingsCheck(l),
		Together:     pollWithoutMedia,
	}
}

func mediaLimits(l limits) schema.MediaLimits {
	refused := func(mediaType string) bool { return !l.takes(mediaType) }
	m := schema.MediaLimits{
		Max: l.Media, MaxVideos: 1, MaxAltText: l.AltText,
		ImageTypes:    slices.DeleteFunc([]string{"image/jpeg", "image/png", "image/webp", "image/gif"}, refused),
		VideoTypes:    slices.DeleteFunc([]string{"video/mp4", "video/quicktime", "video/webm", "image/gif"}, refused),
		MaxImageBytes: l.ImageBytes, MaxVideoBytes: l.VideoBytes, MaxPixels: l.Pixels,
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
