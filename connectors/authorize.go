package connectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	// once and for a short time: after any error the person has to begin again.
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

// Scoped is a connector whose platform grants permissions one by one.
type Scoped interface {
	Scopes() Scopes
}

// Scopes are the permissions that people are asked for on a platform's page.
type Scopes struct {
	// Publish are those without which no account is connected.
	Publish []string
	// Read are for what is read of accounts: without one of them an account is connected all the
	// same, and what it is for is not read.
	Read []ReadScope
	// Chosen is what the operator has people asked for, where the app was not given all; empty: all.
	Chosen []string
}

// ReadScope is a permission to read.
type ReadScope struct {
	Name string
	For  []Purpose
	// Partly is that something of it can be read without the permission.
	Partly bool
}

// Purpose is what is read under a permission: a thing that is collected, by its name, or another.
type Purpose string

// What is read when somebody asks for it, and not collected.
const (
	ReadsSearch    Purpose = "search"
	ReadsRetention Purpose = "retention"
)

// Reads returns the purpose of what is collected.
func Reads(what schema.Collected) Purpose { return Purpose(what.String()) }

// Requested returns what people are asked for.
func (s Scopes) Requested() []string {
	if len(s.Chosen) > 0 {
		return s.Chosen
	}
	scopes := slices.Clone(s.Publish)
	for _, scope := range s.Read {
		scopes = append(scopes, scope.Name)
	}
	return scopes
}

// Check refuses what was granted where publishing needs more: a person can take some away. A platform
// that does not say what it granted granted all.
func (s Scopes) Check(granted []string) error {
	if len(granted) == 0 {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(s.Publish), func(scope string) bool { return slices.Contains(granted, scope) })
	if len(missing) == 0 {
		return nil
	}
	return &schema.Error{Kind: schema.Refused, Message: "these permissions were not granted: " + strings.Join(missing, ", ")}
}

// CheckChosen refuses a choice without which nothing could be published.
func (s Scopes) CheckChosen() error {
	missing := slices.DeleteFunc(slices.Clone(s.Publish), func(scope string) bool { return slices.Contains(s.Requested(), scope) })
	if len(missing) > 0 {
		return fmt.Errorf("publishing needs %s as well", strings.Join(missing, " "))
	}
	return nil
}

// Missing returns the permissions to read that credentials are known to be without. Of those that
// a caller has brought along it is not known what was granted.
func (s Scopes) Missing(c schema.Credentials) (missing []ReadScope) {
	granted := SplitScopes(c.Scope)
	for _, scope := range s.Read {
		if len(granted) > 0 && !slices.Contains(granted, scope.Name) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// Forbids reports whether it is known that credentials let nothing be read for a purpose.
func (s Scopes) Forbids(c schema.Credentials, purpose Purpose) bool {
	return slices.ContainsFunc(s.Missing(c), func(scope ReadScope) bool { return !scope.Partly && slices.Contains(scope.For, purpose) })
}

// Allows reports whether it is known that credentials let all be read for a purpose.
func (s Scopes) Allows(c schema.Credentials, purpose Purpose) bool {
	return c.Scope != "" && !slices.ContainsFunc(s.Missing(c), func(scope ReadScope) bool { return slices.Contains(scope.For, purpose) })
}

// SplitScopes reads a list of scopes, with spaces or commas between them.
func SplitScopes(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// IsNotPermitted reports whether an error, whatever it was turned into, says that credentials are
// without a permission.
func IsNotPermitted(err error) bool {
	for {
		e, ok := errors.AsType[*schema.Error](err)
		if !ok || e.End == schema.EndScope {
			return ok
		}
		err = e.Err
	}
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
