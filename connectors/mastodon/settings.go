package mastodon

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

const defaultVisibility = "public"

// settings is Mastodon's part of platformSettings.
type settings struct {
	Visibility  string `json:"visibility"`
	SpoilerText string `json:"spoilerText"`
	Sensitive   bool   `json:"sensitive"`
	Language    string `json:"language"`
	Poll        *poll  `json:"poll"`
}

// poll asks a question with an entry. In a thread it is the first entry's.
type poll struct {
	Options    []string `json:"options"`
	ExpiresIn  int      `json:"expiresIn"` // seconds
	Multiple   bool     `json:"multiple"`
	HideTotals bool     `json:"hideTotals"`
}

// settingsOf reads the settings of a delivery. They were checked when the post was
// made, so that an error is our fault.
func settingsOf(d schema.Delivery) (settings, error) {
	s, err := connectors.SettingsOf[settings](d)
	s.Visibility = cmp.Or(s.Visibility, defaultVisibility)
	return s, err
}

// pollOf returns the poll of the delivery, nil if it has none.
func (s settings) pollOf(d schema.Delivery) *poll {
	if d.Entry > 0 || d.Comment != nil {
		return nil
	}
	return s.Poll
}

// languageCode is made once: each account's limits have rules of their own.
var languageCode = regexp.MustCompile(`^[a-z]{2}$`)

func settingRules(l limits) validation.SettingRules {
	return validation.SettingRules{
		"visibility":  validation.EnumSetting(defaultVisibility, "unlisted", "private", "direct").Audience(),
		"spoilerText": validation.TextSetting(schema.TextLimit{Max: l.Text, Count: l.graphemes()}),
		"sensitive":   validation.BoolSetting(),
		"language":    validation.PatternSetting(languageCode, "an ISO 639-1 code such as en"),
	}
}

// settingsCheck returns a Constraints.Settings. It checks the poll by itself, since what
// it may be hangs together.
func settingsCheck(l limits) func(json.RawMessage) []schema.Detail {
	rules := settingRules(l)
	return func(object json.RawMessage) []schema.Detail {
		if len(object) == 0 {
			return rules.Check(nil)
		}
		var values map[string]json.RawMessage
		if json.Unmarshal(object, &values) != nil || len(values["poll"]) == 0 {
			return rules.Check(without(object, values, "poll"))
		}
		details := rules.Check(without(object, values, "poll"))
		return append(details, l.checkPoll(values["poll"])...)
	}
}

func without(object json.RawMessage, values map[string]json.RawMessage, name string) json.RawMessage {
	if _, there := values[name]; !there {
		return object
	}
	rest := maps.Clone(values)
	delete(rest, name)
	encoded, err := json.Marshal(rest)
	if err != nil {
		return object // not reached: its parts were decoded from JSON
	}
	return encoded
}

func isNull(value json.RawMessage) bool {
	return len(value) == 0 || bytes.Equal(value, []byte("null"))
}

func (l limits) checkPoll(object json.RawMessage) []schema.Detail {
	var values map[string]json.RawMessage
	if json.Unmarshal(object, &values) != nil || values == nil {
		return []schema.Detail{invalid("poll", "an object is wanted")}
	}
	details := l.checkPollOptions(values["options"])
	details = append(details, l.checkPollTime(values["expiresIn"])...)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch field := "poll." + name; name {
		case "options", "expiresIn":
		case "multiple", "hideTotals":
			var flag *bool
			if json.Unmarshal(values[name], &flag) != nil || flag == nil {
				details = append(details, invalid(field, "true or false is wanted"))
			}
		default:
			unknown := validation.UnknownSetting(name, []string{"options", "expiresIn", "multiple", "hideTotals"})
			unknown.Field = field
			details = append(details, unknown)
		}
	}
	return details
}

// pollWithoutMedia is a Constraints.Together: a status has either
// (docs.joinmastodon.org/methods/statuses/#create).
func pollWithoutMedia(first schema.Entry, s struct {
	Poll *json.RawMessage `json:"poll"`
}) []schema.Detail {
	if len(first.Media) == 0 || s.Poll == nil {
		return nil
	}
	return []schema.Detail{connectors.Conflict("poll", "a poll cannot stand beside media")}
}

func (l limits) checkPollOptions(value json.RawMessage) []schema.Detail {
	const field = "poll.options"
	if isNull(value) {
		return []schema.Detail{required(field, fmt.Sprintf("%d to %d options", minPollOptions, l.Options))}
	}
	var options []string
	if json.Unmarshal(value, &options) != nil {
		return []schema.Detail{invalid(field, "a list of texts is wanted")}
	}
	var details []schema.Detail
	count := l.graphemes()
	if len(options) < minPollOptions || len(options) > l.Options {
		details = append(details, invalid(field, fmt.Sprintf("%d to %d options are wanted, not %d",
			minPollOptions, l.Options, len(options))))
	}
	for i, option := range options {
		at := fmt.Sprintf("%s.%d", field, i)
		switch {
		case strings.TrimSpace(option) == "":
			details = append(details, invalid(at, "the option is empty"))
		case count(option) > l.Option:
			details = append(details, schema.Detail{
				Field: at, Code: validation.CodeTextTooLong,
				Message: fmt.Sprintf("at most %d characters are allowed, it has %d", l.Option, count(option)),
			})
		case slices.Contains(options[:i], option):
			details = append(details, invalid(at, "the option is there twice"))
		}
	}
	return details
}

func (l limits) checkPollTime(value json.RawMessage) []schema.Detail {
	const field = "poll.expiresIn"
	if isNull(value) {
		return []schema.Detail{required(field, fmt.Sprintf("a number of seconds from %d to %d", l.Shortest, l.Longest))}
	}
	var seconds int
	if json.Unmarshal(value, &seconds) != nil || seconds < l.Shortest || seconds > l.Longest {
		return []schema.Detail{invalid(field, fmt.Sprintf("a number of seconds from %d to %d is wanted", l.Shortest, l.Longest))}
	}
	return nil
}

func invalid(field, message string) schema.Detail {
	return schema.Detail{Field: field, Code: validation.CodeSettingInvalid, Message: message}
}

func required(field, wanted string) schema.Detail {
	return schema.Detail{Field: field, Code: validation.CodeSettingRequired, Message: "this setting is required: " + wanted}
}
