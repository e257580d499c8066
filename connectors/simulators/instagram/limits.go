package instagram

import (
	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// What an account may do in 24 hours: publish as many posts as content_publishing_limit says,
// and call 4,800 times for each person who has seen it, of whom there are ten here
// (developers.facebook.com/docs/instagram-platform/content-publishing,
// docs/graph-api/overview/rate-limiting).
const (
	maxPosts = 100
	maxCalls = 4800 * 10
)

// count counts a call and reports whether the limit allows it. The API says in a header how
// much is used.
func (s *simulator) count(c graph.Call) bool {
	if s.unlimited {
		return true
	}
	state := stateOf(c.Account)
	state.mu.Lock()
	defer state.mu.Unlock()
	state.window.Count(s.world.Now())
	used := state.window.Calls * 100 / maxCalls
	graph.SetUseCase(c.RW.Header(), graph.UseCase{Account: c.Account.ID, Kind: useCase, Percent: used})
	return state.window.Calls <= maxCalls
}

// used counts the posts of the last 24 hours; comments are none.
func (s *simulator) used(account *simulation.Account) (posts int) {
	from := s.world.Now().Add(-graph.Day)
	for p := range s.world.Newest(account.ID) {
		if p.CreatedAt.Before(from) {
			break
		}
		if p.ReplyTo == "" {
			posts++
		}
	}
	return posts
}

func (s *simulator) publishingLimit(v visit) {
	v.Answer(map[string]any{"data": []map[string]any{v.Pick(map[string]any{
		"quota_usage": s.used(v.Account), "config": map[string]any{"quota_total": maxPosts, "quota_duration": int(graph.Day.Seconds())},
	})}})
}
