package people

import (
	"time"

	"crier/schema"
)

// Identity is who a user is at an issuer of OpenID Connect.
type Identity struct {
	ID        schema.IdentityID
	Issuer    string // its URL
	Email     string // as the issuer told it last; empty: it told none
	CreatedAt time.Time
	UsedAt    time.Time
}

// Testimony is what an issuer says of somebody who has shown it who they are.
type Testimony struct {
	Issuer   string
	Subject  string // with Issuer: who they are
	Email    string // in lower case; empty: the issuer does not tell it
	Verified bool   // the issuer says that the address is theirs
	Name     string
	Groups   []string    // as the issuer calls them, some of many; for the log
	Roles    []GivenRole // that they give
}

// GivenRole is what an issuer's groups make somebody in a workspace.
type GivenRole struct {
	Workspace string // name of a live one
	Role      Role
}

// RoleIn returns the highest role in a workspace; Anyone: none.
func (t Testimony) RoleIn(workspace string) Role {
	highest := Anyone
	for _, r := range t.Roles {
		if r.Workspace == workspace {
			highest = max(highest, r.Role)
		}
	}
	return highest
}

// Reason is why somebody comes back from an issuer and is not signed in. Pages say it in their own words.
type Reason string

// The reasons.
const (
	ReasonForeign       Reason = "foreign"            // it was not begun in this browser, or another has begun there since
	ReasonOver          Reason = "over"               // it was used already, or is too old
	ReasonDenied        Reason = "denied"             // the issuer refused, or the person did
	ReasonUnavailable   Reason = "issuer_unavailable" // the issuer does not answer
	ReasonUnverified    Reason = "not_verified"       // the issuer's answer does not hold
	ReasonNotLetIn      Reason = "not_let_in"         // no group of theirs is let in
	ReasonManyGroups    Reason = "too_many_groups"    // more than the issuer lists in a token
	ReasonDomain        Reason = "domain_not_let_in"  // their address is of another domain, or not verified
	ReasonNoAddress     Reason = "address_missing"    // a user needs an address
	ReasonAddressTaken  Reason = "address_taken"      // a user has it: they sign in otherwise, and link
	ReasonLinkedAlready Reason = "linked_to_another"  // another user is linked to it
	ReasonHasOther      Reason = "has_another"        // the user has another identity of the issuer
	ReasonSignedOut     Reason = "signed_out"         // linking needs the session in which it was begun
)

// SignInError is the error of somebody who comes back from an issuer and is not signed in.
type SignInError struct {
	Reason Reason
	Err    error // cause, for the log only; may be nil
}

// Error is for logs: it includes the cause.
func (r *SignInError) Error() string {
	if r.Err == nil {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Err.Error()
}

// Unwrap returns the cause.
func (r *SignInError) Unwrap() error { return r.Err }
