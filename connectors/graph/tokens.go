package graph

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

// Operations of tokens, as they are called in metrics and logs.
const (
	opInspect  = "GET /debug_token"
	opLengthen = "GET /access_token"
	OpRefresh  = "GET /refresh_access_token" // which asks for the account itself, like the operation of its profile
)

// Inspect asks what a token is good for. Threads may tell the testers of an app alone, and others nothing
// without the app's own secret: none are returned then, and nothing is known.
// (developers.facebook.com/docs/graph-api/reference/debug_token)
func Inspect(ctx context.Context, client *connectors.Client, call connectors.Call) (scopes []string) {
	call.Operation, call.Method, call.Kind = opInspect, http.MethodGet, connectors.Status
	call.Query = url.Values{"input_token": {call.Token}}
	var out struct {
		Data struct {
			Scopes []string `json:"scopes"`
		} `json:"data"`
	}
	if _, err := client.Do(ctx, call, &out); err != nil {
		return nil
	}
	return out.Data.Scopes
}

// MayPublish ends an account whose token is without the permission to publish, as far as that is known:
// elsewhere the code of a missing permission may be of an incident.
func MayPublish(scopes []string, needed string) error {
	if len(scopes) == 0 || slices.Contains(scopes, needed) {
		return nil
	}
	return &schema.Error{Kind: schema.TokenDead, End: schema.EndScope, Message: "the permission " + needed + " was taken back"}
}

// LongLived trades what a code is worth for a token of 60 days. scopes are those that were granted; none:
// that is not known.
func (c *Connector) LongLived(ctx context.Context, a schema.Account, granted oauth.Granted, scopes []string) (schema.Credentials, error) {
	if err := c.Consent.Scopes.Check(scopes); err != nil {
		return schema.Credentials{}, err
	}
	return c.Lengthen(ctx, a, schema.Credentials{
		AccessToken: granted.Access, Scope: strings.Join(scopes, ","), AppID: c.App.ID, PersonID: string(granted.Person),
	})
}

// Lengthen trades the token that a consent gives, which lasts an hour, for one of 60 days.
func (c *Connector) Lengthen(ctx context.Context, a schema.Account, short schema.Credentials) (schema.Credentials, error) {
	call := c.tokenCall(a, short, "/access_token", opLengthen)
	call.Query.Set("grant_type", c.prefix+"_exchange_token")
	call.Query.Set("client_secret", c.App.Secret)
	call.Secrets = append(call.Secrets, c.App.Secret)
	return c.trade(ctx, call, short)
}

// Refresh trades a token for one that lasts 60 days from now. It has to be a day old, and not
// expired. The old one goes on working, so that a trade whose answer is lost is repeated.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	call := c.tokenCall(a, old, "/refresh_access_token", OpRefresh)
	call.Query.Set("grant_type", c.prefix+"_refresh_token")
	return c.trade(ctx, call, old)
}

// tokenCall has the token where the documents have it: in the address.
func (c *Connector) tokenCall(a schema.Account, credentials schema.Credentials, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: http.MethodGet, URL: c.Base + path, Account: a.ID,
		Query: url.Values{"access_token": {credentials.AccessToken}}, Secrets: []string{credentials.AccessToken},
	}
}

func (c *Connector) trade(ctx context.Context, call connectors.Call, old schema.Credentials) (schema.Credentials, error) {
	var out struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds
	}
	switch _, err := c.Client.Do(ctx, call, &out); {
	case err != nil:
		return schema.Credentials{}, fmt.Errorf("trading token: %w", err)
	case out.AccessToken == "" || out.ExpiresIn <= 0:
		return schema.Credentials{}, &schema.Error{Kind: schema.Retryable, Message: "the platform's answer holds no token"}
	}
	old.AccessToken, old.SelfRenewing = out.AccessToken, true
	old.ExpiresAt = connectors.EndOf(out.ExpiresIn, c.Now())
	return old, nil
}
