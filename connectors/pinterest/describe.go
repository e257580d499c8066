package pinterest

import (
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Pinterest, Label: "Pinterest",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.Pinterest, Answers: answers(), Pace: Pace, LimitOf: LimitOf},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true, Entity: true}},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

const (
	maxTitle   = 100
	maxItems   = 5 // of a carousel
	maxAltText = 500
	maxLink    = 2048
)

// Constraints is what Pinterest takes: the text is a pin's description.
func Constraints() schema.Constraints {
	rules := settingRules()
	return schema.Constraints{
		Platform: schema.Pinterest,
		Text:     schema.TextLimit{Max: 500, Count: utf8.RuneCountInString},
		Title:    title(),
		Media: schema.MediaLimits{
			Required:         true,
			Max:              maxItems,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:       []string{"image/jpeg", "image/png"},
			VideoTypes:       []string{"video/mp4", "video/quicktime"},
			MaxImageBytes:    32 << 20,
			MaxVideoBytes:    2 << 30,
			MaxVideoDuration: 15 * time.Minute,
			MaxAltText:       maxAltText,
			OneSize:          true, // ayrshare.com/docs/media-guidelines/pinterest; Postiz's Pinterest provider
			MinWidth:         100,
			MinHeight:        100,
			MinAspect:        1 / 2.1,
			MaxAspect:        2.0 / 3,
			FilmAdvice:       schema.FilmLimits{Codecs: []string{"h264", "hevc"}, MinDuration: 4 * time.Second, Plain: true},
		},
		DailyCap:      50,
		Pulls:         true,
		Listing:       schema.Listing{Within: schema.UsualListing},
		Settings:      rules.Check,
		MediaSettings: rules.Media(),
		Together:      connectors.Together(together),
		Wider:         wider(),
	}
}

// wider is what Pinterest takes beyond that.
func wider() []schema.Widening {
	return []schema.Widening{{
		What:   "pins of any shape, squares included",
		Source: "postfa.st/sizes/pinterest/pin, checked against Pinterest's help on 10 March 2026",
		Apply:  func(c *schema.Constraints, _ schema.Account) { c.Media.MinAspect, c.Media.MaxAspect = 0, 0 },
	}}
}

func title() schema.TextLimit { return schema.TextLimit{Max: maxTitle, Count: utf8.RuneCountInString} }

// LimitOf is the LimitOf of the platform's connectors.ClientConfig: what writes is counted apart from
// what reads, and what the storage of videos is sent is not counted.
func LimitOf(call connectors.Call) string {
	switch {
	case call.Operation == opUpload:
		return opUpload
	case call.Kind == connectors.Post || call.Kind == connectors.Media:
		return "writes"
	default:
		return "reads"
	}
}

// Limits are those of an app with standard access (reference/rate-limits), of a person and
// minute: 100 calls that write and 1,000 that read. All boards of a person share them, which
// the headers tell; a little less of them is taken here, since calls bunch up on their way.
func Limits() connectors.Limits {
	writes := connectors.Rate{PerSecond: 1.5, Burst: 50}
	return connectors.Limits{
		connectors.Post:   {Account: writes},
		connectors.Media:  {Account: writes},
		connectors.Status: {Account: connectors.Rate{PerSecond: 15, Burst: 100}},
		connectors.Read:   {Account: connectors.Rate{PerSecond: 8, Burst: 50}},
	}
}
