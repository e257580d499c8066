package twitter

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// scopes returns what crier does on X; the last is for refresh tokens
// (docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code).
func scopes() []string {
	return []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}
}

// Authorize returns X's page, which is on another host than the API.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if c.app.ID == "" {
		return "", connectors.App{}, connectors.NoApp(schema.Twitter)
	}
	return r.Page(c.consent+"/i/oauth2/authorize", c.app.ID, scopes(), r.Challenge()), connectors.App{}, nil
}

// Exchange trades a code, which lives for 30 seconds, for a pair of tokens.
func (c *Connector) Exchange(ctx context.Context, _ schema.Account, g connectors.Grant) (schema.Credentials, error) {
	if c.app.ID == "" {
		return schema.Credentials{}, connectors.NoApp(schema.Twitter)
	}
	call := c.ofApp(opToken, "/2/oauth2/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}, "code_verifier": {g.Verifier},
	})
	call.Secrets = append(call.Secrets, g.Code, g.Verifier)
	granted, response, err := c.trade(ctx, call)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", ofCode(ofToken(response, err)))
	}
	if err := connectors.CheckScopes(scopes(), strings.Fields(granted.Scope)); err != nil {
		return schema.Credentials{}, err
	}
	granted.AppID = c.app.ID
	return granted, nil
}

// ofCode says that a code was refused where a token would be dead.
func ofCode(err error) error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.TokenDead {
		return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	return err
}
