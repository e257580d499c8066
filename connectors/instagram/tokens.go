package instagram

import (
	"context"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// lengthen trades the token that a consent gives, which lasts an hour, for one of 60 days
// (developers.facebook.com/docs/instagram-platform/reference/access_token).
func (c *Connector) lengthen(ctx context.Context, a schema.Account, short schema.Credentials) (schema.Credentials, error) {
	call := c.trade(a, short, "/access_token", opLengthen)
	call.Query.Set("grant_type", "ig_exchange_token")
	call.Query.Set("client_secret", c.consent.App.Secret)
	call.Secrets = append(call.Secrets, c.consent.App.Secret)
	return graph.Trade(ctx, c.client, call, short, c.now)
}

// Refresh trades a token for one that lasts 60 days from now. It has to be a day old, and not
// expired. The old one goes on working, so that a trade whose answer is lost is repeated.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	call := c.trade(a, old, "/refresh_access_token", opRefresh)
	call.Query.Set("grant_type", "ig_refresh_token")
	return graph.Trade(ctx, c.client, call, old, c.now)
}

// trade is a call of the token's own: it goes where the documents have it.
func (c *Connector) trade(a schema.Account, credentials schema.Credentials, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: http.MethodGet, URL: c.base + path, Account: a.ID,
		Query: url.Values{"access_token": {credentials.AccessToken}}, Secrets: []string{credentials.AccessToken},
	}
}
