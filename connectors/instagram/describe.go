package instagram

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Instagram, Label: "Instagram",
		Constraints: Constraints(),
		Limits:      graph.Limits(),
		Calls:       connectors.Calls{Platform: schema.Instagram, Answers: answers(), Pace: graph.Pace},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, SelfRenewing: true}, ChoosesScopes: true},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// Constraints is what Instagram takes.
func Constraints() schema.Constraints {
	rules := settingRules()
	return schema.Constraints{
		Platform: schema.Instagram,
		Text:     schema.TextLimit{Max: 2200, Count: utf8.RuneCountInString},
		Media: schema.MediaLimits{
			Required:         true,
			Max:              10,
			MaxVideos:        10,
			Mixed:            true,
			Kinds:            []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:       []string{"image/jpeg"},
			VideoTypes:       []string{"video/mp4", "video/quicktime"},
			MaxImageBytes:    8 << 20,
			MaxVideoBytes:    300 << 20,
			MaxVideoDuration: 90 * time.Second,
			MinWidth:         320,
			MinHeight:        320,
			MinAspect:        4.0 / 5,
			MaxAspect:        1.91,
			AspectOfImages:   true, // a reel is upright
			Converts:         true, // Meta documents JPEG alone, and fetches what crier serves
			// Containers of other codecs fail with 2207026; the rest is what its table of reels asks for.
			Film: schema.FilmLimits{Codecs: []string{"h264", "hevc"}},
			FilmAdvice: schema.FilmLimits{
				Sounds: []string{"aac", "he-aac"}, MaxChannels: 2,
				MinFrameRate: 23, MaxFrameRate: 60, MinDuration: 3 * time.Second, MaxWidth: 1920, Plain: true, Whole: true,
			},
		},
		// By the API's error codes, 2207010 (2 June 2026), of which post-for-me d72ab66 (30 July 2026) makes use
		// in production. The app takes 5 hashtags since 18 December 2025, as ayrshare.com/docs has it for the API.
		Hashtags:    30,
		FewHashtags: 5,
		Mentions:    20,
		FirstComment: schema.CommentLimit{
			Supported: true,
			Max:       1000,
			Count:     func(text string) int { return len(text) }, // UTF-8 bytes
		},
		DailyCap:      100,
		Containers:    true,
		Pulls:         true,
		Listing:       schema.Listing{Within: schema.UsualListing},
		Settings:      rules.Check,
		MediaSettings: rules.Media(),
		Together:      connectors.Together(ofItsMedia),
		Wider:         wider(),
	}
}

// wider is what Instagram takes beyond that.
func wider() []schema.Widening {
	return []schema.Widening{
		{
			What:   "reels of up to 15 minutes",
			Source: "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, reel specifications",
			Apply:  func(c *schema.Constraints, _ schema.Account) { c.Media.MaxVideoDuration = 15 * time.Minute },
		},
		{
			What:   "pictures of stories from 9:16 on",
			Source: "developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, story image specifications",
			Apply:  func(c *schema.Constraints, _ schema.Account) { c.MediaWith = uprightStories },
		},
	}
}

// uprightStories lets the picture of a story stand upright.
func uprightStories(l schema.MediaLimits, raw json.RawMessage) schema.MediaLimits {
	var s settings
	if json.Unmarshal(raw, &s) == nil && s.MediaType == story {
		l.MinAspect = 9.0 / 16
	}
	return l
}
