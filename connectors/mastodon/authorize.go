package mastodon

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// Operations of OAuth.
const (
	opRegister = "POST /api/v1/apps"
	opToken    = "POST /oauth/token"
	opRevoke   = "POST /oauth/revoke"
)

// appName is what people read on a server's page.
const appName = "crier"

// scopes returns what crier does on a server (docs.joinmastodon.org/api/oauth-scopes).
func scopes() connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{"read:accounts", "read:statuses", "write:media", "write:statuses"},
		Read:    []connectors.ReadScope{{Name: "read:notifications", For: []connectors.Purpose{connectors.Reads(schema.CollectMentions)}}},
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return scopes() }

// Authorize registers crier with the account's server where that was not done before, or with
// other scopes: a server grants no more than an app was registered with. It returns the server's
// page (docs.joinmastodon.org/methods/oauth/#authorize).
func (c *Connector) Authorize(ctx context.Context, a schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if r.App == (connectors.App{}) || r.App.Scope != registered() {
		app, err := c.register(ctx, a, r.Callback)
		if err != nil {
			return "", connectors.App{}, fmt.Errorf("registering with the server: %w", err)
		}
		r.App = app
	}
	page := c.server(a)
	if page == c.base && c.consent != "" {
		page = c.consent
	}
	return r.Page(page+"/oauth/authorize", r.App.ID, scopes().Asked(), r.Challenge()), r.App, nil
}

// registered is what crier registers with.
func registered() string { return strings.Join(scopes().Asked(), " ") }

// register makes crier an app of the server (docs.joinmastodon.org/methods/apps/#create).
func (c *Connector) register(ctx context.Context, a schema.Account, callback string) (connectors.App, error) {
	call := c.call(a, schema.Credentials{}, http.MethodPost, "/api/v1/apps", opRegister)
	call.Form = url.Values{"client_name": {appName}, "redirect_uris": {callback}, "scopes": {registered()}}
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if _, err := c.client.Do(ctx, call, &app); err != nil {
		return connectors.App{}, err
	}
	if app.ID == "" || app.Secret == "" {
		return connectors.App{}, &schema.Error{Kind: schema.Retryable, Message: "the server's answer names no app"}
	}
	return connectors.App{ID: app.ID, Secret: app.Secret, Scope: registered()}, nil
}

// Exchange trades a code for a token, which lives until it is revoked
// (docs.joinmastodon.org/methods/oauth/#token).
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	call := c.call(a, schema.Credentials{}, http.MethodPost, "/oauth/token", opToken)
	call.Secrets = []string{g.Code, g.Verifier, g.App.Secret}
	call.Form = url.Values{
		"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}, "code_verifier": {g.Verifier},
		"client_id": {g.App.ID}, "client_secret": {g.App.Secret},
	}
	var token struct {
		AccessToken string `json:"access_token"`
		Scope       string `json:"scope"`
	}
	if _, err := c.client.Do(ctx, call, &token); err != nil {
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", err)
	}
	if token.AccessToken == "" {
		return schema.Credentials{}, &schema.Error{Kind: schema.Retryable, Message: "the server's answer has no token"}
	}
	if err := scopes().Check(strings.Fields(token.Scope)); err != nil {
		return schema.Credentials{}, err
	}
	return schema.Credentials{AccessToken: token.AccessToken, Scope: token.Scope, AppID: g.App.ID, AppSecret: g.App.Secret}, nil
}

// Revoke ends a token that a person consented to. One that came otherwise belongs to another
// app, which alone may end it: it is left as it is (docs.joinmastodon.org/methods/oauth/#revoke).
func (c *Connector) Revoke(ctx context.Context, a schema.Account, credentials schema.Credentials) error {
	if credentials.AppID == "" {
		return nil
	}
	call := c.call(a, schema.Credentials{}, http.MethodPost, "/oauth/revoke", opRevoke)
	call.Secrets = []string{credentials.AccessToken, credentials.AppSecret}
	call.Form = url.Values{
		"token": {credentials.AccessToken}, "client_id": {credentials.AppID}, "client_secret": {credentials.AppSecret},
	}
	if _, err := c.client.Do(ctx, call, nil); err != nil {
		return fmt.Errorf("revoking a token: %w", err)
	}
	return nil
}
