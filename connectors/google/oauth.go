package google

import (
	"net/url"

	"crier/connectors/oauth"
	"crier/schema"
)

// opToken is the call of the token endpoint, as it is called in metrics and logs.
const opToken = "POST oauth2/token"

// Dialect is how Google speaks OAuth for one of its platforms. A refresh token comes with a consent
// alone, so that it is asked for again each time. It stays the same, and may be traded again, so that a
// trade whose answer was lost is repeated.
//
// No token is ever revoked: Google's call for that ends all that a person has granted to the app,
// with it the tokens of every other account of theirs, in whichever workspace it is connected.
func Dialect(p schema.Platform) oauth.Dialect {
	return oauth.Dialect{
		Platform: p, Name: "Google", PKCE: true, Renews: true,
		Page:   "https://accounts.google.com/o/oauth2/v2/auth",
		Tokens: "https://oauth2.googleapis.com/token", OpTokens: opToken,
		Asks: url.Values{"access_type": {"offline"}, "prompt": {"consent select_account"}},
		Refusals: map[string]schema.ErrorKind{
			"invalid_grant": schema.TokenDead, "redirect_uri_mismatch": schema.Refused, "invalid_request": schema.Refused,
		},
	}
}
