package facebook

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

// scopes returns what crier does (developers.facebook.com/docs/permissions): it lists pages,
// publishes, looks at what was published and comments on it. Reactions, comments and shares it
// is told without the last.
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{
			"pages_show_list", "pages_read_engagement", "pages_read_user_content", scopePublish, "pages_manage_engagement",
		},
		Read:   []connectors.ReadScope{{Name: scopeInsights, For: []connectors.Purpose{connectors.Reads(schema.CollectMetrics)}, Partly: true}},
		Chosen: strings.Fields(app.Scope),
	}
}

const (
	scopePublish  = "pages_manage_posts"
	scopeInsights = "read_insights"
)

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.consent.Scopes }

// dialect is how Facebook speaks OAuth. What the person has refused once it asks for again, which it
// does not by itself (developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow,
// re-authentication).
//
// No token is ever revoked: DELETE /me/permissions, the only way, takes a person's token and
// ends those of all pages of the person, in whichever workspace they are connected.
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.Facebook, Name: "Facebook", Asks: url.Values{"auth_type": {"rerequest"}},
		Page:   webHost + "/" + version + "/dialog/oauth",
		Tokens: graphHost + "/" + version + "/oauth/access_token", OpTokens: opToken, InAddress: true,
	}
}

// Authorize returns the page on which Facebook asks for a person's consent.
func (c *Connector) Authorize(ctx context.Context, a schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	return c.consent.Authorize(ctx, a, r)
}

// Exchange trades a code for a person's token of an hour or two, and that for one of about 60
// days at once: the tokens of pages that are got by it have no expiry
// (developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived).
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	short, err := c.consent.Redeem(ctx, a, g)
	if err != nil {
		return schema.Credentials{}, err
	}
	long, err := c.consent.Trade(ctx, a, url.Values{"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {short.Access}}, short.Access)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the person's token: %w", err)
	}
	person := schema.Credentials{AccessToken: long.Access, AppID: c.consent.App.ID, ExpiresAt: connectors.EndOf(long.Expires, c.now())}
	granted, err := c.permissions(ctx, a, person)
	if err != nil {
		return schema.Credentials{}, err
	}
	if err := c.consent.Scopes.Check(granted); err != nil {
		return schema.Credentials{}, err
	}
	person.Scope, person.PersonID = strings.Join(granted, ","), c.personID(ctx, a, person)
	return person, nil
}

// permissions asks what the person has granted: there is no other answer that says it.
func (c *Connector) permissions(ctx context.Context, a schema.Account, person schema.Credentials) (granted []string, err error) {
	call := c.call(a, person, http.MethodGet, "me/permissions", opPermissions)
	var listed struct {
		Data []struct {
			Permission string `json:"permission"`
			Status     string `json:"status"` // granted, declined, expired
		} `json:"data"`
	}
	if _, err := c.client.Do(ctx, call, &listed); err != nil {
		return nil, fmt.Errorf("asking what was granted: %w", err)
	}
	for _, permission := range listed.Data {
		if permission.Status == "granted" {
			granted = append(granted, permission.Permission)
		}
	}
	if len(granted) == 0 {
		return nil, platform.Strange("names no permission that was granted")
	}
	return granted, nil
}

// personID asks whose token it is: Facebook calls for the person by that id. Where it does not
// answer, nothing is known, and the pages are found by no such call.
func (c *Connector) personID(ctx context.Context, a schema.Account, person schema.Credentials) string {
	call := c.call(a, person, http.MethodGet, "me", opPage)
	call.Query = url.Values{"fields": {"id"}}
	var self struct {
		ID string `json:"id"`
	}
	if _, err := c.client.Do(ctx, call, &self); err != nil {
		return ""
	}
	return self.ID
}

// PersonOf returns whom a call for a person is about: see graph.Consent.
func (c *Connector) PersonOf(signed string) (string, error) { return c.consent.PersonOf(signed) }
