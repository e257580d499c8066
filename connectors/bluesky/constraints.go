package bluesky

import (
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/text/language"

	"crier/connectors"
	"crier/schema"
)

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
	return schema.Constraints{
		Platform: schema.Bluesky,
		Text:     schema.TextLimit{Max: maxGraphemes, Required: true, Count: count},
		Media: schema.MediaLimits{
			Max:              maxImages,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Image, schema.GIF, schema.Video},
			ImageTypes:       []string{"image/jpeg", "image/png", "image/webp", "image/gif"},
			VideoTypes:       []string{mp4},
			MaxImageBytes:    maxImageBytes,
			MaxVideoBytes:    maxVideoBytes,
			MaxVideoDuration: maxVideoDuration,
		},
		FirstComment: schema.CommentLimit{Supported: true, Max: maxGraphemes, Count: count},
		Thread:       schema.ThreadLimit{Supported: true, Pause: 1500 * time.Millisecond},
		DailyCap:     50,
		Settings:     checkSettings,
	}
}

// count counts graphemes. The lexicon bounds the bytes as well, at ten a grapheme: a
// text over that bound counts a grapheme for every ten bytes, and so is too long.
func count(text string) int {
	graphemes := connectors.Graphemes(text)
	if len(text) <= maxTextBytes {
		return graphemes
	}
	const bytesEach = maxTextBytes / maxGraphemes
	return max(graphemes, (len(text)+bytesEach-1)/bytesEach)
}

// settings is Bluesky's part of platformSettings.
type settings struct {
	Langs []string `json:"langs"` // BCP 47 tags of the text's languages
}

func parseSettings(raw json.RawMessage) (settings, error) {
	var s settings
	if len(raw) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("reading settings: %w", err)
	}
	return s, nil
}

func checkSettings(raw json.RawMessage) []schema.Detail {
	if len(raw) == 0 {
		return nil
	}
	s, err := parseSettings(raw)
	if err != nil {
		return []schema.Detail{detail("langs", "langs must be a list of language tags")}
	}
	if len(s.Langs) > maxLangs {
		return []schema.Detail{detail("langs", fmt.Sprintf("at most %d languages", maxLangs))}
	}
	var details []schema.Detail
	for i, tag := range s.Langs {
		if _, err := language.Parse(tag); err != nil {
			details = append(details, detail(fmt.Sprintf("langs[%d]", i), fmt.Sprintf("%q is no language tag (BCP 47)", tag)))
		}
	}
	return details
}

func detail(field, message string) schema.Detail {
	return schema.Detail{Field: field, Platform: schema.Bluesky.String(), Code: "invalid", Message: message}
}
