package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"crier/client"
	"crier/schema"
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
// those that differ. An empty cell clears what may be empty. A problem is what no change can do.
func (r row) difference(post *client.Post, timezone string) (map[string]any, *problem, error) {
	var wanted map[string]any
	if err := json.Unmarshal(r.body, &wanted); err != nil {
		return nil, nil, fmt.Errorf("reading row %d: %w", r.number, err)
	}
	is, err := generic(post)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the post of row %d: %w", r.number, err)
	}
	if wanted["status"] == cancelled {
		return nil, &problem{field: "status", code: codeUnsupported, message: fmt.Sprintf("a row cancels no post: crier posts cancel %s does, or DELETE /posts/%s", post.ID, post.ID)}, nil
	}
	if text := textOf(wanted["firstComment"]); text != "" {
		wanted["firstComments"] = []any{map[string]any{"target": 0.0, "text": text}}
	}
	if r.isCells {
		r.keepOfItems(listOf(wanted["mediaItems"]), listOf(is["mediaItems"]))
		asStored(wanted, is)
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
	if r.ended != "" {
		return change, nil, nil
	}
	if status := textOf(wanted["status"]); status != "" && status != string(post.Status) && status != immediate {
		change["status"] = status
	}
	// The queue of such rows is for new posts: what is there keeps its time, or stays a draft.
	if r.isQueuedByDefault && (change["status"] == nil || !post.ScheduledFor.IsZero()) {
		return change, nil, nil
	}
	differInMode(wanted, post, change)
	return change, nil, nil
}

// isPublishedAs reports whether a post has gone out, at once as its row wants it, and has all that the row says.
func (r row) isPublishedAs(post *client.Post, timezone string) bool {
	if !slices.Contains([]client.PostStatus{client.PostProcessing, client.PostPosted, client.PostPartiallyFailed}, post.Status) {
		return false
	}
	left, wrong, err := r.difference(post, timezone)
	isWanted := left["publishNow"] == true
	delete(left, "publishNow")
	delete(left, "status")
	return err == nil && wrong == nil && isWanted && len(left) == 0
}

// differInMode lets a post go out otherwise than at a time: at once, or, of a draft, from a queue; a scheduled post
// keeps its slot. What contradicts that goes along, for the server to refuse.
func differInMode(wanted map[string]any, post *client.Post, change map[string]any) {
	isDraft, status, queue := post.Status == client.PostDraft, textOf(wanted["status"]), textOf(wanted["queueId"])
	switch {
	case wanted["publishNow"] == true, status == immediate:
		change["publishNow"] = true
	case isDraft && queue != "":
		change["queueId"] = queue
	case isDraft && wanted["queue"] == true:
		change["queue"] = true
	default:
		return
	}
	if at := textOf(wanted["scheduledFor"]); at != "" {
		change["scheduledFor"] = at
	}
	if status == schema.Draft.String() {
		change["status"] = status
	}
}

// asStored returns what is wanted. A text that differs from the stored one in outer space or line ends
// alone, which cells do not keep, is returned as it is stored.
func asStored(wanted, is any) any {
	switch is := is.(type) {
	case string:
		if text, ok := wanted.(string); (ok || wanted == nil) && is != "" && text == strings.TrimSpace(schema.UnixLines(is)) {
			return is
		}
	case []any:
		items := listOf(wanted)
		for i := range min(len(items), len(is)) {
			items[i] = asStored(items[i], is[i])
		}
	case map[string]any:
		object, ok := wanted.(map[string]any)
		if !ok && wanted != nil {
			return wanted
		}
		for name, value := range is {
			if text := asStored(object[name], value); text != nil {
				if object == nil {
					object = map[string]any{}
				}
				object[name] = text
			}
		}
		if object != nil {
			return object
		}
	}
	return wanted
}

// keepOfItems gives media items what the post has of them and the file no column of.
func (r row) keepOfItems(wanted, is []any) {
	for _, item := range wanted {
		item, _ := item.(map[string]any)
		for _, stored := range is {
			stored, _ := stored.(map[string]any)
			if !sameFile(item, stored) {
				continue
			}
			for _, field := range []string{"altText", "fit", "keepMetadata"} {
				if item[field] == nil && stored[field] != nil && !r.speaksOf(field) {
					item[field] = stored[field]
				}
			}
			if !r.speaksOf("mediaTypes") {
				item["type"] = stored["type"]
			}
			break
		}
	}
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
		account, text := textOf(named["accountId"]), textOf(named["content"])
		return textOf(named["platform"]) == textOf(there["platform"]) && (account == "" || account == textOf(there["accountId"])) &&
			(text == "" || text == textOf(there["contentOverride"]))
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
		if (x["keepMetadata"] == true) != (y["keepMetadata"] == true) || !sameFile(x, y) {
			return false
		}
		return textOf(y["mediaId"]) != "" || textOf(x["type"]) == textOf(y["type"])
	})
}

func sameFile(wanted, is map[string]any) bool {
	if id := textOf(wanted["mediaId"]); id != "" {
		return id == textOf(is["mediaId"])
	}
	return textOf(wanted["url"]) == textOf(is["url"])
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
	instant, isWall, err := instantOf(at, zone)
	if err == nil && instant.Equal(post.ScheduledFor) {
		return
	}
	change["scheduledFor"] = at
	if isWall && change["timezone"] == nil && err == nil {
		change["timezone"] = zone
	}
}

// instantOf reads a time as the API takes it: with its offset, or wall time in a zone.
func instantOf(at, zone string) (instant time.Time, isWall bool, err error) {
	if instant, err = time.Parse(time.RFC3339, at); err == nil {
		return instant, false, nil
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC // the server says what is wrong with it
	}
	instant, err = time.ParseInLocation(wallTime, at, location)
	return instant, true, err
}

// scheduledFor is the time that the row says; empty: none, or one that nobody can read.
func (r row) scheduledFor(timezone string) string {
	var body struct {
		ScheduledFor string `json:"scheduledFor"`
	}
	if json.Unmarshal(r.body, &body) != nil {
		return ""
	}
	instant, _, err := instantOf(cmp.Or(body.ScheduledFor, r.draftFor), r.timezone(timezone))
	if err != nil {
		return ""
	}
	return instant.UTC().Format(time.RFC3339Nano)
}

// merged is an object with the changes of a row: an entry without a column stays, and one whose cell
// is empty is removed. A column of the whole field replaces all that was there.
func (r row) merged(field string, wanted, is any) map[string]any {
	now, _ := is.(map[string]any)
	changes, _ := wanted.(map[string]any)
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
	for name, value := range changes {
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
