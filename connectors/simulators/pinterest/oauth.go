package pinterest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// How long things live (getting-started/set-up-authentication-and-authorization; of codes it
// says nothing).
const (
	codeLife    = 10 * time.Minute
	accessLife  = 30 * 24 * time.Hour
	refreshLife = 60 * 24 * time.Hour
)

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
	held, isTicket, state := s.oauth.Read(token)
	granted := strings.Fields(held.Scope)
	switch {
	case state != oauth.Alive:
		return authenticationFailed()
	case isTicket && slices.ContainsFunc(neededFor(r), func(scope string) bool { return !slices.Contains(granted, scope) }):
		return missingScope()
	default:
		return nil
	}
}

// newOAuth makes Pinterest's OAuth. There is no PKCE. A refresh token that was traded works on until it
// expires.
func newOAuth(w *simulation.World) *oauth.Flow {
	return oauth.New(w, oauth.Page{
		CodeLife: codeLife, Scopes: knownScopes(),
		Denied: url.Values{"error": {"access_denied"}, "error_description": {"The user denied access"}},
		Refuse: oauth.Texts(map[oauth.Wrong]string{
			oauth.Nothing:     "Invalid client_id or response_type.",
			oauth.WrongTarget: "The redirect_uri does not match a registered one.",
			oauth.WrongScope:  "Invalid scope: {scope}",
		}),
	}, oauth.Tokens{
		AccessLife: accessLife, RefreshLife: refreshLife, Renewal: oauth.Renewed, Plain: strings.Join(knownScopes(), " "), Separator: " ",
		Expires: "refresh_token_expires_in", Basic: true, Deny: deny,
		Complete: func(fields map[string]any, grant string, _ simulation.Ticket) {
			fields["token_type"], fields["response_type"] = "bearer", grant
			fields["refresh_token_expires_at"] = w.Now().Add(refreshLife).Unix()
		},
	})
}

func deny(rw http.ResponseWriter, w oauth.Wrong, grant string) {
	switch {
	case w == oauth.WrongApp || w == oauth.NoSecret || w == oauth.WrongForm:
		authenticationFailed().writeTo(rw)
	case w == oauth.WrongRefreshToken:
		bad("Invalid request: the refresh token is not valid").writeTo(rw)
	case grant == "authorization_code":
		bad("Invalid request: the authorization code is not valid").writeTo(rw)
	default:
		bad("Invalid request: 'grant_type' is not one that is supported").writeTo(rw)
	}
}
