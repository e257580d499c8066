package threads

import (
	"context"
	"net/http"
	"strings"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

const scopePublish = "threads_content_publish"

// scopes returns what crier does
// (developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions).
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{"threads_basic", scopePublish, "threads_manage_replies", "threads_read_replies"},
		Read: []connectors.ReadScope{
			{Name: "threads_manage_insights", For: []connectors.Purpose{connectors.Reads(schema.CollectMetrics), connectors.Reads(schema.CollectFollowers)}},
			{Name: "threads_manage_mentions", For: []connectors.Purpose{connectors.Reads(schema.CollectMentions)}},
			{Name: "threads_keyword_search", For: []connectors.Purpose{connectors.ReadsSearch}},
		},
		Chosen: strings.Fields(app.Scope),
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.consent.Scopes }

// Authorize returns the page on which Threads asks for a person's consent.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	return c.consent.Address(r)
}

// Exchange trades a code for a token of an hour, and that for one of 60 days at once. Threads
// has no call that ends it again: its owner takes the consent back in the settings.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	call := connectors.Call{
		Operation: opRedeem, Method: http.MethodPost, URL: c.base + "/oauth/access_token", Account: a.ID, Form: c.consent.Form(g),
	}
	call.Secrets = []string{call.Form.Get("code"), c.consent.App.Secret}
	granted, err := graph.Redeem(ctx, c.client, call)
	if err != nil {
		return schema.Credentials{}, err
	}
	given := c.grantedScopes(ctx, a, granted.Token)
	if err := c.consent.Scopes.Check(given); err != nil {
		return schema.Credentials{}, err
	}
	return c.tokens.Lengthen(ctx, a, schema.Credentials{
		AccessToken: granted.Token, Scope: strings.Join(given, ","), AppID: c.consent.App.ID, PersonID: granted.Person,
	})
}

// grantedScopes asks what a token is good for, which its answer does not say. Threads may tell
// the testers of an app alone: where it does not, nothing is known
// (developers.facebook.com/docs/threads/troubleshooting/debug-access-token).
func (c *Connector) grantedScopes(ctx context.Context, a schema.Account, token string) []string {
	return graph.Inspect(ctx, c.client, connectors.Call{URL: c.base + "/v1.0/debug_token", Account: a.ID, Token: token})
}

// PersonOf returns whom a call for a person is about: see graph.Consent.
func (c *Connector) PersonOf(signed string) (string, error) { return c.consent.PersonOf(signed) }
