package linkedin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"crier/connectors"
	"crier/schema"
)

const (
	personURN       = "urn:li:person:"
	organizationURN = "urn:li:organization:"
)

// organizationOf returns the organization that an account acts as; empty: a member.
func organizationOf(credentials schema.Credentials) string {
	if credentials.EntityID == "" {
		return ""
	}
	return organizationURN + strings.TrimPrefix(credentials.EntityID, organizationURN)
}

// author returns as whom an account publishes. That of a sandbox, whose account is made
// without asking the simulator, has to be asked for.
func (c *Connector) author(ctx context.Context, a schema.Account, credentials schema.Credentials) (string, error) {
	if organization := organizationOf(credentials); organization != "" {
		return organization, nil
	}
	if strings.HasPrefix(a.NativeID, personURN) {
		return a.NativeID, nil
	}
	profile, err := c.member(ctx, a, credentials)
	return profile.NativeID, err
}

// Check returns as whom the account publishes, and that its token may.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	if organization := organizationOf(credentials); organization != "" {
		return c.organization(ctx, a, credentials, organization)
	}
	return c.member(ctx, a, credentials)
}

// member returns whose token it is. Each of LinkedIn's products has its own call for that; of
// a token that somebody brought along it is not known which product it is of.
func (c *Connector) member(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	if !lacks(credentials, scopeOpenID) {
		profile, err := c.signedIn(ctx, a, credentials)
		if schema.KindOf(err) != schema.Refused || credentials.Scope != "" {
			return profile, err
		}
	}
	call := c.call(a, credentials, http.MethodGet, "/v2/me", opMe)
	var who struct {
		ID    string `json:"id"`
		First string `json:"localizedFirstName"`
		Last  string `json:"localizedLastName"`
	}
	if _, err := c.client.Do(ctx, call, &who); err != nil {
		return connectors.Profile{}, fmt.Errorf("asking whose token it is: %w", connectors.WithoutEnd(err))
	}
	return memberNamed(who.ID, strings.TrimSpace(who.First+" "+who.Last))
}

// signedIn returns whose token it is that was granted with openid.
func (c *Connector) signedIn(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call := c.call(a, credentials, http.MethodGet, "/v2/userinfo", opUserInfo)
	var who struct {
		Sub   string `json:"sub"`
		Name  string `json:"name"`
		Given string `json:"given_name"`
	}
	if _, err := c.client.Do(ctx, call, &who); err != nil {
		return connectors.Profile{}, fmt.Errorf("asking whose token it is: %w", connectors.WithoutEnd(err))
	}
	return memberNamed(who.Sub, cmp.Or(who.Name, who.Given))
}

func memberNamed(id, name string) (connectors.Profile, error) {
	if id == "" {
		return connectors.Profile{}, platform.Strange("names no member")
	}
	return connectors.Profile{NativeID: personURN + id, Name: cmp.Or(name, "member "+id)}, nil
}

// postingRoles are those of whom an organization lets publish in its name (posts-api).
var postingRoles = []string{"ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR", "DIRECT_SPONSORED_CONTENT_POSTER"}

// organization reports whether the token's owner may publish as an organization, and what it is
// called.
func (c *Connector) organization(ctx context.Context, a schema.Account, credentials schema.Credentials, urn string) (connectors.Profile, error) {
	organizations, err := c.organizations(ctx, a, credentials)
	if err != nil {
		return connectors.Profile{}, err
	}
	if !slices.Contains(organizations, urn) {
		return connectors.Profile{}, connectors.Refuse("the token's owner may not publish as %s", urn)
	}
	name, err := c.organizationName(ctx, a, credentials, urn)
	return connectors.Profile{NativeID: urn, Name: name}, err
}

const (
	rolePage     = 100
	maxRolePages = 5 // a person has a role with each organization, some have several
)

// organizations returns the URNs of those that the token's owner may publish as.
func (c *Connector) organizations(ctx context.Context, a schema.Account, credentials schema.Credentials) ([]string, error) {
	var urns []string
	for page := range maxRolePages {
		call := c.call(a, credentials, http.MethodGet, "/rest/organizationAcls", opOrganizations)
		call.Query = url.Values{"q": {"roleAssignee"}, "state": {"APPROVED"}, "count": {strconv.Itoa(rolePage)}}
		if page > 0 {
			call.Query.Set("start", strconv.Itoa(page*rolePage))
		}
		var acls struct {
			Elements []struct {
				Role         string `json:"role"`
				Organization string `json:"organization"`
				Target       string `json:"organizationTarget"` // its name in older versions
			} `json:"elements"`
		}
		if _, err := c.client.Do(ctx, call, &acls); err != nil {
			return nil, fmt.Errorf("asking for organizations: %w", connectors.WithoutEnd(err))
		}
		if acls.Elements == nil {
			return nil, platform.Strange("is no list of organizations")
		}
		for _, acl := range acls.Elements {
			urn := cmp.Or(acl.Organization, acl.Target)
			if strings.HasPrefix(urn, organizationURN) && slices.Contains(postingRoles, acl.Role) && !slices.Contains(urns, urn) {
				urns = append(urns, urn)
			}
		}
		if len(acls.Elements) < rolePage {
			break
		}
	}
	return urns, nil
}

// organizationName returns what an organization is called. Its number does where it may not
// be read.
func (c *Connector) organizationName(ctx context.Context, a schema.Account, credentials schema.Credentials, urn string) (string, error) {
	id := strings.TrimPrefix(urn, organizationURN)
	call := c.call(a, credentials, http.MethodGet, "/rest/organizations/"+url.QueryEscape(id), opOrganization)
	var organization struct {
		Name string `json:"localizedName"`
	}
	_, err := c.client.Do(ctx, call, &organization)
	if err = connectors.WithoutEnd(err); err != nil && schema.KindOf(err) != schema.Refused {
		return "", fmt.Errorf("reading organization: %w", err)
	}
	return cmp.Or(organization.Name, "organization "+id), nil
}
