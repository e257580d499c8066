package linkedin

import (
	"time"
	"unicode/utf8"

	"crier/schema"
)

// Constraints is what LinkedIn takes from a member or an organisation.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.LinkedIn,
		Text:     schema.TextLimit{Max: 3000, Count: utf8.RuneCountInString},
		Media: schema.MediaLimits{
			Max:              1,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.GIF, schema.Video, schema.PDF},
			MaxVideoBytes:    5 << 30,
			MaxDocumentBytes: 100 << 20,
			MaxVideoDuration: 10 * time.Minute,
			MinWidth:         200,
			MinHeight:        200,
			MinAspect:        1 / 2.4,
			MaxAspect:        2.4,
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: 1500, Count: utf8.RuneCountInString},
		DailyCap:     50,
	}
}
