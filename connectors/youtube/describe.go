package youtube

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.YouTube, Label: "YouTube",
		Constraints: Constraints(),
		// YouTube counts by the day and the app, and says when that is spent: bursts alone are
		// evened out here.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 5, Burst: 100}}},
		Calls:      connectors.Calls{Platform: schema.YouTube, Answers: answers()},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true}, ChoosesScopes: true},
		// Within 7 days once a person has taken the consent back; what is stored of a channel is
		// deleted or read again within 30 days.
		Retention: connectors.Retention{
			Period: 7 * 24 * time.Hour, Fresh: true,
			Source: "developers.google.com/youtube/terms/developer-policies, III.D.2 and III.E.4",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// The bounds of a video (developers.google.com/youtube/v3/docs/videos#properties).
const (
	maxTitle       = 100
	maxDescription = 5000 // UTF-8 bytes
	maxComment     = 10_000
	// brackets are the signs that neither titles nor descriptions may hold.
	brackets = "<>"
	// maxUnverified is how long videos of channels are whose owner has not verified a
	// telephone number (support.google.com/youtube/answer/71673).
	maxUnverified = 15 * time.Minute
)

// Constraints is what YouTube takes: one video, the text its description. YouTube inserts no
// video without a title.
func Constraints() schema.Constraints {
	rules := settingRules()
	return schema.Constraints{
		Platform: schema.YouTube,
		Own:      constraintsOfAccount,
		Text:     schema.TextLimit{Max: maxDescription, Without: brackets, Count: func(text string) int { return len(text) }},
		Title:    titleLimit(),
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
		FirstComment:  schema.CommentLimit{Supported: true, Max: maxComment, Count: utf8.RuneCountInString},
		DailyCap:      50,
		Listing:       schema.Listing{Within: listed},
		Settings:      rules.Check,
		MediaSettings: rules.Media(),
		Together:      connectors.Together(together),
		Wider:         wider(),
	}
}

// wider is what YouTube takes beyond that.
func wider() []schema.Widening {
	return []schema.Widening{{
		What:   "videos of up to 256 GiB, of 12 hours at most, of any size in pixels",
		Source: "developers.google.com/youtube/v3/docs/videos/insert; support.google.com/youtube/answer/71673",
		Apply: func(c *schema.Constraints, _ schema.Account) {
			c.Media.MaxVideoBytes, c.Media.MinWidth, c.Media.MinHeight = 256<<30, 0, 0
			if c.Media.MaxVideoDuration == 0 {
				c.Media.MaxVideoDuration = 12 * time.Hour
			}
		},
	}}
}

func titleLimit() schema.TextLimit {
	return schema.TextLimit{Max: maxTitle, Required: true, Without: brackets, Count: utf8.RuneCountInString}
}

// accountSettings is what is kept of a channel.
type accountSettings struct {
	// LongUploads is YouTube's longUploadsStatus: allowed, eligible (once its owner has
	// verified a number), disallowed.
	LongUploads string `json:"longUploads,omitempty"`
}

func settingsOfChannel(longUploads string) json.RawMessage {
	if longUploads == "" {
		return nil
	}
	return connectors.Encode(accountSettings{longUploads})
}

// constraintsOfAccount is what is taken of a channel.
func constraintsOfAccount(a schema.Account) schema.Constraints {
	c := Constraints()
	settings, _ := connectors.AccountSettingsOf[accountSettings](a)
	if settings.LongUploads == "eligible" || settings.LongUploads == "disallowed" {
		c.Media.MaxVideoDuration = maxUnverified
	}
	return c
}
