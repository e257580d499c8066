package facebook

import (
	"net/http"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// showNode shows how a post or a video does, or else how far a video is.
func (s *simulator) showNode(v visit) {
	fields := v.r.URL.Query().Get("fields")
	if !strings.Contains(fields, ".summary(total_count)") {
		s.showVideo(v)
		return
	}
	p, err := s.post(v, v.r.PathValue("node"))
	if err == nil && s.world.IsTakenDown(p) {
		err = graph.NotFound(v.r.PathValue("node"))
	}
	if err != nil {
		v.fail(err)
		return
	}
	if strings.Contains(fields, "insights") && !s.mayReadInsights(v) {
		v.fail(&graph.Error{Status: http.StatusForbidden, Code: 10, Message: "(#10) This endpoint requires the 'read_insights' permission"})
		return
	}
	graph.Answer(v.rw, http.StatusOK, s.numbers(p, fields))
}

// numbers are those that are asked for. A number that a post has none of is left out.
func (s *simulator) numbers(p simulation.Post, fields string) map[string]any {
	a, isPost := s.world.Audience(p), fieldsOf(p).Kind == aPost
	summary := func(n int64) map[string]any {
		return map[string]any{"data": []any{}, "summary": map[string]any{"total_count": n}}
	}
	object := map[string]any{"id": nodeOf(p), "comments": summary(a.Comments)}
	if !isPost {
		object["id"], object["views"], object["likes"] = p.ID, a.Views, summary(a.Likes)
		return object
	}
	object["reactions"] = summary(a.Likes)
	if a.Shares > 0 {
		object["shares"] = map[string]any{"count": a.Shares}
	}
	if strings.Contains(fields, "insights") {
		var data []map[string]any
		for name, n := range map[string]int64{"post_media_view": a.Impressions, "post_total_media_view_unique": a.Reach, "post_clicks": a.Clicks} {
			data = append(data, map[string]any{"name": name, "values": []map[string]any{{"value": n}}, "id": nodeOf(p) + "/insights/" + name + "/lifetime"})
		}
		object["insights"] = map[string]any{"data": data}
	}
	return object
}
