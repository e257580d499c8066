package facebook

import (
	"cmp"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

// nodeOfRemark is what the API calls what a person wrote under a post.
func nodeOfRemark(s simulation.Remark) string { return s.Under + "_" + s.ID }

// commentable returns a post of the page, or what a person wrote under one as if it were.
func (s *simulator) commentable(v visit, node string) (simulation.Post, error) {
	_, id, isComment := strings.Cut(node, "_")
	if remark, ok := s.world.Remark(v.account.ID, id); isComment && ok && remark.Under != "" && nodeOfRemark(remark) == node {
		return simulation.Post{Account: v.account.ID, ID: node, Text: remark.Text, ReplyTo: remark.Under, CreatedAt: remark.At}, nil
	}
	return s.post(v, node)
}

// commentsOn are the page's comments and those of people, the newest first: of a post all of
// them where a stream is asked for.
func (s *simulator) commentsOn(v visit, parent simulation.Post) []map[string]any {
	type comment struct {
		at     int64
		fields map[string]any
	}
	var all []comment
	stream, nodes := v.r.URL.Query().Get("filter") == "stream", map[string]bool{parent.ID: true}
	if parent.ReplyTo == "" {
		for _, remark := range s.world.RemarksUnder(parent) {
			nodes[nodeOfRemark(remark)] = nodes[nodeOfRemark(remark)] || stream
			if remark.Answers != "" && !stream {
				continue
			}
			fields := map[string]any{
				"id": nodeOfRemark(remark), "message": remark.Text, "created_time": remark.At.Format(timeFormat),
				"from": map[string]string{"id": remark.By.ID, "name": remark.By.Name}, "permalink_url": s.world.BaseURL() + "/" + nodeOfRemark(remark),
			}
			if remark.Answers != "" {
				fields["parent"] = map[string]string{"id": remark.Under + "_" + remark.Answers}
			}
			all = append(all, comment{remark.At.UnixNano(), fields})
		}
	}
	own := slices.Collect(s.world.Newest(v.account.ID))
	for _, p := range slices.Backward(own) {
		if nodes[p.ReplyTo] {
			all = append(all, comment{p.CreatedAt.UnixNano(), map[string]any{
				"id": p.ID, "message": p.Text, "created_time": p.CreatedAt.Format(timeFormat),
				"from": map[string]string{"id": v.account.ID, "name": "Page " + v.account.ID}, "permalink_url": s.world.BaseURL() + "/" + p.ID,
			}})
		}
	}
	slices.SortStableFunc(all, func(a, b comment) int { return cmp.Compare(b.at, a.at) })
	var comments []map[string]any
	for _, c := range all {
		comments = append(comments, c.fields)
	}
	return comments
}
