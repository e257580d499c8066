package youtube

import (
	"context"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// What people are asked for: all calls of the Data API that crier makes take the first, and no other
// is enough for comments (its discovery document). The second is of the Analytics API.
const (
	scope          = "https://www.googleapis.com/auth/youtube.force-ssl"
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"
)

func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{scope},
		Read:    []connectors.ReadScope{{Name: scopeAnalytics, For: []connectors.Purpose{connectors.ReadsRetention}}},
		Chosen:  strings.Fields(app.Scope),
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.oauth.Scopes }

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
