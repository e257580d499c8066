package pinterest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// How long things live (getting-started/set-up-authentication-and-authorization; of codes it
// says nothing).
const (
	codeLife    = 10 * time.Minute
	accessLife  = 30 * 24 * time.Hour
	refreshLife = 60 * 24 * time.Hour
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

// personOf names whose token it is.
func personOf(token string) string { return strings.TrimPrefix(token, renewed) }

// knownScopes are those of people, without those of advertisers.
func knownScopes() []string {
	return []string{
		"boards:read", "boards:read_secret", "boards:write", "boards:write_secret", "pins:read", "pins:read_secret",
		"pins:write", "pins:write_secret", "user_accounts:read", "user_accounts:write",
	}
}

// neededFor returns the scopes of a call.
func neededFor(r *http.Request) []string {
	switch path := strings.TrimPrefix(r.URL.Path, "/v5/"); {
	case path == "user_account":
		return []string{"user_accounts:read"}
	case path == "pins" && r.Method == http.MethodPost:
		return []string{"boards:read", "boards:write", "pins:read", "pins:write"}
	case path == "media" && r.Method == http.MethodPost:
		return []string{"pins:read", "pins:write"}
	case strings.HasPrefix(path, "media/"):
		return []string{"pins:read"}
	case strings.HasPrefix(path, "pins/") || strings.HasSuffix(path, "/pins"):
		return []string{"boards:read", "pins:read"}
	default:
		return []string{"boards:read"}
	}
}

// checkToken refuses a token that Pinterest does not take for a call, or takes no more.
func (s *simulator) checkToken(token string, r *http.Request) *refusal {
	held, isTicket := simulation.ParseTicket(token)
	switch {
	case strings.TrimSpace(token) == "" || isTicket && (held.Kind != accessKind || !s.world.Now().Before(held.Expires)):
		return authenticationFailed()
	case !isTicket:
		return nil
	}
	granted := strings.Fields(held.Scope)
	if slices.ContainsFunc(neededFor(r), func(scope string) bool { return !slices.Contains(granted, scope) }) {
		return missingScope()
	}
	return nil
}

// authorize shows the page of consent and takes what the person answers. There is no PKCE.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope")}
	redirect, err := url.Parse(asked.Redirect)
	isUnknown := func(scope string) bool { return !slices.Contains(knownScopes(), scope) }
	switch {
	case asked.ClientID != simulation.AppID || q.Get("response_type") != "code":
		http.Error(rw, "Invalid client_id or response_type.", http.StatusBadRequest)
	case err != nil || !redirect.IsAbs() || redirect.Fragment != "":
		http.Error(rw, "The redirect_uri does not match a registered one.", http.StatusBadRequest)
	case asked.Scope == "" || slices.ContainsFunc(simulation.SplitScopes(asked.Scope), isUnknown):
		http.Error(rw, "Invalid scope: "+asked.Scope, http.StatusBadRequest)
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{"error": {"access_denied"}, "error_description": {"The user denied access"}})
	default:
		s.consents.Ask(rw, asked)
	}
}

// token trades a code or a refresh token.
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	if id, secret, ok := r.BasicAuth(); !ok || id != simulation.AppID || secret != simulation.AppSecret {
		authenticationFailed().writeTo(rw)
		return
	}
	switch kind := r.PostFormValue("grant_type"); kind {
	case "authorization_code":
		granted, err := s.consents.Redeem(r.PostFormValue("code"), simulation.AppID, r.PostFormValue("redirect_uri"), "")
		if err != nil {
			bad("Invalid request: the authorization code is not valid").writeTo(rw)
			return
		}
		s.answerTokens(rw, kind, simulation.Ticket{Account: granted.Token(), Scope: strings.Join(simulation.SplitScopes(granted.Scope), " ")})
	case "refresh_token":
		held, ok := s.readRefreshToken(r.PostFormValue("refresh_token"))
		if !ok {
			bad("Invalid request: the refresh token is not valid").writeTo(rw)
			return
		}
		s.answerTokens(rw, kind, held)
	default:
		bad("Invalid request: 'grant_type' is not one that is supported").writeTo(rw)
	}
}

// readRefreshToken reads a refresh token, of whatever form. One that was traded works on until
// it expires.
func (s *simulator) readRefreshToken(token string) (simulation.Ticket, bool) {
	held, isTicket := simulation.ParseTicket(token)
	if isTicket {
		return held, held.Kind == refreshKind && s.world.Now().Before(held.Expires)
	}
	held = simulation.Ticket{Account: strings.TrimPrefix(token, refreshOf)}
	return held, token != "" && !strings.HasPrefix(token, "expired")
}

// answerTokens answers with a pair of new tokens.
func (s *simulator) answerTokens(rw http.ResponseWriter, grant string, held simulation.Ticket) {
	now := s.world.Now()
	access, refresh, scope := renewed+held.Account, refreshOf+held.Account, strings.Join(knownScopes(), " ")
	if held.Scope != "" {
		scope = held.Scope
		access = simulation.Ticket{Kind: accessKind, Account: held.Account, Scope: scope, Expires: now.Add(accessLife)}.Issue()
		refresh = simulation.Ticket{Kind: refreshKind, Account: held.Account, Scope: scope, Expires: now.Add(refreshLife)}.Issue()
	}
	answer(rw, http.StatusOK, map[string]any{
		"access_token": access, "refresh_token": refresh, "response_type": grant, "token_type": "bearer", "scope": scope,
		"expires_in": int(accessLife.Seconds()), "refresh_token_expires_in": int(refreshLife.Seconds()),
		"refresh_token_expires_at": now.Add(refreshLife).Unix(),
	})
}
