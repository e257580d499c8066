package people

import (
	"crypto/sha256"
	"strings"
	"time"

	"crier/schema"
)

// User is somebody who can sign in.
type User struct {
	ID         schema.UserID
	Email      string // in lower case: it names one user
	Name       string
	IsOperator bool // of the installation: set by command alone, and no role gives it
	CreatedAt  time.Time

	Memberships []Membership // by the names of workspaces
}

// Email returns an address as it is stored and looked for.
func Email(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// Membership is what a user may do in a live workspace. It holds in the sandbox twin too, except for
// members of some brands: they have no twin.
type Membership struct {
	Workspace schema.WorkspaceID
	Name      string // of the workspace
	Role      Role
	Brands    []schema.BrandID // whose accounts and posts the member sees; empty: all
}

// Member is a user as a workspace sees them.
type Member struct {
	User     schema.UserID
	Email    string
	Name     string
	Role     Role
	Brands   []schema.BrandID
	JoinedAt time.Time
	SeenAt   time.Time // in this workspace, by the sessions there are; zero: by none
}

// MaxMembers is how many members and open invitations a workspace has at most.
const MaxMembers = 500

// Invitation asks somebody to become a member.
type Invitation struct {
	ID        schema.InvitationID
	Workspace schema.WorkspaceID
	Email     string
	Role      Role
	Brands    []schema.BrandID
	InvitedBy schema.UserID // zero: nobody, as where a registration named its owner
	CreatedAt time.Time
	ExpiresAt time.Time
}

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// scopeOf is where a member's repeated requests are known as such: by member and workspace.
func scopeOf(user schema.UserID, workspace schema.WorkspaceID) schema.KeyID {
	sum := sha256.Sum256(append(user[:len(user):len(user)], workspace[:]...))
	return schema.KeyID(sum[:16])
}
