package googlebusiness

import (
	"net/http"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// scopeManage is what every call needs.
const scopeManage = "https://www.googleapis.com/auth/business.manage"

// newOAuth makes the platform's OAuth. Refresh tokens have no end of their own.
func newOAuth(w *simulation.World) *oauth.Flow {
	return oauth.NewGoogle(w, []string{scopeManage, "openid", "email"}, scopeManage, 0)
}

// checkToken refuses a token that Google does not take for a call, or takes no more.
func (s *simulator) checkToken(token string) *refusal {
	switch held, isTicket, state := s.oauth.Read(token); {
	case state != oauth.Alive:
		refused := badToken()
		return &refused
	case isTicket && !slices.Contains(strings.Fields(held.Scope), scopeManage):
		refused := withoutScope()
		return &refused
	default:
		return nil
	}
}

func badToken() refusal {
	return refusal{
		Code: http.StatusUnauthorized, Status: "UNAUTHENTICATED",
		Message: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
	}
}

func withoutScope() refusal {
	return refusal{
		Code: http.StatusForbidden, Status: "PERMISSION_DENIED", Message: "Request had insufficient authentication scopes.",
		Details: []any{info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", map[string]string{"service": "mybusiness.googleapis.com"})},
	}
}
