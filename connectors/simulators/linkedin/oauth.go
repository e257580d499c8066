package linkedin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// How long things live (shared/authentication: authorization-code-flow,
// programmatic-refresh-tokens). The year of a refresh token begins with the consent.
const (
	codeLife    = 30 * time.Minute
	accessLife  = 60 * 24 * time.Hour
	refreshLife = 365 * 24 * time.Hour
)

// checkToken refuses a token that LinkedIn does not take for a call, or takes no more.
func (s *simulator) checkToken(token string, r *http.Request) (refusal, bool) {
	needed := neededFor(r)
	switch held, isTicket, state := s.oauth.Read(token); {
	case state == oauth.Void:
		return refusal{Status: http.StatusUnauthorized, Service: 65600, Code: "INVALID_ACCESS_TOKEN", Message: "Invalid access token"}, true
	case state == oauth.Expired:
		return expiredToken(), true
	case isTicket && needed != "" && !slices.Contains(strings.Split(held.Scope, ","), needed):
		return denied(strings.TrimPrefix(r.URL.Path, "/") + "." + r.Method), true
	default:
		return refusal{}, false
	}
}

func expiredToken() refusal {
	return refusal{Status: http.StatusUnauthorized, Service: 65602, Code: "EXPIRED_ACCESS_TOKEN", Message: "The token used in the request has expired"}
}

// The scopes of LinkedIn's products: the open ones, and Community Management, which has to be
// the only one of its app. The simulator's app is of either, as it is asked.
func openScopes() []string { return []string{"openid", "profile", "email", "w_member_social"} }

func communityScopes() []string {
	return []string{
		"r_basicprofile", "w_member_social", "r_organization_social", "w_organization_social",
		"r_organization_social_feed", "w_organization_social_feed", "rw_organization_admin",
	}
}

// unauthorized returns the first scope that the app does not have; empty: it has them all.
func unauthorized(consent simulation.Consent) string {
	scopes := strings.Fields(consent.Scope)
	missing := func(of []string) int {
		return slices.IndexFunc(scopes, func(scope string) bool { return !slices.Contains(of, scope) })
	}
	if first := missing(communityScopes()); first >= 0 && missing(openScopes()) >= 0 {
		return scopes[first]
	}
	return ""
}

// neededFor is the scope that a call needs, of the tokens that say what was granted.
func neededFor(r *http.Request) string {
	switch r.URL.Path {
	case "/v2/userinfo":
		return "openid"
	case "/v2/me":
		return "r_basicprofile"
	case "/rest/organizationAcls", "/rest/organizationalEntityShareStatistics":
		return "rw_organization_admin"
	default:
		return ""
	}
}

// errMismatch is how LinkedIn refuses codes, whatever is wrong: as reported in
// github.com/d3xt3r2909/linkedin_login, issues 75 and 77.
const errMismatch = "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. " +
	"Or authorization code expired. Or external member binding exists"

// newOAuth makes LinkedIn's OAuth (shared/authentication/authorization-code-flow). There is no PKCE in
// this flow. The app is one of those that are given refresh tokens.
func newOAuth(w *simulation.World) *oauth.Flow {
	return oauth.New(w, oauth.Page{
		CodeLife: codeLife, MayAskNone: true, Unknown: unauthorized, Refuse: refusePage,
		Denied: url.Values{"error": {"user_cancelled_authorize"}, "error_description": {"The user cancelled the authorization"}},
		Left:   url.Values{"error": {"user_cancelled_login"}, "error_description": {"The user cancelled LinkedIn login"}},
	}, oauth.Tokens{
		AccessLife: accessLife, RefreshLife: refreshLife, Renewal: oauth.Repeated, Plain: "w_member_social", Separator: ",",
		Expires: "refresh_token_expires_in",
		Deny: oauth.Denials(map[oauth.Wrong]oauth.Denial{
			oauth.Nothing:           {Status: http.StatusBadRequest, Code: "invalid_request", Description: errMismatch},
			oauth.WrongApp:          {Status: http.StatusUnauthorized, Code: "invalid_client", Description: "Client authentication failed"},
			oauth.WrongTarget:       {Status: http.StatusBadRequest, Code: "invalid_redirect_uri", Description: errMismatch},
			oauth.WrongRefreshToken: {Status: http.StatusBadRequest, Code: "invalid_grant", Description: "The provided authorization grant or refresh token is invalid, expired or revoked"},
			oauth.WrongGrant:        {Status: http.StatusBadRequest, Code: "unsupported_grant_type", Description: "The grant type is not supported"},
		}, nil),
	})
}

// refusePage sends the member back at once whose app does not have a scope; what is wrong with the app
// itself is told on the page.
func refusePage(rw http.ResponseWriter, r *http.Request, w oauth.Wrong, consent simulation.Consent) {
	switch w {
	case oauth.WrongScope:
		simulation.SendBack(rw, r, consent, url.Values{
			"error":             {"unauthorized_scope_error"},
			"error_description": {"Scope &quot;" + unauthorized(consent) + "&quot; is not authorized for your application"},
		})
	case oauth.WrongTarget:
		http.Error(rw, "The redirect_uri does not match the registered value.", http.StatusBadRequest)
	default:
		http.Error(rw, "The passed in client_id is invalid.", http.StatusBadRequest)
	}
}
