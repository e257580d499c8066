package validation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"crier/schema"
	"crier/schema/spelling"
)

// SettingRules are the rules of a platform's settings, by name.
type SettingRules map[string]SettingRule

// SettingRule says whether a setting is required, and which values it may have.
type SettingRule struct {
	required bool
	media    []string                                    // names of addresses of media within it; an empty one: it is one itself
	audience bool                                        // it says who sees the post
	wanted   string                                      // the values it may have, in words; empty: they are not few
	check    func(value json.RawMessage) []schema.Detail // fields are relative to the setting
}

// Require makes the setting required.
func (r SettingRule) Require() SettingRule {
	r.required = true
	return r
}

// Audience makes it an error where the setting is misspelt: without its effect, others see the post
// than were meant.
func (r SettingRule) Audience() SettingRule {
	r.audience = true
	return r
}

// Media returns the names of the settings that are addresses of media.
func (r SettingRules) Media() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		for _, within := range r[name].media {
			names = append(names, joinField(name, within))
		}
	}
	return names
}

// contentSettingName is the setting every platform has: it overrides the post's text.
const contentSettingName = "content"

// Check is a schema.Constraints.Settings: it reports every setting that is missing, wrong or,
// with CodeSettingUnknown, not known.
func (r SettingRules) Check(settings json.RawMessage) []schema.Detail {
	if missing(settings) && !r.anyRequired() {
		return nil
	}
	withContent := SettingRules{contentSettingName: TextSetting(schema.TextLimit{})}
	maps.Copy(withContent, r)
	return withContent.check(settings)
}

// anyRequired reports whether any of the settings is required.
func (r SettingRules) anyRequired() bool {
	for _, rule := range r {
		if rule.required {
			return true
		}
	}
	return false
}

