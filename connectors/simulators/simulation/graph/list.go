package graph

import (
	"iter"
	"strconv"
	"strings"

	"crier/connectors/simulators/simulation"
)

// TimeFormat is how the APIs write a time.
const TimeFormat = "2006-01-02T15:04:05-0700"

// defaultPage is the size of a page that is not asked for.
const defaultPage = 25

// List answers with a page, of at most so many, of what the account's posts are shown as, the
// newest first; nil leaves one out.
func (c Call) List(w *simulation.World, maximum int, show func(simulation.Post) map[string]any) {
	c.ListAll(func(yield func(string, func() map[string]any) bool) {
		for post := range w.Listed(c.Account.ID) {
			if !yield(post.ID, func() map[string]any { return show(post) }) {
				return
			}
		}
	}, maximum)
}

// ListAll lists what it is given, by id and as it is shown; what shows as nil is left out.
func (c Call) ListAll(all iter.Seq2[string, func() map[string]any], maximum int) {
	size, err := strconv.Atoi(c.Param("limit"))
	if err != nil || size < 1 {
		size = defaultPage
	}
	size = min(size, maximum)
	data, skipping := []map[string]any{}, c.Param("after") != ""
	var first, last string
	for id, show := range all {
		if skipping {
			skipping = id != c.Param("after")
			continue
		}
		fields := show()
		if fields == nil {
			continue
		}
		if len(data) == size {
			break
		}
		if len(data) == 0 {
			first = id
		}
		last = id
		data = append(data, c.Pick(fields))
	}
	page := map[string]any{"data": data}
	if len(data) > 0 {
		page["paging"] = map[string]any{"cursors": map[string]string{"before": first, "after": last}}
	}
	c.Answer(page)
}

// Pick returns the fields that the call asks for; without any it is the id alone.
func (c Call) Pick(all map[string]any) map[string]any {
	picked := map[string]any{}
	if id, ok := all["id"]; ok {
		picked["id"] = id
	}
	for name := range strings.SplitSeq(c.Param("fields"), ",") {
		name, _, _ = strings.Cut(name, "{")
		if value, ok := all[strings.TrimSpace(name)]; ok {
			picked[strings.TrimSpace(name)] = value
		}
	}
	return picked
}
