package pinterest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

// scopes returns what people are asked for: their boards are listed, and pins made and looked
// at. Secret boards have scopes of their own, which are not asked for.
func scopes() connectors.Scopes {
	return connectors.Scopes{Publish: []string{"boards:read", "boards:write", "pins:read", "pins:write"}}
}

// dialect is how Pinterest speaks OAuth. There is no PKCE in this flow: the app's secret is the proof.
// Apps that were made before 25 September 2025 have to ask for a refresh token that can be renewed for
// ever; others are given one. Access tokens are of 30 days, refresh tokens of 60; whether the old one
// still works after a trade is not documented.
//
// No token is ever revoked: Pinterest ends those of system users alone.
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.Pinterest, Name: "Pinterest", Separator: ",", Basic: true, Once: true,
		Page: webHost + "/oauth/", Tokens: apiHost + version + "/oauth/token", OpTokens: opToken,
		Redeems:  url.Values{"continuous_refresh": {"true"}},
		Refusals: map[string]schema.ErrorKind{badRequest: schema.TokenDead}, Code: codeOfTrade,
	}
}

// badRequest is the code of a refusal of what was given for tokens: Pinterest has none for it.
const badRequest = "bad request"

func codeOfTrade(response *connectors.Response) string {
	if response.Status == http.StatusBadRequest && refusalIn(response.Body).Message != "" {
		return badRequest
	}
	return ""
}

// Refresh trades the refresh token.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	traded, err := c.Flow.Refresh(ctx, a, old)
	if schema.KindOf(err) == schema.TokenDead {
		return schema.Credentials{}, c.refusedTrade(ctx, a, old, err)
	}
	return traded, err
}

// refusedTrade judges a refused refresh token. Pinterest refuses all that it does not understand in
// the same words, so that they are no end while the access token works: the trade is tried again.
func (c *Connector) refusedTrade(ctx context.Context, a schema.Account, old schema.Credentials, refused error) error {
	_, err := c.Check(ctx, a, old)
	switch e, ok := errors.AsType[*schema.Error](err); {
	case ok && e.Kind == schema.TokenDead && e.End == schema.NotEnded:
		return refused
	case ok && e.Kind == schema.TokenDead:
		return err
	default:
		return &schema.Error{
			Kind: schema.Retryable, RetryAfter: time.Hour, Err: errors.Join(refused, err),
			Message: "Pinterest did not renew the access token, which may still work",
		}
	}
}
