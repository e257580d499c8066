package instagram

import (
	"context"
	"net/http"
	"strings"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

const scopePublish = "instagram_business_content_publish"

// scopes returns what crier does (developers.facebook.com/docs/instagram-platform/
// instagram-api-with-instagram-login/business-login).
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{"instagram_business_basic", scopePublish, "instagram_business_manage_comments"},
		Read:    []connectors.ReadScope{{Name: "instagram_business_manage_insights", For: []connectors.Purpose{connectors.Reads(schema.CollectMetrics)}}},
		Chosen:  strings.Fields(app.Scope),
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.consent.Scopes }

// Authorize returns the page on which Instagram asks for a person's consent: that of Instagram
// Login, which is of the one account that the person is logged in to.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	return c.consent.Address(r)
}

// Exchange trades a code for a token of an hour, and that for one of 60 days at once. Instagram
// has no call that ends it again: its owner takes the consent back in the settings.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	call := connectors.Call{
		Operation: opRedeem, Method: http.MethodPost, URL: c.codes + "/oauth/access_token", Account: a.ID, Form: c.consent.Form(g),
	}
	call.Secrets = []string{call.Form.Get("code"), c.consent.App.Secret}
	granted, err := graph.Redeem(ctx, c.client, call)
	if err != nil {
		return schema.Credentials{}, err
	}
	if err := c.consent.Scopes.Check(granted.Scopes); err != nil {
		return schema.Credentials{}, err
	}
	return c.tokens.Lengthen(ctx, a, schema.Credentials{
		AccessToken: granted.Token, Scope: strings.Join(granted.Scopes, ","), AppID: c.consent.App.ID, PersonID: granted.Person,
	})
}

// PersonOf returns whom a call for a person is about: see graph.Consent.
func (c *Connector) PersonOf(signed string) (string, error) { return c.consent.PersonOf(signed) }
