package threads

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// knownScopes are the permissions there are; none is had without the first
// (developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions).
func knownScopes() []string {
	return []string{
		"threads_basic", "threads_content_publish", "threads_manage_replies", "threads_read_replies", "threads_manage_insights",
		"threads_manage_mentions", "threads_keyword_search", "threads_delete", "threads_location_tagging",
	}
}

// needs are what calls need beyond the permissions to publish and to answer
// (developers.facebook.com/docs/threads/insights, -/threads-mentions, -/keyword-search).
func needs() map[string]string {
	return map[string]string{
		"GET /{id}/insights": "threads_manage_insights", "GET /{user}/threads_insights": "threads_manage_insights",
		"GET /{user}/mentions": "threads_manage_mentions", "GET /keyword_search": "threads_keyword_search",
	}
}

// redeemCode trades the code of a consent for a short-lived token.
func (s *simulator) redeemCode(rw http.ResponseWriter, r *http.Request) {
	granted, ok := s.login.Redeem(rw, r)
	if !ok {
		return
	}
	given := s.tokens.Short(granted.Token())
	account := s.world.Account(given.Name)
	graph.Grant(account, simulation.SplitScopes(granted.Scope))
	graph.Answer(rw, http.StatusOK, map[string]any{"access_token": given.String(), "user_id": account.ID})
}

// inspect tells of a token what it is good for. The simulator's people are testers of the app,
// who alone may ask (developers.facebook.com/docs/threads/troubleshooting/debug-access-token).
func (s *simulator) inspect(v visit) {
	inspected := graph.ReadToken(v.Param("input_token"))
	if inspected.Name == "" {
		v.Fail(graph.Invalid("input_token"))
		return
	}
	account := s.world.Account(inspected.Name)
	data := graph.Inspected(s.world, account, knownScopes(), "threads_content_publish")
	data["is_valid"] = !inspected.IsExpired(s.world.Now())
	v.Answer(map[string]any{"data": data})
}
