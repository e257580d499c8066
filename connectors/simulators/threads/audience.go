package threads

import "crier/connectors/simulators/simulation/graph"

// postInsights tells how a post of the caller's own does.
func (s *simulator) postInsights(v visit) {
	id := v.R.PathValue("id")
	post, ok := s.world.Post(v.Account.ID, id)
	if !ok || v.state.isDeleted(id) || s.world.IsTakenDown(post) {
		v.Fail(graph.NotFound(id))
		return
	}
	a := s.world.Audience(post)
	quotes, shares := a.Shares/4, a.Shares/3
	v.Insights(id, map[string]graph.Insight{
		"views": {Value: a.Views}, "likes": {Value: a.Likes}, "replies": {Value: a.Comments},
		"reposts": {Value: a.Shares - quotes - shares}, "quotes": {Value: quotes}, "shares": {Value: shares},
	})
}

// accountInsights tells how the caller does.
func (s *simulator) accountInsights(v visit) {
	v.Insights(v.Account.ID, map[string]graph.Insight{"followers_count": {Value: s.world.Crowd(v.Account.ID).Followers, Total: true}})
}
