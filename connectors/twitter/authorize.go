package twitter

import (
	"context"
	"errors"
	"time"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

// scopes returns what crier does on X; the last is for refresh tokens
// (docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code).
func scopes() connectors.Scopes {
	return connectors.Scopes{Publish: []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}}
}

// dialect is how X speaks OAuth. Its page is on another host than the API, a code lives for 30 seconds,
// and an access token for two hours where the answer does not say. A refresh token that X does not take
// is an invalid_request as often as an invalid_grant (github.com/plhery/node-twitter-api-v2, issue 496).
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.Twitter, Name: "X", PKCE: true, Basic: true, Public: true, Unlimited: true, Once: true,
		Life:   2 * time.Hour,
		Page:   defaultWeb + "/i/oauth2/authorize",
		Tokens: DefaultBase + "/2/oauth2/token", OpTokens: opToken,
		Revocation: DefaultBase + "/2/oauth2/revoke", OpRevocation: opRevoke,
		Refusals: map[string]schema.ErrorKind{"invalid_grant": schema.TokenDead, "invalid_request": schema.TokenDead},
	}
}

// Revoke ends both tokens, the one that makes others first.
func (c *Connector) Revoke(ctx context.Context, a schema.Account, credentials schema.Credentials) error {
	var failed error
	for _, token := range []struct{ kind, value string }{
		{"refresh_token", credentials.RefreshToken}, {"access_token", credentials.AccessToken},
	} {
		if token.value != "" {
			failed = errors.Join(failed, c.EndToken(ctx, a, token.kind, token.value))
		}
	}
	return failed
}
