package mastodon

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

// withIncluded returns granted scopes with those that they include: read is each that begins with read:.
// Sharkey and others of its kind grant the former whatever was asked for (transfem-org/Sharkey
// packages/backend/src/server/oauth/OAuth2ProviderService.ts).
func withIncluded(granted []string) []string {
	for _, scope := range scopes().Requested() {
		if kind, _, _ := strings.Cut(scope, ":"); slices.Contains(granted, kind) && !slices.Contains(granted, scope) {
			granted = append(granted, scope)
		}
	}
	return granted
}

// coarse is what a server is asked for that knows no finer scopes, as Pixelfed does
// (app/Providers/AuthServiceProvider.php; snarfed/bridgy issue 927).
const coarse = "read write"

// scopesOn returns what an account's server knows of what crier asks for.
func (c *Connector) scopesOn(ctx context.Context, a schema.Account) string {
	ctx, cancel := context.WithTimeout(ctx, limitsWait)
	defer cancel()
	if description, err := c.instance(ctx, a, schema.Credentials{}); err == nil && strings.Contains(description.Version, "Pixelfed") {
		return coarse
	}
	return finest()
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return scopes() }

// Authorize registers crier with the account's server where that was not done before, or with
// other scopes: a server grants no more than an app was registered with. It returns the server's
// page (docs.joinmastodon.org/methods/oauth/#authorize).
func (c *Connector) Authorize(ctx context.Context, a schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if r.App == (connectors.App{}) || r.App.Scope != finest() && r.App.Scope != coarse {
		app, err := c.register(ctx, a, r.Callback)
		if err != nil {
			return "", connectors.App{}, fmt.Errorf("registering with the server: %w", err)
		}
		r.App = app
	}
	page, _, err := c.flow(a, r.App).Authorize(ctx, a, r)
	return page, r.App, err
}

// flow is that of an app with the account's server: each has its endpoints at the same paths.
func (c *Connector) flow(a schema.Account, app connectors.App) oauth.Flow {
	parts := connectors.Parts{Client: c.client, App: app, Base: c.server(a), Now: c.now}
	if parts.Base == c.base {
		parts.Consent = c.consent
	}
	asked := scopes()
	if app.Scope == coarse {
		asked.Chosen = strings.Fields(coarse)
	}
	return oauth.New(oauth.Dialect{
		Platform: schema.Mastodon, Name: "the server", PKCE: true,
		Page: "/oauth/authorize", Tokens: "/oauth/token", OpTokens: opToken, Revocation: "/oauth/revoke", OpRevocation: opRevoke,
		Includes: withIncluded,
	}, parts, asked)
}

// finest is what crier registers with where the server knows it.
func finest() string { return strings.Join(scopes().Requested(), " ") }

// register makes crier an app of the server (docs.joinmastodon.org/methods/apps/#create).
func (c *Connector) register(ctx context.Context, a schema.Account, callback string) (connectors.App, error) {
	known := c.scopesOn(ctx, a)
	call := c.call(a, schema.Credentials{}, http.MethodPost, "/api/v1/apps", opRegister)
	call.Form = url.Values{"client_name": {appName}, "redirect_uris": {callback}, "scopes": {known}}
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
	return connectors.App{ID: app.ID, Secret: app.Secret, Scope: known}, nil
}

// Exchange trades a code for a token, which lives until it is revoked
// (docs.joinmastodon.org/methods/oauth/#token).
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	credentials, err := c.flow(a, g.App).Exchange(ctx, a, g)
	if err != nil {
		return schema.Credentials{}, err
	}
	credentials.AppSecret = g.App.Secret
	return credentials, nil
}

// Revoke ends a token that a person consented to. One that came otherwise belongs to another
// app, which alone may end it: it is left as it is (docs.joinmastodon.org/methods/oauth/#revoke).
func (c *Connector) Revoke(ctx context.Context, a schema.Account, credentials schema.Credentials) error {
	if credentials.AppID == "" {
		return nil
	}
	app := connectors.App{ID: credentials.AppID, Secret: credentials.AppSecret}
	return c.flow(a, app).EndToken(ctx, a, "", credentials.AccessToken)
}
