package oauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

const googleAccessLife = time.Hour

// NewGoogle makes the OAuth of Google's platforms (developers.google.com/identity/protocols/oauth2,
// -/web-server). What is wrong with a request is told on the page; refresh tokens that nobody consented
// to have the scope plain.
func NewGoogle(w *simulation.World, scopes []string, plain string, refreshLife time.Duration) *Flow {
	return New(w, Page{
		CodeLife: 10 * time.Minute, PKCE: Taken, Scopes: scopes, Denied: url.Values{"error": {"access_denied"}}, Refuse: refuseAsGoogle,
		Fits: func(q url.Values) bool { // there may be no refresh token else, which a simulator shortens
			return q.Get("access_type") == "offline" && slices.Contains(strings.Fields(q.Get("prompt")), "consent")
		},
	}, Tokens{
		AccessLife: googleAccessLife, RefreshLife: refreshLife, Renewal: Silent, Plain: plain,
		Complete: func(fields map[string]any, _ string, _ simulation.Ticket) {
			fields["expires_in"] = seconds(googleAccessLife) - 1
		},
		Deny: Denials(map[Wrong]Denial{
			WrongForm:         {http.StatusBadRequest, "invalid_request", "Bad Request"},
			WrongApp:          {http.StatusUnauthorized, "invalid_client", "The OAuth client was not found."},
			WrongTarget:       {http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request"},
			WrongVerifier:     {http.StatusBadRequest, "invalid_grant", "Invalid code verifier."},
			WrongCode:         {http.StatusBadRequest, "invalid_grant", "Malformed auth code."},
			WrongRefreshToken: {http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked."},
			WrongGrant:        {http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type"},
		}, nil),
	})
}

func refuseAsGoogle(rw http.ResponseWriter, _ *http.Request, w Wrong, _ simulation.Consent) {
	switch w {
	case WrongApp:
		http.Error(rw, "Error 401: invalid_client", http.StatusUnauthorized)
	case WrongTarget:
		http.Error(rw, "Error 400: redirect_uri_mismatch", http.StatusBadRequest)
	case WrongScope:
		http.Error(rw, "Error 400: invalid_scope", http.StatusBadRequest)
	default:
		http.Error(rw, "Error 400: invalid_request", http.StatusBadRequest)
	}
}

// RevokeAsGoogle ends all that the owner of a token has granted.
func (f *Flow) RevokeAsGoogle(rw http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxBytes)
	token := r.FormValue("token")
	held, isTicket := simulation.ParseTicket(token)
	if token == "" || f.world.Revoked(token) || isTicket && f.world.Revoked(held.Account) {
		answer(rw, http.StatusBadRequest, map[string]any{"error": "invalid_token", "error_description": "Token expired or revoked"})
		return
	}
	f.Revoke(token, true)
	answer(rw, http.StatusOK, map[string]any{})
}
