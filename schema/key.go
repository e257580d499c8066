package schema

import (
	"fmt"
	"time"
)

// Permission is what a key may do; each includes those before it.
type Permission int16

// The permissions of a key.
const (
	Read Permission = iota + 1
	Write
	Admin
)

func permissionNames() []string { return []string{"read", "write", "admin"} }

// ParsePermission reads the name of a permission.
func ParsePermission(name string) (Permission, error) {
	for i, n := range permissionNames() {
		if n == name {
			return Permission(i + 1), nil
		}
	}
	return 0, fmt.Errorf("%q is no permission", name)
}

// Names returns the permission and those it includes, the least first.
func (p Permission) Names() []string { return permissionNames()[:p] }

// Key is an API key as the gateway knows it once it is authenticated.
type Key struct {
	ID                KeyID
	Lineage           KeyID // the first key of a chain of rotations; idempotency is scoped to it
	Workspace         WorkspaceID
	Sandbox           bool
	Permission        Permission
	RequestsPerMinute int       // of its workspace's plan; 0: no limit
	PostsPerMonth     int       // of its workspace's plan, in entries; 0: no limit
	SuspendedUntil    time.Time // zero: it is not
}

// KeyRecord is an API key as it is managed. Zero times have not come.
type KeyRecord struct {
	ID             KeyID
	Lineage        KeyID
	Workspace      WorkspaceID // of a test key the sandbox twin
	Sandbox        bool
	Name           string
	Prefix         string // how the key begins
	Permission     Permission
	CreatedAt      time.Time
	LastUsedAt     time.Time // to the minute
	ExpiresAt      time.Time // after a rotation, the end of the overlap
	RevokedAt      time.Time
	SuspendedUntil time.Time
}

// Works tells whether a key has not come to its end.
func (k KeyRecord) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(now))
}

// A key that goes on in spite of 429 is suspended: where more than 20 times its requests
// of a minute were refused within ten minutes, for a quarter of an hour.
const (
	PatienceWindow = 10 * time.Minute
	SuspensionTime = 15 * time.Minute
	patience       = 20
)

// Patience is how many refused requests of a key are put up with within PatienceWindow.
func (k Key) Patience() int { return patience * k.RequestsPerMinute }

// Registration is a workspace with its first key, made by somebody who has none.
type Registration struct {
	Workspace Workspace
	Email     string // where changes of the API are announced to
	Key       KeyRecord
	Hash      [32]byte
	Address   string // the network it comes from
}

// Registrations from one network are bounded.
const (
	RegistrationWindow = time.Hour
	MaxRegistrations   = 3
)
