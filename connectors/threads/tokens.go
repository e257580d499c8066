package threads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Exchange trades the token that a consent gives, which lasts an hour, for one of 60 days
// (developers.facebook.com/docs/threads/get-started/long-lived-tokens).
func (c *Connector) Exchange(ctx context.Context, a schema.Account, short schema.Credentials) (schema.Credentials, error) {
	call := c.trade(a, short, "/access_token", opExchange)
	call.Query.Set("grant_type", "th_exchange_token")
	call.Query.Set("client_secret", c.app.Secret)
	call.Secrets = append(call.Secrets, c.app.Secret)
	return c.traded(ctx, call, short)
}

// Refresh trades a token for one that lasts 60 days from now. It has to be a day old, and not
// expired. The old one goes on working, so that a trade whose answer is lost is repeated.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	call := c.trade(a, old, "/refresh_access_token", opRefresh)
	call.Query.Set("grant_type", "th_refresh_token")
	return c.traded(ctx, call, old)
}

// trade is a call of the token's own: it goes where the documents have it.
func (c *Connector) trade(a schema.Account, credentials schema.Credentials, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: http.MethodGet, URL: c.base + path, Account: a.ID,
		Query: url.Values{"access_token": {credentials.AccessToken}}, Secrets: []string{credentials.AccessToken},
	}
}

func (c *Connector) traded(ctx context.Context, call connectors.Call, credentials schema.Credentials) (schema.Credentials, error) {
	var out struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds
	}
	switch _, err := c.client.Do(ctx, call, &out); {
	case err != nil:
		return schema.Credentials{}, fmt.Errorf("trading token: %w", err)
	case out.AccessToken == "" || out.ExpiresIn <= 0:
		return schema.Credentials{}, &schema.Error{Kind: schema.Retryable, Message: "Threads' answer holds no token"}
	}
	credentials.AccessToken, credentials.SelfRenewing = out.AccessToken, true
	credentials.ExpiresAt = c.now().Add(time.Duration(out.ExpiresIn) * time.Second).UTC()
	return credentials, nil
}
