package mastodon

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// codeLife is how long a code works: Doorkeeper's default, which Mastodon leaves as it is.
const codeLife = 10 * time.Minute

// knownScopes are those the simulator grants (docs.joinmastodon.org/api/oauth-scopes).
func knownScopes() []string {
	return []string{"read", "write", "profile", "read:accounts", "read:statuses", "read:notifications", "write:media", "write:statuses"}
}

// The wording of Doorkeeper's errors (RFC 6749, 4.1.2.1 and 5.2).
const (
	errDenied        = "The resource owner or authorization server denied the request."
	errInvalidClient = "Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method."
	errInvalidGrant  = "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client."
	errInvalidScope  = "The requested scope is invalid, unknown, or malformed."
)

// register makes an app. Its id says which address it sends people back to, so that nothing
// is to be kept (docs.joinmastodon.org/methods/apps/#create).
func (s *simulator) register(rw http.ResponseWriter, r *http.Request) {
	name, redirect, scopes := r.PostFormValue("client_name"), r.PostFormValue("redirect_uris"), r.PostFormValue("scopes")
	if u, err := url.Parse(redirect); name == "" || err != nil || !u.IsAbs() {
		refuse(rw, http.StatusUnprocessableEntity, "Validation failed: Redirect URI must be an absolute URI.")
		return
	}
	if softwareOf(r) == pixelfed {
		scopes = pixelfedScopes
	}
	id := clientOf(redirect, scopes)
	answer(rw, http.StatusOK, object{
		"id": id, "name": name, "website": nil, "scopes": strings.Fields(scopes), "redirect_uris": []string{redirect},
		"redirect_uri": redirect, "client_id": id, "client_secret": secretOf(id), "client_secret_expires_at": 0, "vapid_key": "",
	})
}

// clientOf names an app by the address it sends people back to, and what it may ask for.
func clientOf(redirect, scopes string) string {
	sum := sha256.Sum256([]byte("client " + redirect + " " + scopes))
	return hex.EncodeToString(sum[:16]) + "." + base64.RawURLEncoding.EncodeToString([]byte(scopes))
}

// scopesOf returns what an app was registered with.
func scopesOf(client string) string {
	_, encoded, _ := strings.Cut(client, ".")
	scopes, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return ""
	}
	return string(scopes)
}

func secretOf(client string) string {
	sum := sha256.Sum256([]byte("secret " + client))
	return hex.EncodeToString(sum[:])
}

// newOAuth makes the server's page of consent (docs.joinmastodon.org/methods/oauth/#authorize). A server
// grants no more than an app was registered with.
func newOAuth(w *simulation.World) *oauth.Flow {
	return oauth.New(w, oauth.Page{
		CodeLife: codeLife, PKCE: oauth.Taken, MayAskNone: true,
		Denied: url.Values{"error": {"access_denied"}, "error_description": {errDenied}},
		Knows: func(consent simulation.Consent) bool {
			return consent.ClientID != "" && consent.ClientID == clientOf(consent.Redirect, scopesOf(consent.ClientID))
		},
		Unknown: func(consent simulation.Consent) string {
			for _, scope := range strings.Fields(consent.Scope) {
				if !slices.Contains(strings.Fields(scopesOf(consent.ClientID)), scope) || !slices.Contains(knownScopes(), scope) {
					return scope
				}
			}
			return ""
		},
		Refuse: func(rw http.ResponseWriter, _ *http.Request, w oauth.Wrong, _ simulation.Consent) {
			switch w {
			case oauth.WrongChallenge:
				refuseOAuth(rw, http.StatusBadRequest, "invalid_code_challenge_method", "The code_challenge_method must be S256.")
			case oauth.WrongScope:
				refuseOAuth(rw, http.StatusBadRequest, "invalid_scope", errInvalidScope)
			default:
				refuseOAuth(rw, http.StatusUnauthorized, "invalid_client", errInvalidClient)
			}
		},
	}, oauth.Tokens{})
}

// token trades a code for a token that does not end (docs.joinmastodon.org/methods/oauth/#token).
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	client := r.PostFormValue("client_id")
	if client == "" || r.PostFormValue("client_secret") != secretOf(client) {
		refuseOAuth(rw, http.StatusUnauthorized, "invalid_client", errInvalidClient)
		return
	}
	if r.PostFormValue("grant_type") != "authorization_code" {
		refuseOAuth(rw, http.StatusBadRequest, "unsupported_grant_type", "The authorization grant type is not supported by the authorization server.")
		return
	}
	granted, wrong := s.oauth.Redeem(r, client)
	if wrong != oauth.Nothing {
		refuseOAuth(rw, http.StatusBadRequest, "invalid_grant", errInvalidGrant)
		return
	}
	token := granted.Token()
	s.world.Account(token).Data.Store(grantedKey, strings.Fields(granted.Scope))
	if softwareOf(r) == pixelfed {
		answer(rw, http.StatusOK, object{"access_token": token, "token_type": "Bearer", "expires_in": int(pixelfedLife.Seconds())})
		return
	}
	answer(rw, http.StatusOK, object{
		"access_token": token, "token_type": "Bearer", "scope": granted.Scope, "created_at": s.world.Now().Unix(),
	})
}

// grantedKey is where an account keeps what its person has granted last. It does not outlive the
// process.
const grantedKey = "granted scopes"

// mayRead reports whether a person who consented has granted a scope, by its name or that of all
// that are like it. Other tokens may do everything.
func mayRead(a *simulation.Account, scope string) bool {
	granted, ok := a.Data.Load(grantedKey)
	if !ok {
		return true
	}
	kind, _, _ := strings.Cut(scope, ":")
	return slices.Contains(granted.([]string), scope) || slices.Contains(granted.([]string), kind)
}

// revoke ends a token; one that is unknown is none any more either
// (docs.joinmastodon.org/methods/oauth/#revoke).
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	client := r.PostFormValue("client_id")
	if client == "" || r.PostFormValue("client_secret") != secretOf(client) {
		refuseOAuth(rw, http.StatusForbidden, "unauthorized_client", "You are not authorized to revoke this token")
		return
	}
	s.world.Revoke(r.PostFormValue("token"))
	answer(rw, http.StatusOK, object{})
}

func refuseOAuth(rw http.ResponseWriter, status int, code, description string) {
	answer(rw, status, object{"error": code, "error_description": description})
}
