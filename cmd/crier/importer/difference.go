package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"crier/client"
)

// speaksOf reports whether the file has something to say of a field, if only that it is empty.
func (r row) speaksOf(field string) bool {
	return slices.ContainsFunc(r.fields, func(f string) bool { return f == field || strings.HasPrefix(f, field+".") })
}

// timezone is the one of the row's times without an offset.
func (r row) timezone(otherwise string) string {
	var body struct {
		Timezone string `json:"timezone"`
	}
	if json.Unmarshal(r.body, &body) != nil || body.Timezone == "" {
		return otherwise
	}
	return body.Timezone
}

// difference is the change that makes a post what its row says: of the fields that the file has,
// those that differ. An empty cell clears what may be empty.
func (r row) difference(post *client.Post, timezone string) (map[string]any, error) {
	var wanted map[string]any
	if err := json.Unmarshal(r.body, &wanted); err != nil {
		return nil, fmt.Errorf("reading row %d: %w", r.number, err)
	}
	is, err := generic(post)
	if err != nil {
		return nil, fmt.Errorf("reading the post of row %d: %w", r.number, err)
	}
	change := map[string]any{}
	for _, field := range []string{"content", "brandId", "externalId"} {
		if text, _ := wanted[field].(string); r.speaksOf(field) && text != textOf(is[field]) && (text != "" || field == "content") {
			change[field] = text
		}
	}
	r.differInLists(wanted, is, change)
	r.differInTime(wanted, post, timezone, change)
	for _, field := range []string{"metadata", "platformSettings"} {
		if r.speaksOf(field) || wanted[field] != nil {
			if merged := r.merged(field, wanted[field], is[field]); !same(merged, is[field]) {
				change[field] = merged
			}
		}
	}
	if status, _ := wanted["status"].(string); status != "" && status != string(post.Status) && r.ended == "" {
		change["status"] = status
	}
	return change, nil
}

func generic(value any) (object map[string]any, err error) {
	text, err := encode(value)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	return object, err
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

// same compares values of JSON; what is not there is the same as what is empty.
func same(a, b any) bool { return isNone(a) && isNone(b) || reflect.DeepEqual(a, b) }

func isNone(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	default:
		return false
	}
}

// differInLists compares where the post goes, its media and its first comments, each as a whole.
func (r row) differInLists(wanted, is, change map[string]any) {
	if targets := listOf(wanted["platforms"]); len(targets) > 0 && r.speaksOf("platforms") && !sameTargets(targets, listOf(is["platforms"])) {
		change["platforms"] = targets
	}
	media := listOf(wanted["mediaItems"])
	if (r.speaksOf("mediaItems") || r.speaksOf("asset") && len(media) > 0) && !sameMedia(media, listOf(is["mediaItems"])) {
		change["mediaItems"] = orEmpty(media)
	}
	comments := listOf(wanted["firstComments"])
	if text := textOf(wanted["firstComment"]); text != "" {
		comments = []any{map[string]any{"target": 0.0, "text": text}}
	}
	if (r.speaksOf("firstComments") || r.speaksOf("firstComment")) && !r.thread && !sameComments(comments, listOf(is["firstComments"])) {
		change["firstComments"] = orEmpty(comments)
	}
}

func listOf(value any) []any {
	items, _ := value.([]any)
	return items
}

// orEmpty is a list that JSON has as [], not as null.
func orEmpty(items []any) []any {
	if items == nil {
		return []any{}
	}
	return items
}

// sameTargets compares platforms; one without an account is the same as that platform's only one.
func sameTargets(wanted, is []any) bool {
	return slices.EqualFunc(wanted, is, func(a, b any) bool {
		there, _ := b.(map[string]any)
		if name, ok := a.(string); ok {
			return name == textOf(there["platform"])
		}
		named, _ := a.(map[string]any)
		account := textOf(named["accountId"])
		return named["content"] == nil && textOf(named["platform"]) == textOf(there["platform"]) && (account == "" || account == textOf(there["accountId"]))
	})
}

// sameMedia compares items; an upload is the same by its id and by its address, and a type that the
// row does not have, or guesses, is none that it changes.
func sameMedia(wanted, is []any) bool {
	return slices.EqualFunc(wanted, is, func(a, b any) bool {
		x, _ := a.(map[string]any)
		y, _ := b.(map[string]any)
		for _, field := range []string{"altText", "fit"} {
			if textOf(x[field]) != textOf(y[field]) && (field != "fit" || textOf(x[field])+textOf(y[field]) != "none") {
				return false
			}
		}
		if id := textOf(x["mediaId"]); id != "" {
			return id == textOf(y["mediaId"])
		}
		return textOf(x["url"]) == textOf(y["url"]) && (textOf(y["mediaId"]) != "" || textOf(x["type"]) == textOf(y["type"]))
	})
}

func sameComments(wanted, is []any) bool {
	return slices.EqualFunc(wanted, is, func(a, b any) bool {
		x, _ := a.(map[string]any)
		y, _ := b.(map[string]any)
		target := func(v any) float64 { n, _ := v.(float64); return n }
		return textOf(x["text"]) == textOf(y["text"]) && target(x["target"]) == target(y["target"])
	})
}

// differInTime compares instants: a row may have its time in another zone.
func (r row) differInTime(wanted map[string]any, post *client.Post, timezone string, change map[string]any) {
	at, zone := textOf(wanted["scheduledFor"]), textOf(wanted["timezone"])
	if at == "" {
		at = r.draftFor
	}
	if zone != "" && zone != post.Timezone {
		change["timezone"] = zone
	}
	if at == "" {
		return
	}
	if zone == "" {
		zone = timezone
	}
	instant, err := time.Parse(time.RFC3339, at)
	if err != nil {
		location, zoneErr := time.LoadLocation(zone)
		if zoneErr != nil {
			location = time.UTC // the server says what is wrong with it
		}
		instant, err = time.ParseInLocation(wallTime, at, location)
		if change["timezone"] == nil && err == nil && !instant.Equal(post.ScheduledFor) {
			change["timezone"] = zone // of the time below
		}
	}
	if err != nil || !instant.Equal(post.ScheduledFor) {
		change["scheduledFor"] = at
	}
}

// merged is an object as it is to be: entries that the file has no column of stay, and those whose
// cell is empty go. A field that the file has as a whole replaces what was there.
func (r row) merged(field string, wanted, is any) map[string]any {
	now, _ := is.(map[string]any)
	said, _ := wanted.(map[string]any)
	merged := map[string]any{}
	if !slices.Contains(r.fields, field) {
		for name, value := range now {
			if inner, ok := value.(map[string]any); ok {
				value = maps.Clone(inner)
			}
			merged[name] = value
		}
	}
	for _, f := range r.fields {
		name, ok := strings.CutPrefix(f, field+".")
		if !ok {
			continue
		}
		if group, key, nested := strings.Cut(name, "."); nested && field == "platformSettings" {
			if settings, ok := merged[group].(map[string]any); ok {
				delete(settings, key)
			}
		} else {
			delete(merged, name)
		}
	}
	for name, value := range said {
		settings, ok := value.(map[string]any)
		before, isObject := merged[name].(map[string]any)
		if !ok || !isObject {
			merged[name] = value
			continue
		}
		maps.Copy(before, settings)
	}
	for name, value := range merged {
		if isNone(value) {
			delete(merged, name)
		}
	}
	return merged
}
