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
	IsProven   bool // the address is known to be theirs: a link that was sent there, or given by the operator, came back
	CreatedAt  time.Time

	Memberships []Membership // by the names of workspaces
}

// Email returns an address as it is stored and looked for.
func Email(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// Membership is what a user may do in a live workspace. It holds in the sandbox twin too.
type Membership struct {
	Workspace schema.WorkspaceID
	Name      string // of the workspace
	Role      Role
}

// Member is a user as a workspace sees them.
type Member struct {
	User     schema.UserID
	Email    string
	Name     string
	Role     Role
	JoinedAt time.Time
	SeenAt   time.Time // in this workspace, by the sessions there are; zero: by none
}

// MaxMembers is how many members and open invitations a workspace has at most.
const MaxMembers = 500

// Invitation asks somebody to become a member.
type Invitation struct {
	ID        schema.InvitationID
	Workspace schema.WorkspaceID
	Email     string // in lower case
	Role      Role
	InvitedBy schema.UserID // zero: nobody, as where a registration named its owner
	CreatedAt time.Time
	ExpiresAt time.Time
	Mailed    bool // it goes, or went, to its address by mail
}

// MemberChange changes what a member may do, or ends the membership.
type MemberChange struct {
	Workspace schema.WorkspaceID
	By        schema.UserID // who asks
	User      schema.UserID
	Role      Role // Anyone: the membership ends
	EndsKeys  bool // with the membership also the API keys end that the member has made
}

// NewUser is somebody who is made a user by an invitation.
type NewUser struct {
	ID         schema.UserID
	Email      string // the invitation's
	Name       string
	Password   string   // as it is stored
	Invitation [32]byte // hash of its token
}

// ErrSignInFirst is what somebody is told who has an invitation, and is a user, but is not signed in.
var ErrSignInFirst = &schema.Error{Kind: schema.Unauthorized, Message: "whoever is invited is a user already: sign in first, then accept the invitation"}

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// scopeOf is where a member's repeated requests are known as such: by member and workspace.
func scopeOf(user schema.UserID, workspace schema.WorkspaceID) schema.KeyID {
	sum := sha256.Sum256(append(user[:len(user):len(user)], workspace[:]...))
	return schema.KeyID(sum[:16])
}
