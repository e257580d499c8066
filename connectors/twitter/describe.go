package twitter

import (
	"encoding/json"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Twitter, Label: "X",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.Twitter, Answers: answers(), LimitOf: LimitOf},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true}},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

const (
	maxWeight     = 280
	maxLongWeight = 25_000
)

// invalid are the signs that no text may hold (twitter-text 3.1, invalid_chars).
const invalid = "\ufffe\ufeff\uffff"

// Constraints is what X takes.
func Constraints() schema.Constraints {
	c := schema.Constraints{
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
			GIFAdvice:        schema.GIFLimits{MaxFrames: 350, MaxWidth: 1280, MaxHeight: 1080, MaxPixels: 300_000_000},
			// Its documents name H.264; whether HEVC is taken, which phones record, they do not say. Sides and length
			// must be (docs.x.com/x-api/media/quickstart/best-practices).
			Film:       schema.FilmLimits{Codecs: []string{"h264", "hevc"}, MinDuration: 500 * time.Millisecond, MinSide: 32},
			FilmAdvice: schema.FilmLimits{Codecs: []string{"h264"}, Sounds: []string{"aac"}, MaxChannels: 2, MaxFrameRate: 60, Plain: true},
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: maxWeight, Count: Weight, Without: invalid},
		Thread:       schema.ThreadLimit{Supported: true, Pause: time.Second},
		DailyCap:     20,
		Listing:      schema.Listing{Within: schema.UsualListing, Refuses: true},
		Settings:     settingRules().Check,
		Together:     connectors.Together(exclusive),
		Wider:        wider(),
	}
	same := c
	c.Own = func(schema.Account) schema.Constraints { return same } // what is wider is not taken of all
	return c
}

// wider is what X takes beyond that.
func wider() []schema.Widening {
	return []schema.Widening{
		{
			What: "texts of up to 25,000 characters, of accounts with X Premium or a verified organization", Of: writesLong,
			Source: "help.x.com/en/using-x/x-premium, longer posts; publer.com/docs, long-form posts; subscription_type and verified_type of GET /2/users/me",
			Apply: func(c *schema.Constraints, _ schema.Account) {
				c.Text.Max, c.FirstComment.Max = maxLongWeight, maxLongWeight
			},
		},
		{
			What:   "videos of up to 20 minutes",
			Source: "docs.x.com/x-api/media/quickstart/best-practices, default accounts (xdevplatform/docs 0c986f0)",
			Apply:  func(c *schema.Constraints, _ schema.Account) { c.Media.MaxVideoDuration = 20 * time.Minute },
		},
	}
}

// accountSettings is what is kept of an account, in X's words; empty: it did not say.
type accountSettings struct {
	Subscription string `json:"subscription,omitempty"` // None, Basic, Premium or PremiumPlus
	Verified     string `json:"verified,omitempty"`     // none, blue, business or government
}

// writesLong reports whether X said last that an account is one that may write longer posts: each
// subscription has them, and so have verified organizations.
func writesLong(a schema.Account) bool {
	settings, _ := connectors.AccountSettingsOf[accountSettings](a)
	return slices.Contains([]string{"Basic", "Premium", "PremiumPlus"}, settings.Subscription) ||
		slices.Contains([]string{"blue", "business", "government"}, settings.Verified)
}

// encode returns what is kept; nothing where X said nothing.
func (s accountSettings) encode() json.RawMessage {
	if s == (accountSettings{}) {
		return nil
	}
	return connectors.Encode(s)
}
