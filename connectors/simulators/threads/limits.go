package threads

import (
	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// What a profile may do in 24 hours (developers.facebook.com/docs/threads/overview).
const (
	maxPosts   = 250
	maxReplies = 1000
	maxCalls   = 4800 * 10 // the least: a profile counts as seen ten times
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
	graph.SetApp(c.RW.Header(), used)
	return state.window.Calls <= maxCalls
}

// used counts the posts and the replies of the last 24 hours.
func (s *simulator) used(account *simulation.Account) (posts, replies int) {
	from := s.world.Now().Add(-graph.Day)
	for p := range s.world.Newest(account.ID) {
		switch {
		case p.CreatedAt.Before(from):
			return posts, replies
		case p.ReplyTo != "":
			replies++
		default:
			posts++
		}
	}
	return posts, replies
}

func (s *simulator) publishingLimit(v visit) {
	posts, replies := s.used(v.Account)
	config := func(total int) map[string]any {
		return map[string]any{"quota_total": total, "quota_duration": int(graph.Day.Seconds())}
	}
	v.Answer(map[string]any{"data": []map[string]any{v.Pick(map[string]any{
		"quota_usage": posts, "config": config(maxPosts), "reply_quota_usage": replies, "reply_config": config(maxReplies),
	})}})
}
