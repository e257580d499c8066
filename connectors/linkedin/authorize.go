package linkedin

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/connectors/oauth"
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
func scopes(app connectors.App) connectors.Scopes {
	if app.Scope != "" {
		return connectors.Scopes{Publish: strings.Fields(app.Scope)}
	}
	return connectors.Scopes{Publish: []string{
		scopeProfile, "w_member_social", "r_organization_social", "w_organization_social",
		"r_organization_social_feed", "w_organization_social_feed", scopeOrganizations,
	}}
}

// dialect is how LinkedIn speaks OAuth (shared/authentication/authorization-code-flow). There is no PKCE
// in this flow: the app's secret is the proof. A refresh token comes with the access token where
// LinkedIn has approved the app for it; else the member consents again after 60 days. It stays the same,
// and its year runs on from the first consent, so that a trade whose answer was lost is made again.
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.LinkedIn, Name: "LinkedIn",
		Page: webHost + "/oauth/v2/authorization", Tokens: webHost + "/oauth/v2/accessToken", OpTokens: opToken,
		Refusals: map[string]schema.ErrorKind{ // the last is LinkedIn's own, of codes
			"invalid_grant": schema.TokenDead, "invalid_request": schema.TokenDead, "invalid_redirect_uri": schema.TokenDead,
		},
	}
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
			organization := &organizations[i]
			organization.Name, err = c.organizationName(ctx, a, organization.Credentials, organization.ID)
			return err
		})
	}
	return group.Wait()
}
