package youtube

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// How long things live (developers.google.com/identity/protocols/oauth2). A refresh token that
// is used lives on.
const (
	codeLife    = 10 * time.Minute
	accessLife  = time.Hour
	refreshLife = 180 * 24 * time.Hour
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

// writeScopes are those of which each is enough for all that the simulator takes.
func writeScopes() []string {
	return []string{"https://www.googleapis.com/auth/youtube", "https://www.googleapis.com/auth/youtube.force-ssl"}
}

// ownerOf names whose token it is.
func ownerOf(token string) string { return strings.TrimPrefix(token, renewed) }

// checkToken refuses a token that Google does not take.
func (s *simulator) checkToken(token string) error {
	held, isTicket := simulation.ParseTicket(token)
	has := func(scope string) bool { return slices.Contains(writeScopes(), scope) }
	switch {
	case strings.TrimSpace(token) == "" || s.world.Revoked(token) || isTicket && (held.Kind != accessKind || s.world.Revoked(held.Account)):
		return badCredentials()
	case isTicket && !s.world.Now().Before(held.Expires):
		return badCredentials()
	case isTicket && !slices.ContainsFunc(strings.Fields(held.Scope), has):
		return badScope()
	default:
		return nil
	}
}

// authorize shows the page of consent and takes what the person answers
// (developers.google.com/identity/protocols/oauth2/web-server). What is wrong with the request is
// told on the page.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{
		ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope"), Challenge: q.Get("code_challenge"),
	}
	redirect, err := url.Parse(asked.Redirect)
	switch {
	case asked.ClientID != simulation.AppID:
		http.Error(rw, "Error 401: invalid_client", http.StatusUnauthorized)
	case q.Get("response_type") != "code" || asked.Scope == "" || q.Has("code_challenge") && q.Get("code_challenge_method") != "S256":
		http.Error(rw, "Error 400: invalid_request", http.StatusBadRequest)
	case err != nil || !redirect.IsAbs() || redirect.Fragment != "":
		http.Error(rw, "Error 400: redirect_uri_mismatch", http.StatusBadRequest)
	case q.Get("access_type") != "offline" || !slices.Contains(strings.Fields(q.Get("prompt")), "consent"):
		http.Error(rw, "this simulator gives no tokens that cannot be refreshed", http.StatusBadRequest)
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{"error": {"access_denied"}})
	default:
		s.consents.Ask(rw, asked)
	}
}

// token trades a code or a refresh token.
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, description string) {
		answer(rw, status, map[string]string{"error": code, "error_description": description})
	}
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	if r.PostFormValue("client_id") != simulation.AppID || r.PostFormValue("client_secret") != simulation.AppSecret {
		refuse(http.StatusUnauthorized, "invalid_client", "The OAuth client was not found.")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		granted, err := s.consents.Redeem(r.PostFormValue("code"), simulation.AppID, r.PostFormValue("redirect_uri"), r.PostFormValue("code_verifier"))
		switch {
		case errors.Is(err, simulation.ErrRedirect):
			refuse(http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request")
		case errors.Is(err, simulation.ErrVerifier):
			refuse(http.StatusBadRequest, "invalid_grant", "Invalid code verifier.")
		case err != nil:
			refuse(http.StatusBadRequest, "invalid_grant", "Malformed auth code.")
		default:
			held := simulation.Ticket{Kind: refreshKind, Account: granted.Token(), Scope: granted.Scope, Expires: s.world.Now().Add(refreshLife)}
			s.answerTokens(rw, held, held.Issue())
		}
	case "refresh_token":
		held, ok := s.readRefreshToken(r.PostFormValue("refresh_token"))
		if !ok {
			refuse(http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
			return
		}
		s.answerTokens(rw, held, "")
	default:
		refuse(http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type")
	}
}

// readRefreshToken reads a refresh token, of whatever form.
func (s *simulator) readRefreshToken(token string) (simulation.Ticket, bool) {
	held, isTicket := simulation.ParseTicket(token)
	if isTicket {
		return held, held.Kind == refreshKind && s.world.Now().Before(held.Expires) && !s.world.Revoked(held.Account)
	}
	held = simulation.Ticket{Account: strings.TrimPrefix(token, refreshOf), Scope: writeScopes()[1]}
	return held, token != "" && !strings.HasPrefix(token, "expired") && !s.world.Revoked(token)
}

// answerTokens answers with a new access token, beside a refresh token where that is new.
func (s *simulator) answerTokens(rw http.ResponseWriter, held simulation.Ticket, refreshToken string) {
	access := renewed + held.Account
	if held.Kind == refreshKind {
		access = simulation.Ticket{Kind: accessKind, Account: held.Account, Scope: held.Scope, Expires: s.world.Now().Add(accessLife)}.Issue()
	}
	body := map[string]any{"access_token": access, "expires_in": int(accessLife.Seconds()) - 1, "scope": held.Scope, "token_type": "Bearer"}
	if refreshToken != "" {
		body["refresh_token"] = refreshToken
	}
	answer(rw, http.StatusOK, body)
}

// revoke ends all tokens of the grant that one is of.
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	token := r.FormValue("token")
	if token == "" || s.world.Revoked(token) {
		answer(rw, http.StatusBadRequest, map[string]string{"error": "invalid_token", "error_description": "Token expired or revoked"})
		return
	}
	s.world.Revoke(token)
	if held, isTicket := simulation.ParseTicket(token); isTicket {
		s.world.Revoke(held.Account)
	}
	answer(rw, http.StatusOK, map[string]any{})
}
