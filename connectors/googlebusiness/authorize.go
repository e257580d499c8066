package googlebusiness

import (
	"context"

	"crier/connectors"
	"crier/schema"
)

func scopes() connectors.Scopes {
	return connectors.Scopes{Publish: []string{"https://www.googleapis.com/auth/business.manage"}}
}

// Authorize returns Google's page.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	return c.oauth.Authorize(r)
}

// Exchange trades a code for a person's tokens.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	return c.oauth.Exchange(ctx, a, g)
}

// Refresh trades the refresh token. All locations of a person have the same one, and each
// trades it for an access token of its own.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	return c.oauth.Refresh(ctx, a, old)
}
