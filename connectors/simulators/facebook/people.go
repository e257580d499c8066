package facebook

import (
	"cmp"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

// nodeOfSaid is what the API calls what a person wrote under a post.
func nodeOfSaid(s simulation.Said) string { return s.Under + "_" + s.ID }

// commentable returns a post of the page, or what a person wrote under one as if it were.
func (s *simulator) commentable(v visit, node string) (simulation.Post, error) {
	_, id, isComment := strings.Cut(node, "_")
	if one, ok := s.world.Said(v.account.ID, id); isComment && ok && one.Under != "" && nodeOfSaid(one) == node {
		return simulation.Post{Account: v.account.ID, ID: node, Text: one.Text, ReplyTo: one.Under, CreatedAt: one.At}, nil
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
		for _, one := range s.world.SaidUnder(parent) {
			nodes[nodeOfSaid(one)] = nodes[nodeOfSaid(one)] || stream
			if one.Answers != "" && !stream {
				continue
			}
			fields := map[string]any{
				"id": nodeOfSaid(one), "message": one.Text, "created_time": one.At.Format(timeFormat),
				"from": map[string]string{"id": one.By.ID, "name": one.By.Name}, "permalink_url": s.world.BaseURL() + "/" + nodeOfSaid(one),
			}
			if one.Answers != "" {
				fields["parent"] = map[string]string{"id": one.Under + "_" + one.Answers}
			}
			all = append(all, comment{one.At.UnixNano(), fields})
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
	var shown []map[string]any
	for _, c := range all {
		shown = append(shown, c.fields)
	}
	return shown
}
