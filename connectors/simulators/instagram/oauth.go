package instagram

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// knownScopes are the permissions there are; none is had without the first
// (developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login).
func knownScopes() []string {
	return []string{
		"instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_comments",
		"instagram_business_manage_messages", "instagram_business_manage_insights",
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
	graph.Answer(rw, http.StatusOK, map[string]any{"data": []map[string]any{{
		"access_token": given.String(), "user_id": account.ID, "permissions": granted.Scope,
	}}})
}

// inspect tells what the caller's own token is good for.
func (s *simulator) inspect(v visit) {
	if v.Param("input_token") == "" {
		v.Fail(graph.Invalid("input_token"))
		return
	}
	v.Answer(map[string]any{"data": graph.Inspected(s.world, v.Account, knownScopes(), "instagram_business_content_publish")})
}
