package instagram

import "crier/connectors/simulators/simulation/graph"

// insights tells how a media of the caller's own does: of a story less, and no longer than it is
// shown.
func (s *simulator) insights(v visit) {
	id := v.R.PathValue("id")
	post, ok := s.world.Post(v.Account.ID, id)
	isStory := requestOf(post.Fields).Kind == kindStory
	if !ok || post.ReplyTo != "" || s.world.IsTakenDown(post) || isStory && s.world.Now().Sub(post.CreatedAt) >= storyLife {
		v.Fail(graph.NotFound(id))
		return
	}
	a := s.world.Audience(post)
	insights := map[string]graph.Insight{"views": {Value: a.Views}, "reach": {Value: a.Reach}, "shares": {Value: a.Shares}}
	if !isStory {
		insights["saved"], insights["likes"], insights["comments"] = graph.Insight{Value: a.Saves}, graph.Insight{Value: a.Likes}, graph.Insight{Value: a.Comments}
	}
	v.Insights(id, insights)
}
