package linkedin

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// The bounds of a poll (poll-post-api).
const (
	minPollOptions  = 2
	maxPollOptions  = 4
	maxPollOption   = 30 // characters
	maxPollQuestion = 140
)

// What is asked for where a setting is left out.
const (
	defaultVisibility   = "PUBLIC"
	defaultDistribution = "MAIN_FEED"
	defaultDuration     = "THREE_DAYS"
	defaultTitle        = "Document"
)

// settings is LinkedIn's part of platformSettings.
type settings struct {
	Visibility                string   `json:"visibility"`
	FeedDistribution          string   `json:"feedDistribution"`
	IsReshareDisabledByAuthor bool     `json:"isReshareDisabledByAuthor"`
	Title                     string   `json:"title"` // of a video or a document
	Article                   *article `json:"article"`
	Poll                      *poll    `json:"poll"`
}

// article is a link with what is shown of it: LinkedIn fetches nothing by itself. The entry's
// image, if it has one, is its thumbnail.
type article struct {
	Source      string `json:"source"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

type poll struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Duration string   `json:"duration"`
}

// settingsCheck returns a Constraints.Settings.
func settingsCheck() func(json.RawMessage) []schema.Detail {
	count := utf8.RuneCountInString
	return validation.SettingRules{
		"visibility":                validation.EnumSetting(defaultVisibility, "CONNECTIONS", "LOGGED_IN").Audience(),
		"feedDistribution":          validation.EnumSetting(defaultDistribution, "NONE").Audience(),
		"isReshareDisabledByAuthor": validation.BoolSetting(),
		"title":                     validation.TextSetting(schema.TextLimit{}),
		"article": validation.ObjectSetting(validation.SettingRules{
			"source":      validation.FormSetting(validation.IsWebAddress, "an http or https url").Require(),
			"title":       validation.TextSetting(schema.TextLimit{Required: true}),
			"description": validation.TextSetting(schema.TextLimit{}),
		}),
		"poll": validation.ObjectSetting(validation.SettingRules{
			"question": validation.TextSetting(schema.TextLimit{Required: true, Max: maxPollQuestion, Count: count}),
			"options": validation.ListSetting(maxPollOptions,
				validation.TextSetting(schema.TextLimit{Required: true, Max: maxPollOption, Count: count})).Require(),
			"duration": validation.EnumSetting("ONE_DAY", defaultDuration, "SEVEN_DAYS", "FOURTEEN_DAYS"),
		}),
	}.Check
}

// together is a Constraints.Together: a post has content of one kind.
func together(first schema.Entry, s settings) (details []schema.Detail) {
	if s.Poll != nil {
		if len(first.Media) > 0 {
			details = append(details, connectors.Conflict("poll", "a poll cannot stand beside media"))
		}
		if s.Article != nil {
			details = append(details, connectors.Conflict("poll", "a poll cannot stand beside an article"))
		}
		if len(s.Poll.Options) < minPollOptions {
			details = append(details, schema.Detail{
				Field: "poll.options", Code: validation.CodeSettingInvalid,
				Message: fmt.Sprintf("%d to %d options are wanted, not %d", minPollOptions, maxPollOptions, len(s.Poll.Options)),
			})
		}
	}
	if s.Article != nil && !isThumbnail(first.Media) {
		details = append(details, connectors.Conflict("article", "an article cannot stand beside media, except for one image, which becomes its thumbnail"))
	}
	return details
}

func isThumbnail(items []schema.Media) bool {
	return len(items) == 0 || len(items) == 1 && items[0].KnownKind().APIKind() == schema.Image
}
