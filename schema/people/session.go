package people

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"crier/schema"
)

// A session ends once nobody has used it for a while, and in any case after a month.
const (
	SessionIdle = 72 * time.Hour // over a weekend
	SessionLife = 30 * 24 * time.Hour
	// MaxSessions is how many sessions a user has at most; the one that was used longest ago ends.
	MaxSessions = 50
	// ProofLife is for how long a user may change how they sign in once they have shown who they are.
	ProofLife = 10 * time.Minute
)

// Session is that of a user who is signed in, with what they may do now.
type Session struct {
	ID            schema.SessionID
	User          User               // its id, address, name and mark
	Workspace     schema.WorkspaceID // the live one it works on; zero: the user is a member of none
	Sandbox       bool               // it works on the twin of Workspace
	Scope         schema.WorkspaceID // Workspace or its twin; zero as Workspace
	Name          string             // of the workspace
	Role          Role               // in the workspace
	PostsPerMonth int                // of the workspace's plan, in entries; 0: no limit
	Means         Means              // by which its user signed in
	Provider      string             // name of the issuer of WithProvider
	HasPassword   bool               // its user has one to show
	ProvenAt      time.Time          // when its user last showed who they are
	ExpiresAt     time.Time
}

// IsProven reports whether its user has shown who they are of late.
func (s Session) IsProven(now time.Time) bool { return now.Before(s.ProvenAt.Add(ProofLife)) }

// Key returns the key that a session is seen as; the zero key where it works on no workspace.
func (s Session) Key() schema.Key {
	if s.Scope.IsZero() {
		return schema.Key{}
	}
	return schema.Key{
		Name: s.User.Name, Lineage: scopeOf(s.User.ID, s.Scope), Workspace: s.Scope, Sandbox: s.Sandbox, Permission: s.Role.Permission(),
		PostsPerMonth: s.PostsPerMonth, User: s.User.ID, DraftsOnly: s.Role == Author,
	}
}

// SessionRecord is a session as its owner sees it.
type SessionRecord struct {
	ID        schema.SessionID
	Workspace string // name; empty: none
	Sandbox   bool
	Address   string // the network it was begun from
	Agent     string // the program that began it, as it calls itself
	Means     Means
	Provider  string // name of the issuer of WithProvider
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
	ExpiresAt time.Time
}

// NewSession begins a session.
type NewSession struct {
	ID       schema.SessionID
	User     schema.UserID
	Hash     [32]byte // of its token
	Replaces [32]byte // hash of the session that the browser had before, which ends; zero: none
	Address  string
	Agent    string
	Means    Means
	Provider string // name of the issuer of WithProvider
	At       time.Time
}

// tokenLength is 256 bits.
const tokenLength = 32

// NewToken makes a secret: of a session, or of a link that is used once.
func NewToken(random io.Reader) (string, error) {
	var token [tokenLength]byte
	if _, err := io.ReadFull(random, token[:]); err != nil {
		return "", fmt.Errorf("reading randomness: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(token[:]), nil
}

// HashToken returns what is stored of a token, by which it is looked for; ok is false for what cannot be
// one.
func HashToken(token string) (hash [32]byte, ok bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenLength) {
		return hash, false
	}
	return sha256.Sum256([]byte(token)), true
}

// CSRFToken returns what a page sends along with its session's cookie to show that it may read what the
// session reads. It follows from the session's token, and does not tell it.
func CSRFToken(sessionToken string) string {
	sum := sha256.Sum256([]byte("crier csrf " + sessionToken))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
