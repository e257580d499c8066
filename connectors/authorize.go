package connectors

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"crier/schema"
)

// Authorizer is a connector whose platform asks a person, on a page of its own, whether crier
// may act for them: OAuth 2.0 (RFC 6749), the authorization code grant.
type Authorizer interface {
	// Authorize returns the address of that page, and the app that crier was registered as
	// with the account's server, which is to be kept and given to later calls; it is zero
	// where the configured one asks. Refused where none is configured.
	Authorize(ctx context.Context, a schema.Account, r AuthorizationRequest) (page string, app App, err error)
	// Exchange trades the code that the person came back with for credentials. A code works
	// once and for a short time: after any error the person has to begin anew.
	Exchange(ctx context.Context, a schema.Account, g Grant) (schema.Credentials, error)
}

// AuthorizationRequest is what a platform's page is asked with.
type AuthorizationRequest struct {
	App      App    // that was registered with the account's server before; zero: none was
	Callback string // crier's address to which the person is sent back: redirect_uri
	State    string // that comes back with the person
	Verifier string // of PKCE (RFC 7636), for platforms that have it
}

// Grant is what a person has come back with.
type Grant struct {
	App      App
	Callback string
	Verifier string
	Code     string
}

// EntitySource is a connector where credentials are a person's, who then chooses which of
// their pages, organizations or boards is posted to.
type EntitySource interface {
	// Entities returns what the person may choose, at most MaxEntities.
	Entities(ctx context.Context, a schema.Account, c schema.Credentials) ([]Entity, error)
}

// MaxEntities is how many entities a person is shown.
const MaxEntities = 200

// Entity is a page, organization or board that a person may post to.
type Entity struct {
	ID   string
	Name string
	Kind string // as the platform calls it: page, organization, person
	// Credentials are what crier acts for it with.
	Credentials schema.Credentials
}

// Page returns the address of a platform's page for an app: the endpoint, with the parameters
// of RFC 6749 and further ones.
func (r AuthorizationRequest) Page(endpoint, clientID string, scopes []string, further ...oauth2.AuthCodeOption) string {
	config := oauth2.Config{ClientID: clientID, RedirectURL: r.Callback, Scopes: scopes, Endpoint: oauth2.Endpoint{AuthURL: endpoint}}
	return config.AuthCodeURL(r.State, further...)
}

// Challenge is the parameters of PKCE with SHA-256.
func (r AuthorizationRequest) Challenge() oauth2.AuthCodeOption {
	return oauth2.S256ChallengeOption(r.Verifier)
}

// CheckScopes refuses what was granted where a scope that was asked for is missing: a person
// can take some of them away. A platform that does not say what it granted granted all.
func CheckScopes(asked, granted []string) error {
	if len(granted) == 0 {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(asked), func(scope string) bool { return slices.Contains(granted, scope) })
	if len(missing) == 0 {
		return nil
	}
	return &schema.Error{Kind: schema.Refused, Message: "these permissions were not granted: " + strings.Join(missing, ", ")}
}

// NoApp is the error of a platform that crier has no app with.
func NoApp(p schema.Platform) *schema.Error {
	name := strings.ToUpper(strings.ReplaceAll(p.String(), "-", "_"))
	return &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf(
		"this server has no app with %s: its operator sets CRIER_%s_CLIENT_ID and CRIER_%s_CLIENT_SECRET", p, name, name)}
}

// NoAppCalled is the error of a platform's call about an app that crier does not have.
func NoAppCalled(p schema.Platform) *schema.Error {
	return &schema.Error{Kind: schema.NotFound, Message: "no app of " + p.String() + " is configured on this server"}
}

// PersonCaller is a platform that calls for a person who has taken a consent back, or wants what
// crier has of them deleted.
type PersonCaller interface {
	// PersonOf returns the person whom such a call is about, by the id that Credentials.PersonID
	// has; Unauthorized where the platform has not signed it.
	PersonOf(signed string) (id string, err error)
}
