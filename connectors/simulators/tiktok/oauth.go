package tiktok

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// How long tokens live, by the pages of November 2026 (oauth-user-access-token-management).
const (
	accessLife  = 2 * time.Hour
	refreshLife = 180 * 24 * time.Hour
)

// maxState is how long a state may be, as far as the simulator cares.
const maxState = 4096

func knownScopes() []string {
	return []string{
		"user.info.basic", "user.info.profile", "user.info.stats", "video.list", "video.publish", "video.upload",
	}
}

// scopesOf returns what a token may do; alive is false for one that acts for nobody. A token
// of another form than those that are handed out may do everything, and does not end.
func (s *simulator) scopesOf(token string) (scopes []string, alive bool) {
	held, isTicket, state := s.oauth.Read(token)
	if !isTicket {
		return knownScopes(), state == oauth.Alive
	}
	return strings.Split(held.Scope, ","), state == oauth.Alive
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

// newOAuth makes TikTok's OAuth. Codes and refresh tokens work once; the time of a refresh token runs on
// from the consent. Its endpoints refuse flat, and some of it with a status of 200.
func newOAuth(w *simulation.World) *oauth.Flow {
	const failed = "We couldn't log in with TikTok: "
	return oauth.New(w, oauth.Page{
		CodeLife: codeLife, ClientID: "client_key", MaxState: maxState, Scopes: knownScopes(),
		Denied: url.Values{"error": {"access_denied"}, "error_description": {"User cancelled the authorization."}},
		Refuse: oauth.Texts(map[oauth.Wrong]string{
			oauth.Nothing: failed + "param_error", oauth.WrongApp: failed + "client_key", oauth.WrongTarget: failed + "redirect_uri",
			oauth.WrongScope: failed + "scope",
		}),
	}, oauth.Tokens{
		AccessLife: accessLife, RefreshLife: refreshLife, Renewal: oauth.Once, Ends: true, Expires: "refresh_expires_in",
		Complete: func(fields map[string]any, _ string, held simulation.Ticket) {
			fields["open_id"] = openID(w.Account(held.Account))
		},
		Deny: oauth.Denials(map[oauth.Wrong]oauth.Denial{
			oauth.Nothing:           {Status: http.StatusOK, Code: "invalid_grant", Description: "Authorization code is expired."},
			oauth.WrongForm:         {Status: http.StatusBadRequest, Code: "invalid_request", Description: "Only `application/x-www-form-urlencoded` is supported as Content-Type."},
			oauth.WrongApp:          {Status: http.StatusUnauthorized, Code: "invalid_client", Description: "Client key or secret is incorrect."},
			oauth.WrongRefreshToken: {Status: http.StatusOK, Code: "invalid_grant", Description: "Refresh token is invalid or expired."},
			oauth.WrongGrant:        {Status: http.StatusBadRequest, Code: "unsupported_grant_type", Description: "Grant type is not supported."},
		}, map[string]any{"log_id": logID}),
	})
}

// revoke ends a token.
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	if s.oauth.Admit(rw, r) {
		s.oauth.Revoke(r.PostForm.Get("token"), false)
		rw.WriteHeader(http.StatusOK)
	}
}
