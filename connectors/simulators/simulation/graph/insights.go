package graph

import (
	"maps"
	"slices"
	"strings"
)

// Insight is a number that an API tells.
type Insight struct {
	Value int64
	Total bool // it comes as total_value, as those of accounts do
}

// Insights answers with the numbers that are asked for by name. One that is not among all fails the
// whole call.
func (c Call) Insights(id string, all map[string]Insight) {
	data := []map[string]any{}
	for name := range strings.SplitSeq(c.Param("metric"), ",") {
		one, ok := all[name]
		if !ok {
			c.Fail(Bad(100, 0, "(#100) metric["+name+"] must be one of the following values: "+strings.Join(slices.Sorted(maps.Keys(all)), ", ")))
			return
		}
		data = append(data, one.shown(id, name))
	}
	c.Answer(map[string]any{"data": data})
}

func (i Insight) shown(id, name string) map[string]any {
	shown := map[string]any{"name": name, "period": "lifetime", "title": name, "description": name, "id": id + "/insights/" + name + "/lifetime"}
	if i.Total {
		shown["period"], shown["id"] = "day", id+"/insights/"+name+"/day"
		shown["total_value"] = map[string]any{"value": i.Value}
	} else {
		shown["values"] = []map[string]any{{"value": i.Value}}
	}
	return shown
}
