package people

import (
	"fmt"

	"crier/schema"
	"crier/schema/lists"
)

// Role is what a member may do in a workspace; each includes those before it. Its number is stored: it
// never changes.
type Role int16

// The roles. Anyone is none: that of whoever is signed in.
const (
	Anyone Role = iota
	Viewer      // reads
	Author      // and makes drafts
	Editor      // and publishes, and answers
	Admin       // and manages accounts, keys, webhooks and members
	Owner       // and pays, and ends the workspace
)

var roleNames = [...]string{Anyone: "anyone", Viewer: "viewer", Author: "author", Editor: "editor", Admin: "admin", Owner: "owner"}

// Roles returns those that a member can have, the least first.
func Roles() []Role { return []Role{Viewer, Author, Editor, Admin, Owner} }

// String returns the role's name in the API.
func (r Role) String() string { return lists.Name(r, Anyone, roleNames[:], "role") }

// MarshalText makes the role its name in JSON.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// ParseRole reads the name of a role that a member can have.
func ParseRole(name string) (Role, error) {
	if r := lists.Number[Role](name, roleNames[:]); r > Anyone {
		return r, nil
	}
	return 0, fmt.Errorf("%q is no role", name)
}

// Permission returns what a key may do that stands for a member of the role. Which routes the role
// reaches is decided by the routes themselves.
func (r Role) Permission() schema.Permission {
	switch {
	case r >= Admin:
		return schema.Admin
	case r >= Author:
		return schema.Write
	case r >= Viewer:
		return schema.Read
	default:
		return 0
	}
}

// MinRole returns the role that a member needs where a key needs a permission, unless a route says
// otherwise.
func MinRole(p schema.Permission) Role {
	switch p {
	case schema.Read:
		return Viewer
	case schema.Write:
		return Editor
	default:
		return Admin
	}
}

// Grants returns the highest permission that a member of the role can give a key; 0: none. A key with the
// permission admin reaches what among members only owners do.
func (r Role) Grants() schema.Permission {
	switch {
	case r >= Owner:
		return schema.Admin
	case r >= Editor:
		return schema.Write
	case r >= Viewer:
		return schema.Read
	default:
		return 0
	}
}