func (r SettingRules) check(object json.RawMessage) []schema.Detail {
	var values map[string]json.RawMessage
	if !missing(object) && json.Unmarshal(object, &values) != nil {
		return wrong(CodeSettingInvalid, "an object is wanted")
	}
	var details []schema.Detail
	for _, name := range slices.Sorted(maps.Keys(r)) {
		details = append(details, r[name].checkNamed(name, values[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, known := r[name]; !known {
			details = append(details, r.unknown(name))
		}
	}
	return details
}

// audienceWords are parts of what people call a setting that says who sees a post.
var audienceWords = []string{"visib", "privacy", "private", "public", "audience"}

// unknown is what is wrong with a setting that is not known: a warning, unless it may have been meant to
// say who sees the post.
func (r SettingRules) unknown(name string) schema.Detail {
	if nearest := spelling.Nearest(name, slices.Collect(maps.Keys(r))); nearest != "" && !r[nearest].audience {
		return UnknownSetting(name, slices.Collect(maps.Keys(r)))
	}
	if meant := r.audienceOf(name); meant != "" {
		return schema.Detail{
			Field: name, Code: CodeSettingMisspelt,
			Message: "there is no setting of this name; did you mean " + meant + ", which says who sees the post?",
		}
	}
	return UnknownSetting(name, nil)
}

// audienceOf returns which setting that says who sees a post may be meant by a name, empty for none.
func (r SettingRules) audienceOf(name string) string {
	var all []string
	for _, known := range slices.Sorted(maps.Keys(r)) {
		if r[known].audience {
			all = append(all, known)
		}
	}
	if nearest := spelling.Nearest(name, all); nearest != "" || !NamesAudience(name) {
		return nearest
	}
	for _, known := range all {
		if NamesAudience(known) {
			return known
		}
	}
	return ""
}

// NamesAudience reports whether a field is called as one that says who sees a post.
func NamesAudience(field string) bool {
	lower := strings.ToLower(field)
	return slices.ContainsFunc(audienceWords, func(word string) bool { return strings.Contains(lower, word) })
}

// UnknownSetting warns of a setting that is none of those that are known.
func UnknownSetting(name string, known []string) schema.Detail {
	return schema.Detail{
		Field: name, Code: CodeSettingUnknown,
		Message: "there is no setting of this name, so it has no effect" + spelling.DidYouMean(name, known),
	}
}

func (r SettingRule) checkNamed(name string, value json.RawMessage) []schema.Detail {
	if len(value) == 0 {
		if r.required {
			return []schema.Detail{{Field: name, Code: CodeSettingRequired, Message: r.requiredMessage()}}
		}
		return nil
	}
	if missing(value) {
		return []schema.Detail{{Field: name, Code: CodeSettingInvalid, Message: "null is no value of a setting; leave it out"}}
	}
	details := r.check(value)
	for i := range details {
		details[i].Field = joinField(name, details[i].Field)
	}
	return details
}

func (r SettingRule) requiredMessage() string {
	if r.wanted == "" {
		return "this setting is required"
	}
	return "this setting is required: " + r.wanted
}

func joinField(parent, child string) string {
	if child == "" || child[0] == '[' {
		return parent + child
	}
	return parent + "." + child
}

func missing(value json.RawMessage) bool {
	return len(value) == 0 || bytes.Equal(bytes.TrimSpace(value), []byte("null"))
}

func wrong(code, format string, args ...any) []schema.Detail {
	return []schema.Detail{{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// BoolSetting is true or false.
func BoolSetting() SettingRule {
	return SettingRule{wanted: "true or false", check: func(value json.RawMessage) []schema.Detail {
		var b bool
		if json.Unmarshal(value, &b) != nil {
			return wrong(CodeSettingInvalid, "true or false is wanted")
		}
		return nil
	}}
}

// IntegerSetting is a whole number between two, themselves included.
func IntegerSetting(minimum, maximum int) SettingRule {
	return SettingRule{wanted: fmt.Sprintf("a whole number from %d to %d", minimum, maximum), check: func(value json.RawMessage) []schema.Detail {
		var n int
		if json.Unmarshal(value, &n) != nil || n < minimum || n > maximum {
			return wrong(CodeSettingInvalid, "a whole number from %d to %d is wanted, not %s", minimum, maximum, shorten(value))
		}
		return nil
	}}
}

// NumberSetting is a number between two, themselves included.
func NumberSetting(minimum, maximum float64) SettingRule {
	return SettingRule{check: func(value json.RawMessage) []schema.Detail {
		var n float64
		if json.Unmarshal(value, &n) != nil || n < minimum || n > maximum {
			return wrong(CodeSettingInvalid, "a number from %g to %g is wanted, not %s", minimum, maximum, shorten(value))
		}
		return nil
	}}
}

// EnumSetting is one of some values.
func EnumSetting(values ...string) SettingRule {
	wanted := "one of " + strings.Join(values, ", ")
	return SettingRule{wanted: wanted, check: func(value json.RawMessage) []schema.Detail {
		var s string
		if json.Unmarshal(value, &s) != nil || !slices.Contains(values, s) {
			return wrong(CodeSettingInvalid, "%s is wanted, not %s", wanted, shorten(value))
		}
		return nil
	}}
}

// TextSetting is a text within a limit; it is required where the limit says so.
func TextSetting(limit schema.TextLimit) SettingRule {
	return SettingRule{required: limit.Required, check: func(value json.RawMessage) []schema.Detail {
		var s string
		if json.Unmarshal(value, &s) != nil {
			return wrong(CodeSettingInvalid, "a text is wanted")
		}
		if limit.Required && strings.TrimSpace(s) == "" {
			return wrong(CodeSettingRequired, "this setting is required; it is empty")
		}
		if strings.ContainsAny(s, limit.Without) {
			return wrong(CodeTextSign, "no %s is allowed", signs(limit.Without))
		}
		if limit.Max == 0 {
			return nil
		}
		if n := limit.Count(s); n > limit.Max {
			return wrong(CodeTextTooLong, "at most %d characters are allowed, it has %d", limit.Max, n)
		}
		return nil
	}}
}

// PatternSetting is a text of a form, which what says in words.
func PatternSetting(pattern *regexp.Regexp, what string) SettingRule {
	return FormSetting(pattern.MatchString, what)
}

// FormSetting is a text of a form that a function knows, and what says in words.
func FormSetting(is func(text string) bool, what string) SettingRule {
	return SettingRule{wanted: what, check: func(value json.RawMessage) []schema.Detail {
		var s string
		if json.Unmarshal(value, &s) != nil || !is(s) {
			return wrong(CodeSettingInvalid, "%s is wanted, not %s", what, shorten(value))
		}
		return nil
	}}
}

// MediaSetting is the address of a picture, which is checked and kept as media items are.
func MediaSetting() SettingRule {
	rule := FormSetting(IsWebAddress, "an http or https url")
	rule.media = []string{""}
	return rule
}

// ListSetting is a list of at most so many values, none of them null.
func ListSetting(maximum int, item SettingRule) SettingRule {
	return BoundedListSetting(0, maximum, item)
}

// BoundedListSetting is a list of so many values at least and at most, none of them null.
func BoundedListSetting(minimum, maximum int, item SettingRule) SettingRule {
	item = item.Require()
	return SettingRule{check: func(value json.RawMessage) []schema.Detail {
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return wrong(CodeSettingInvalid, "a list is wanted")
		}
		if len(items) < minimum {
			return wrong(CodeSettingInvalid, "at least %d values are wanted, there are %d", minimum, len(items))
		}
		if len(items) > maximum {
			return wrong(CodeSettingInvalid, "at most %d values are allowed, there are %d", maximum, len(items))
		}
		var details []schema.Detail
		for i, element := range items {
			details = append(details, item.checkNamed(fmt.Sprintf("[%d]", i), element)...)
		}
		return details
	}}
}

// ObjectSetting is an object with settings of its own.
func ObjectSetting(rules SettingRules) SettingRule {
	return SettingRule{check: rules.check, media: rules.Media()}
}

// OrBool also takes true and false in place of an object.
func (r SettingRule) OrBool() SettingRule {
	object := r.check
	r.check = func(value json.RawMessage) []schema.Detail {
		switch {
		case BoolSetting().check(value) == nil:
			return nil
		case bytes.HasPrefix(value, []byte("{")):
			return object(value)
		default:
			return wrong(CodeSettingInvalid, "true, false or an object is wanted, not %s", shorten(value))
		}
	}
	return r
}

// shorten bounds how much of a value a message repeats.
func shorten(value json.RawMessage) string {
	const maximum = 40
	if len(value) <= maximum {
		return string(value)
	}
	return strings.ToValidUTF8(string(value[:maximum]), "") + "…"
}
