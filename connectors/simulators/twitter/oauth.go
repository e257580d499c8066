package twitter

import (
	"net/http"
	"net/url"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

const (
	codeLife   = 30 * time.Second
	accessLife = 2 * time.Hour
	// maxState is how long a state may be.
	maxState = 500
)

func knownScopes() []string {
	return []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access", "tweet.moderate.write"}
}

// newOAuth makes X's OAuth (docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code). X tells
// an app nothing of a request that it cannot make out: the page says so. What it says to a token or a code
// that it does not take is an invalid_request, as reported in github.com/plhery/node-twitter-api-v2, issue
// 496, and github.com/xdevplatform/twitter-api-typescript-sdk, issue 26.
func newOAuth(w *simulation.World) *oauth.Flow {
	invalid := func(description string) oauth.Denial {
		return oauth.Denial{Status: http.StatusBadRequest, Code: "invalid_request", Description: description}
	}
	return oauth.New(w, oauth.Page{
		CodeLife: codeLife, PKCE: oauth.Required, MaxState: maxState, Scopes: knownScopes(), Denied: url.Values{"error": {"access_denied"}},
		Refuse: oauth.Texts(map[oauth.Wrong]string{oauth.Nothing: "Something went wrong: the app was given no access."}),
	}, oauth.Tokens{
		AccessLife: accessLife, Renewal: oauth.Once, Offline: "offline.access", Basic: true, Public: true,
		Complete: func(fields map[string]any, _ string, _ simulation.Ticket) { fields["token_type"] = "bearer" },
		Deny: oauth.Denials(map[oauth.Wrong]oauth.Denial{
			oauth.WrongForm:         invalid("The form cannot be read."),
			oauth.WrongTarget:       invalid("Value passed for the redirect uri did not match the uri of the authorization code."),
			oauth.WrongVerifier:     invalid("Value passed for the code verifier did not match the code challenge."),
			oauth.WrongCode:         invalid("Value passed for the authorization code was invalid."),
			oauth.WrongRefreshToken: invalid("Value passed for the token was invalid."),
			oauth.WrongApp:          {Status: http.StatusUnauthorized, Code: "invalid_client", Description: "The client is not known."},
			oauth.NoSecret:          {Status: http.StatusUnauthorized, Code: "unauthorized_client", Description: "Missing valid authorization header"},
			oauth.WrongGrant:        {Status: http.StatusBadRequest, Code: "unsupported_grant_type", Description: "The grant type is not supported."},
		}, nil),
	})
}

// isAlive reports whether a bearer token acts for its account.
func (s *simulator) isAlive(token string) bool {
	_, _, state := s.oauth.Read(token)
	return state == oauth.Alive
}

// revoke ends a token; one that has ended already is no error.
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	if s.oauth.Admit(rw, r) {
		s.oauth.Revoke(r.PostForm.Get("token"), false)
		answer(rw, http.StatusOK, object{"revoked": true})
	}
}
