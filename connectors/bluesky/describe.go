package bluesky

import (
	"time"

	"golang.org/x/text/language"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Bluesky, Label: "Bluesky",
		Constraints: Constraints(),
		// 3,000 calls in 5 minutes (docs.bsky.app/docs/advanced-guides/rate-limits);
		// what they cost in points is known to the server, which says when to wait.
		Limits: connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 10, Burst: 100}}},
		Calls:  connectors.Calls{Platform: schema.Bluesky, Answers: answers()},
		Connecting: connectors.Connecting{
			Method: connectors.ByAppPassword, Instead: "POST /connect/bluesky takes an identifier and an app password",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// The limits of a post's text, by the lexicon app.bsky.feed.post.
const (
	maxGraphemes = 300
	maxTextBytes = 3000
	maxLangs     = 3
)

// The limits of media that hold on every PDS: newer lexicons allow twice and thrice
// as many bytes, older servers refuse them.
const (
	maxImages        = 4
	maxImageBytes    = 1_000_000
	maxVideoBytes    = 100_000_000
	maxVideoDuration = 60 * time.Second
)

// Constraints is what Bluesky takes.
func Constraints() schema.Constraints {
	rules := settingRules()
	c := schema.Constraints{
		Platform: schema.Bluesky,
		Text:     schema.TextLimit{Max: maxGraphemes, MaxBytes: maxTextBytes, Required: true, Count: connectors.Graphemes},
		Media: schema.MediaLimits{
			Max:              maxImages,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.GIF, schema.Video},
			ImageTypes:       []string{"image/jpeg", "image/png", "image/webp", "image/gif"},
			VideoTypes:       []string{mp4, "video/quicktime", "video/webm"}, // social-app #5118, #8725: its lexicon names MP4
			MaxImageBytes:    maxImageBytes,
			MaxVideoBytes:    maxVideoBytes,
			MaxVideoDuration: maxVideoDuration,
			// Its service transcodes, and says of no codec but H.264 that it does.
			FilmAdvice: schema.FilmLimits{Codecs: []string{"h264"}},
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: maxGraphemes, MaxBytes: maxTextBytes, Count: connectors.Graphemes},
		Thread:       schema.ThreadLimit{Supported: true, Pause: 1500 * time.Millisecond},
		DailyCap:     50,

		Settings:      rules.Check,
		MediaSettings: rules.Media(),
		Together:      connectors.Together(cardAlone),
		Previews:      showsCard,
		Wider:         wider(),
	}
	of := c
	c.Own = func(a schema.Account) schema.Constraints { return constraintsOfAccount(of, a) }
	return c
}

// wider is what Bluesky's own servers take beyond that.
func wider() []schema.Widening {
	return []schema.Widening{
		{
			What: "videos of up to 10 minutes and 300 MB", Source: "bluesky-social/social-app #11528, 21 August 2026; bluesky-social/atproto #5373",
			Apply: func(c *schema.Constraints, _ schema.Account) {
				c.Media.MaxVideoDuration, c.Media.MaxVideoBytes = 10*time.Minute, 300_000_000
			},
		},
		{
			What: "images of up to 2 MB", Source: "lexicon app.bsky.embed.images",
			Apply: func(c *schema.Constraints, _ schema.Account) { c.Media.MaxImageBytes = 2_000_000 },
		},
	}
}

// checkText refuses what the lexicon does, in the unit of the bound that is met.
func checkText(text string) error {
	if n := connectors.Graphemes(text); n > maxGraphemes {
		return connectors.Refuse("Bluesky takes at most %d characters, the text has %d", maxGraphemes, n)
	}
	if len(text) > maxTextBytes {
		return connectors.Refuse("Bluesky takes at most %d bytes of text, the text has %d", maxTextBytes, len(text))
	}
	return nil
}

// settings is Bluesky's part of platformSettings.
type settings struct {
	Langs []string    `json:"langs"` // BCP 47 tags of the text's languages
	Card  cardSetting `json:"card"`
}

func settingRules() validation.SettingRules {
	tag := validation.FormSetting(func(text string) bool {
		_, err := language.Parse(text)
		return err == nil
	}, "a language tag (BCP 47) such as pt-BR")
	return validation.SettingRules{"langs": validation.ListSetting(maxLangs, tag), "card": cardRule()}
}

// wellFormed writes tags of languages as a PDS takes them (bluesky-social/atproto
// packages/syntax/src/language.ts): pt_BR, as systems name it, is pt-BR.
func wellFormed(langs []string) []string {
	var tags []string
	for _, lang := range langs {
		tags = append(tags, language.Raw.Make(lang).String())
	}
	return tags
}
