package tiktok

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// How long tokens live, by the pages of November 2026 (oauth-user-access-token-management).
const (
	accessLife  = 2 * time.Hour
	refreshLife = 180 * 24 * time.Hour
)

// The kinds of tickets.
const (
	accessKind  = "access"
	refreshKind = "refresh"
)

func knownScopes() []string {
	return []string{
		"user.info.basic", "user.info.profile", "user.info.stats", "video.list", "video.publish", "video.upload",
	}
}

// scopesOf returns what a token may do; alive is false for one that acts for nobody. A token
// of another form than those that are handed out may do everything, and does not end.
func (s *simulator) scopesOf(token string) (scopes []string, alive bool) {
	held, isTicket := simulation.ParseTicket(token)
	switch {
	case s.world.Revoked(token):
		return nil, false
	case !isTicket:
		return knownScopes(), true
	default:
		return strings.Split(held.Scope, ","), held.Kind == accessKind && s.world.Now().Before(held.Expires)
	}
}

// nameOf returns whose token it is.
func nameOf(token string) string {
	if held, isTicket := simulation.ParseTicket(token); isTicket {
		token = held.Account
	}
	if name, granted := simulation.Grantee(token); granted {
		return name
	}
	return token
}

// authorize shows the page of consent and takes what the person answers.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{ClientID: q.Get("client_key"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope")}
	redirect, err := url.Parse(asked.Redirect)
	scopes := strings.Split(asked.Scope, ",")
	switch {
	case asked.ClientID != simulation.AppID:
		http.Error(rw, "We couldn't log in with TikTok: client_key", http.StatusBadRequest)
	case err != nil || !redirect.IsAbs():
		http.Error(rw, "We couldn't log in with TikTok: redirect_uri", http.StatusBadRequest)
	case q.Get("response_type") != "code" || asked.State == "":
		http.Error(rw, "We couldn't log in with TikTok: param_error", http.StatusBadRequest)
	case slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(knownScopes(), scope) }):
		http.Error(rw, "We couldn't log in with TikTok: scope", http.StatusBadRequest)
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{"error": {"access_denied"}, "error_description": {"User cancelled the authorization."}})
	default:
		s.consents.Ask(rw, asked)
	}
}

// deny is how the endpoints of OAuth refuse: flat, and some of it with a status of 200.
func deny(rw http.ResponseWriter, status int, code, description string) {
	answer(rw, status, map[string]string{"error": code, "error_description": description, "log_id": logID})
}

// readApp reads a form of the app.
func readApp(rw http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	if err := r.ParseForm(); err != nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		deny(rw, http.StatusBadRequest, "invalid_request", "Only `application/x-www-form-urlencoded` is supported as Content-Type.")
		return false
	}
	if r.PostForm.Get("client_key") != simulation.AppID || r.PostForm.Get("client_secret") != simulation.AppSecret {
		deny(rw, http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect.")
		return false
	}
	return true
}

// token trades a code or a refresh token, each of which works once, for a pair of tokens.
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	if !readApp(rw, r) {
		return
	}
	switch form := r.PostForm; form.Get("grant_type") {
	case "authorization_code":
		granted, err := s.consents.Redeem(form.Get("code"), simulation.AppID, form.Get("redirect_uri"), "")
		if err != nil {
			deny(rw, http.StatusOK, "invalid_grant", "Authorization code is expired.")
			return
		}
		s.hand(rw, simulation.Ticket{Account: granted.Token(), Scope: granted.Scope})
	case "refresh_token":
		held, ok := simulation.ParseTicket(form.Get("refresh_token"))
		if !ok || held.Kind != refreshKind || !s.world.Now().Before(held.Expires) || s.world.Revoked(form.Get("refresh_token")) ||
			s.world.EndOf(s.world.Account(held.Account).ID) == simulation.Revoked {
			deny(rw, http.StatusOK, "invalid_grant", "Refresh token is invalid or expired.")
			return
		}
		s.world.Revoke(form.Get("refresh_token"))
		s.hand(rw, held)
	default:
		deny(rw, http.StatusBadRequest, "unsupported_grant_type", "Grant type is not supported.")
	}
}

// hand answers with a new pair of tokens. The time of a refresh token runs on from the consent.
func (s *simulator) hand(rw http.ResponseWriter, held simulation.Ticket) {
	now := s.world.Now()
	access, refresh := held, held
	access.Kind, access.Expires = accessKind, now.Add(accessLife)
	if refresh.Kind = refreshKind; refresh.Expires.IsZero() {
		refresh.Expires = now.Add(refreshLife)
	}
	answer(rw, http.StatusOK, map[string]any{
		"access_token": access.Issue(), "expires_in": int(accessLife.Seconds()), "token_type": "Bearer",
		"refresh_token": refresh.Issue(), "refresh_expires_in": int(refresh.Expires.Sub(now).Seconds()),
		"open_id": openID(s.world.Account(held.Account)), "scope": held.Scope,
	})
}

// revoke ends a token.
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	if !readApp(rw, r) {
		return
	}
	s.world.Revoke(r.PostForm.Get("token"))
	rw.WriteHeader(http.StatusOK)
}
