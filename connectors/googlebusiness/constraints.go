package googlebusiness

import (
	"unicode/utf8"

	"crier/schema"
)

// maxText is reported by those who publish there; Google's own documents name no length.
const maxText = 1500 // characters

// Constraints is what a business location takes: one picture, never a video.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.GoogleBusiness,
		Text:     schema.TextLimit{Max: maxText, Count: utf8.RuneCountInString},
		Media: schema.MediaLimits{
			Required:      true,
			Max:           1,
			Kinds:         []schema.MediaKind{schema.Image},
			ImageTypes:    []string{"image/jpeg", "image/png"},
			MaxImageBytes: 5 << 20,
			MinWidth:      400,
			MinHeight:     300,
		},
		DailyCap: 50,
		Listing:  schema.Listing{Within: schema.UsualListing},
		Pulls:    true,
		Settings: settingsCheck(),
	}
}
