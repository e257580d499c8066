package googlebusiness

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// How long things live (developers.google.com/identity/protocols/oauth2). Refresh tokens have
// no end of their own.
const (
	codeLife   = 10 * time.Minute
	accessLife = time.Hour
)

// scopeManage is what every call needs.
const scopeManage = "https://www.googleapis.com/auth/business.manage"

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

// personOf names whose token it is.
func personOf(token string) string { return strings.TrimPrefix(token, renewed) }

// ownerOf is whom a ticket was given to: all tokens of one consent end together.
func ownerOf(t simulation.Ticket) string { return "owner " + t.Account }

// checkToken refuses a token that Google does not take for a call, or takes no more.
func (s *simulator) checkToken(token string) *refusal {
	held, isTicket := simulation.ParseTicket(token)
	switch {
	case strings.TrimSpace(token) == "" || s.world.Revoked(token),
		isTicket && (held.Kind != accessKind || !s.world.Now().Before(held.Expires) || s.world.Revoked(ownerOf(held))):
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

// authorize shows the page of consent and takes what the person answers
// (developers.google.com/identity/protocols/oauth2/web-server). What is wrong with the request
// is told on the page.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{
		ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope"), Challenge: q.Get("code_challenge"),
	}
	redirect, err := url.Parse(asked.Redirect)
	known := func(scope string) bool { return scope == scopeManage || scope == "openid" || scope == "email" }
	scopes := strings.Fields(asked.Scope)
	switch {
	case asked.ClientID != simulation.AppID:
		http.Error(rw, "Error 401: invalid_client", http.StatusUnauthorized)
	case err != nil || !redirect.IsAbs() || redirect.Fragment != "":
		http.Error(rw, "Error 400: redirect_uri_mismatch", http.StatusBadRequest)
	case q.Get("response_type") != "code", asked.Challenge != "" && q.Get("code_challenge_method") != "S256":
		http.Error(rw, "Error 400: invalid_request", http.StatusBadRequest)
	case q.Get("access_type") != "offline" || !slices.Contains(strings.Fields(q.Get("prompt")), "consent"):
		http.Error(rw, "A simulator shortens this: without access_type=offline and prompt=consent there may be no refresh token.", http.StatusBadRequest)
	case len(scopes) == 0 || slices.ContainsFunc(scopes, func(scope string) bool { return !known(scope) }):
		http.Error(rw, "Error 400: invalid_scope", http.StatusBadRequest)
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{"error": {"access_denied"}})
	default:
		s.consents.Ask(rw, asked)
	}
}

// token trades a code or a refresh token. Refusals are as OAuth 2.0 says (RFC 6749, 5.2).
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	deny := func(status int, code, description string) {
		answer(rw, status, map[string]string{"error": code, "error_description": description})
	}
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	if r.PostFormValue("client_id") != simulation.AppID || r.PostFormValue("client_secret") != simulation.AppSecret {
		deny(http.StatusUnauthorized, "invalid_client", "The OAuth client was not found.")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		granted, err := s.consents.Redeem(r.PostFormValue("code"), simulation.AppID, r.PostFormValue("redirect_uri"), r.PostFormValue("code_verifier"))
		switch {
		case errors.Is(err, simulation.ErrRedirect):
			deny(http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request")
		case errors.Is(err, simulation.ErrVerifier):
			deny(http.StatusBadRequest, "invalid_grant", "Invalid code verifier.")
		case err != nil:
			deny(http.StatusBadRequest, "invalid_grant", "Malformed auth code.")
		default:
			held := simulation.Ticket{Kind: refreshKind, Account: granted.Token(), Scope: granted.Scope}
			tokens := s.accessOf(held)
			tokens["refresh_token"] = held.Issue()
			answer(rw, http.StatusOK, tokens)
		}
	case "refresh_token":
		held, ok := s.readRefreshToken(r.PostFormValue("refresh_token"))
		if !ok {
			deny(http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
			return
		}
		answer(rw, http.StatusOK, s.accessOf(held))
	default:
		deny(http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+r.PostFormValue("grant_type"))
	}
}

// readRefreshToken reads a refresh token, of whatever form.
func (s *simulator) readRefreshToken(token string) (simulation.Ticket, bool) {
	if held, isTicket := simulation.ParseTicket(token); isTicket {
		return held, held.Kind == refreshKind && !s.world.Revoked(ownerOf(held))
	}
	return simulation.Ticket{Account: strings.TrimPrefix(token, refreshOf), Scope: scopeManage}, strings.HasPrefix(token, refreshOf) && !s.world.Revoked(token)
}

// accessOf is a new access token. The refresh token stays the same and is not repeated.
func (s *simulator) accessOf(held simulation.Ticket) map[string]any {
	access := renewed + held.Account
	if held.Kind == refreshKind {
		access = simulation.Ticket{Kind: accessKind, Account: held.Account, Scope: held.Scope, Expires: s.world.Now().Add(accessLife)}.Issue()
	}
	return map[string]any{
		"access_token": access, "expires_in": int(accessLife.Seconds()) - 1, "scope": held.Scope, "token_type": "Bearer",
	}
}

// revoke ends all that the owner of a token has granted.
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	token := r.FormValue("token")
	held, isTicket := simulation.ParseTicket(token)
	if isTicket {
		token = ownerOf(held)
	}
	if token == "" || s.world.Revoked(token) {
		answer(rw, http.StatusBadRequest, map[string]string{"error": "invalid_token", "error_description": "Token expired or revoked"})
		return
	}
	s.world.Revoke(token)
	answer(rw, http.StatusOK, map[string]any{})
}
