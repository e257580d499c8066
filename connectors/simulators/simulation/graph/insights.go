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
		insight, ok := all[name]
		if !ok {
			c.Fail(Bad(100, 0, "(#100) metric["+name+"] must be one of the following values: "+strings.Join(slices.Sorted(maps.Keys(all)), ", ")))
			return
		}
		data = append(data, insight.object(id, name))
	}
	c.Answer(map[string]any{"data": data})
}

func (i Insight) object(id, name string) map[string]any {
	object := map[string]any{"name": name, "period": "lifetime", "title": name, "description": name, "id": id + "/insights/" + name + "/lifetime"}
	if i.Total {
		object["period"], object["id"] = "day", id+"/insights/"+name+"/day"
		object["total_value"] = map[string]any{"value": i.Value}
	} else {
		object["values"] = []map[string]any{{"value": i.Value}}
	}
	return object
}
