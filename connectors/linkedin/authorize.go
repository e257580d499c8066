package linkedin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/schema"
)

// The scopes that let a token tell who its owner is, one way or another, and which
// organizations they administer.
const (
	scopeOpenID        = "openid"
	scopeProfile       = "r_basicprofile"
	scopeOrganizations = "rw_organization_admin"
)

// scopes returns what people are asked for: who they are, their posts and comments, and those
// of their organizations. Those are the scopes of LinkedIn's product Community Management, which
// has to be the only one of an app: it cannot be asked for the scopes of sign-in besides
// (github.com/n8n-io/n8n, pull request 7451; github.com/gitroomhq/postiz-app, pull request
// 1658). Apps of the open products serve members alone; their operators name openid, profile
// and w_member_social.
func (c *Connector) scopes() []string {
	if c.app.Scope != "" {
		return strings.Fields(c.app.Scope)
	}
	return []string{
		scopeProfile, "w_member_social", "r_organization_social", "w_organization_social",
		"r_organization_social_feed", "w_organization_social_feed", scopeOrganizations,
	}
}

// Authorize returns LinkedIn's page (shared/authentication/authorization-code-flow). There is
// no PKCE in this flow: the app's secret is the proof.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if c.app.ID == "" {
		return "", connectors.App{}, connectors.NoApp(schema.LinkedIn)
	}
	return r.Page(c.consent+"/oauth/v2/authorization", c.app.ID, c.scopes()), connectors.App{}, nil
}

// Exchange trades a code, which lives for 30 minutes. A refresh token comes with the access
// token where LinkedIn has approved the app for it; else the member consents again after 60
// days.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := c.trade(ctx, a, url.Values{"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}}, g.Code)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.TokenDead {
		err = &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", err)
	}
	if err := connectors.CheckScopes(c.scopes(), scopesOf(granted)); err != nil {
		return schema.Credentials{}, err
	}
	granted.AppID = c.app.ID
	return granted, nil
}

// lacks reports whether it is known that credentials are without a scope.
func lacks(credentials schema.Credentials, scope string) bool {
	granted := scopesOf(credentials)
	return len(granted) > 0 && !slices.Contains(granted, scope)
}

// scopesOf returns what was granted, which LinkedIn writes with commas, and takes with spaces.
func scopesOf(credentials schema.Credentials) []string {
	return connectors.SplitScopes(credentials.Scope)
}

const (
	// namedOrganizations is how many organizations are asked what they are called: each is a
	// call, and apps of the first tier have no other way. All others go by their numbers.
	namedOrganizations = 50
	namesAtOnce        = 5
)

// Entities returns the member and the organizations they may publish as.
func (c *Connector) Entities(ctx context.Context, a schema.Account, credentials schema.Credentials) ([]connectors.Entity, error) {
	credentials.EntityID = ""
	member, err := c.member(ctx, a, credentials)
	if err != nil {
		return nil, err
	}
	entities := []connectors.Entity{{ID: member.NativeID, Name: member.Name, Kind: "person", Credentials: credentials}}
	if lacks(credentials, scopeOrganizations) {
		return entities, nil
	}
	organizations, err := c.organizations(ctx, a, credentials)
	if err != nil {
		return nil, err
	}
	for _, urn := range organizations[:min(len(organizations), connectors.MaxEntities-1)] {
		credentials.EntityID = urn
		entities = append(entities, connectors.Entity{
			ID: urn, Name: "organization " + strings.TrimPrefix(urn, organizationURN), Kind: "organization", Credentials: credentials,
		})
	}
	return entities, c.nameOrganizations(ctx, a, entities[1:min(len(entities), namedOrganizations+1)])
}

func (c *Connector) nameOrganizations(ctx context.Context, a schema.Account, organizations []connectors.Entity) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(namesAtOnce)
	for i := range organizations {
		group.Go(func() (err error) {
			one := &organizations[i]
			one.Name, err = c.organizationName(ctx, a, one.Credentials, one.ID)
			return err
		})
	}
	return group.Wait()
}
