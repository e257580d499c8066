package linkedin

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// How long things live (shared/authentication: authorization-code-flow,
// programmatic-refresh-tokens). The year of a refresh token begins with the consent.
const (
	codeLife    = 30 * time.Minute
	accessLife  = 60 * 24 * time.Hour
	refreshLife = 365 * 24 * time.Hour
)

// The kinds of tickets.
const (
	accessKind  = "access"
	refreshKind = "refresh"
)

// Tokens that are no tickets are of whom they name: the refresh token of "a" is
// "refresh-of-a", and what it is traded for "renewed-a".
const (
	refreshOf = "refresh-of-"
	renewed   = "renewed-"
)

// memberOf names whose token it is.
func memberOf(token string) string { return strings.TrimPrefix(token, renewed) }

// checkToken refuses a token that LinkedIn does not take for a call, or takes no more.
func (s *simulator) checkToken(token string, r *http.Request) (refusal, bool) {
	held, isTicket := simulation.ParseTicket(token)
	needed := neededFor(r)
	switch {
	case strings.TrimSpace(token) == "" || isTicket && held.Kind != accessKind:
		return refusal{Status: http.StatusUnauthorized, Service: 65600, Code: "INVALID_ACCESS_TOKEN", Message: "Invalid access token"}, true
	case isTicket && !s.world.Now().Before(held.Expires):
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
func unauthorized(scopes []string) string {
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

// authorize shows the page of consent and takes what the member answers
// (shared/authentication/authorization-code-flow). There is no PKCE in this flow. A scope that
// the app does not have sends the member back at once; what is wrong with the app itself is
// told on the page.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope")}
	redirect, err := url.Parse(asked.Redirect)
	switch {
	case q.Get("response_type") != "code" || asked.ClientID != simulation.AppID:
		http.Error(rw, "The passed in client_id is invalid.", http.StatusBadRequest)
	case err != nil || !redirect.IsAbs() || redirect.Fragment != "":
		http.Error(rw, "The redirect_uri does not match the registered value.", http.StatusBadRequest)
	case unauthorized(strings.Fields(asked.Scope)) != "":
		s.consents.SendBack(rw, r, asked, url.Values{
			"error":             {"unauthorized_scope_error"},
			"error_description": {"Scope &quot;" + unauthorized(strings.Fields(asked.Scope)) + "&quot; is not authorized for your application"},
		})
	case r.Method == http.MethodPost && r.PostFormValue("crier_answer") == "leave": // no button of the page: who does not even log in
		s.consents.SendBack(rw, r, asked, url.Values{"error": {"user_cancelled_login"}, "error_description": {"The user cancelled LinkedIn login"}})
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{"error": {"user_cancelled_authorize"}, "error_description": {"The user cancelled the authorization"}})
	default:
		s.consents.Ask(rw, asked)
	}
}

// errMismatch is how LinkedIn refuses codes, whatever is wrong: as reported in
// github.com/d3xt3r2909/linkedin_login, issues 75 and 77.
const errMismatch = "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. " +
	"Or authorization code expired. Or external member binding exists"

const errRefreshToken = "The provided authorization grant or refresh token is invalid, expired or revoked"

// token trades a code or a refresh token. A form that is not right is refused as OAuth 2.0
// says. The app is one of those that are given refresh tokens.
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, description string) {
		answer(rw, status, map[string]string{"error": code, "error_description": description})
	}
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	if r.PostFormValue("client_id") != simulation.AppID || r.PostFormValue("client_secret") != simulation.AppSecret {
		refuse(http.StatusUnauthorized, "invalid_client", "Client authentication failed")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		granted, err := s.consents.Redeem(r.PostFormValue("code"), simulation.AppID, r.PostFormValue("redirect_uri"), "")
		switch {
		case errors.Is(err, simulation.ErrRedirect):
			refuse(http.StatusBadRequest, "invalid_redirect_uri", errMismatch)
		case err != nil:
			refuse(http.StatusBadRequest, "invalid_request", errMismatch)
		default:
			held := simulation.Ticket{
				Kind: refreshKind, Account: granted.Token(), Scope: strings.Join(strings.Fields(granted.Scope), ","), Expires: s.world.Now().Add(refreshLife),
			}
			s.answerTokens(rw, held, held.Issue())
		}
	case "refresh_token":
		token := r.PostFormValue("refresh_token")
		held, ok := s.readRefreshToken(token)
		if !ok {
			refuse(http.StatusBadRequest, "invalid_grant", errRefreshToken)
			return
		}
		s.answerTokens(rw, held, token)
	default:
		refuse(http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported")
	}
}

// readRefreshToken reads a refresh token, of whatever form.
func (s *simulator) readRefreshToken(token string) (simulation.Ticket, bool) {
	held, isTicket := simulation.ParseTicket(token)
	if isTicket {
		return held, held.Kind == refreshKind && s.world.Now().Before(held.Expires)
	}
	held = simulation.Ticket{Account: strings.TrimPrefix(token, refreshOf), Scope: "w_member_social", Expires: s.world.Now().Add(refreshLife)}
	return held, token != "" && !strings.HasPrefix(token, "expired")
}

// answerTokens answers with a new access token beside a refresh token, which stays the same.
func (s *simulator) answerTokens(rw http.ResponseWriter, held simulation.Ticket, refreshToken string) {
	now := s.world.Now()
	access := renewed + held.Account
	if held.Kind == refreshKind {
		access = simulation.Ticket{Kind: accessKind, Account: held.Account, Scope: held.Scope, Expires: now.Add(accessLife)}.Issue()
	}
	answer(rw, http.StatusOK, map[string]any{
		"access_token": access, "expires_in": int(accessLife.Seconds()), "scope": held.Scope, "token_type": "Bearer",
		"refresh_token": refreshToken, "refresh_token_expires_in": int(held.Expires.Sub(now).Seconds()),
	})
}
