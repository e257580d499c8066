package googlebusiness

import (
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.GoogleBusiness, Label: "Google Business Profile",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.GoogleBusiness, Answers: answers()},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true, Entity: true}},
		// Content of the APIs may be kept for 30 days, and as it is alone.
		Retention: connectors.Retention{
			Period: 30 * 24 * time.Hour, Fresh: true, Source: "developers.google.com/my-business/content/policies",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

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
