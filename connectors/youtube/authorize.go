package youtube

import (
	"context"

	"crier/connectors"
	"crier/schema"
)

// scope is what people are asked for: all calls that crier makes take it, and no other is enough
// for comments (the discovery document of the Data API v3).
const scope = "https://www.googleapis.com/auth/youtube.force-ssl"

// Authorize returns Google's page, on which the person also chooses the channel.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	return c.oauth.Authorize(r)
}

// Exchange trades a code. No token is ever revoked: Google's call for that ends all that the
// person has granted crier, for their other channels too.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	return c.oauth.Exchange(ctx, a, g)
}

// Refresh trades the refresh token, which stays the same.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	return c.oauth.Refresh(ctx, a, old)
}
