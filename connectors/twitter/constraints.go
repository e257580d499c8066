package twitter

import (
	"time"

	"crier/schema"
)

const maxWeight = 280

// invalid are the signs that no text may hold (twitter-text 3.1, invalid_chars).
const invalid = "\ufffe\ufeff\uffff"

// Constraints is what X takes.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.Twitter,
		Text:     schema.TextLimit{Max: maxWeight, Count: Weight, Without: invalid},
		Cashtags: 1, // docs.x.com/x-api/posts/manage-tweets/integrate
		Media: schema.MediaLimits{
			Max:              4,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.GIF, schema.Video},
			ImageTypes:       []string{"image/jpeg", "image/png", "image/webp"},
			VideoTypes:       []string{"video/mp4", "video/quicktime", "image/gif"}, // a GIF counts as a video
			MaxImageBytes:    5 << 20,
			MaxVideoBytes:    512 << 20,
			MaxGIFBytes:      15 << 20, // docs.x.com/x-api/media/quickstart/best-practices
			MaxVideoDuration: 2*time.Minute + 20*time.Second,
			MinWidth:         4,
			MinHeight:        4,
			// Its documents name H.264; whether HEVC is taken, which phones record, they do not say.
			Film:       schema.FilmLimits{Codecs: []string{"h264", "hevc"}, MinDuration: 500 * time.Millisecond},
			FilmAdvice: schema.FilmLimits{Codecs: []string{"h264"}, MaxFrameRate: 60, Plain: true},
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: maxWeight, Count: Weight, Without: invalid},
		Thread:       schema.ThreadLimit{Supported: true, Pause: time.Second},
		DailyCap:     20,
		Listing:      schema.Listing{Within: schema.UsualListing, Refuses: true},
		Settings:     settingRules().Check,
		Together:     oneOf,
	}
}
