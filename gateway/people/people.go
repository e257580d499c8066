package people

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"crier/gateway/admission"
	"crier/gateway/body"
	"crier/identity/oidc"
	"crier/identity/passkey"
	"crier/schema"
	"crier/schema/people"
)

// Store is all that people ask of the database.
type Store interface {
	signer
	linkStore
	sessionStore
	passwordStore
	emailStore
	memberStore
	invitationStore
	ceremonyStore
	passkeyStore
	identityStore
}

// signer lets somebody in who has a password.
type signer interface {
	// CountAttempt counts an attempt, and returns what its password is checked against: nothing where there is
	// no such user. It is RateLimitExceeded where there were too many.
	CountAttempt(ctx context.Context, attempt people.Attempt) (people.Credentials, error)
	// SignIn begins the session of an attempt whose password was that of the credentials. It is Unauthorized
	// where they have changed since.
	SignIn(ctx context.Context, session people.NewSession, attempt people.Attempt, credentials people.Credentials) error
}

// linkStore lets somebody in who has a link.
type linkStore interface {
	// Link returns a link that works, or Unauthorized.
	Link(ctx context.Context, hash [32]byte) (people.Link, error)
	// Redeem uses a link up and begins a session. It is Unauthorized where the link does not work any more.
	Redeem(ctx context.Context, redemption people.Redemption, session people.NewSession) error
}

// sessionStore keeps sessions.
type sessionStore interface {
	Sessions(ctx context.Context, user schema.UserID) ([]people.SessionRecord, error)
	// EndSession is NotFound where the user has no such session.
	EndSession(ctx context.Context, user schema.UserID, id schema.SessionID) error
	// TurnSession makes a session work on a workspace or its twin. It is NotFound where the user is no member.
	TurnSession(ctx context.Context, id schema.SessionID, workspace schema.WorkspaceID, sandbox bool) error
	Memberships(ctx context.Context, user schema.UserID) ([]people.Membership, error)
	// ProveByPassword stores that the user of a session has shown their password. It is Unauthorized where the session
	// has ended.
	ProveByPassword(ctx context.Context, user schema.UserID, session schema.SessionID) error
}

// passwordStore keeps passwords.
type passwordStore interface {
	// CountProof counts that a user shows their password in a session, and returns what it is checked against: nothing
	// where they have none. It is RateLimitExceeded where there were too many.
	CountProof(ctx context.Context, user schema.UserID) (stored string, err error)
	// ChangePassword ends all sessions of the user but the current one, which goes on by another token. It is
	// Unauthorized where that has ended.
	ChangePassword(ctx context.Context, user schema.UserID, password string, current schema.SessionID, hash [32]byte) error
}

// Passwords hashes and checks passwords.
type Passwords interface {
	Hash(ctx context.Context, password string) (string, error)
	// Matches takes as long where nothing is stored.
	Matches(ctx context.Context, password, stored string) (bool, error)
}

// Vault seals texts for what associated names.
type Vault interface {
	SealText(associated, text string) ([]byte, error)
	OpenText(associated string, sealed []byte) (string, error)
}

// Sandboxes makes the workspaces of the test mode.
type Sandboxes interface {
	// Twin returns the sandbox twin of a live workspace, and creates it at the first call.
	Twin(ctx context.Context, live schema.WorkspaceID) (schema.WorkspaceID, error)
}

// Config is what people are served with.
type Config struct {
	Store        Store
	Mail         MailStore
	Passwords    Passwords
	Vault        Vault
	Sandboxes    Sandboxes
	Verifier     *passkey.Verifier // nil: browsers know no passkeys at the public URL
	Providers    []*oidc.Provider
	Cookies      admission.Cookies
	PublicURL    string // of the console's pages
	ProvidersURL string // what stands before the names of providers in the addresses that they send browsers back to
	Now          func() time.Time
	Random       io.Reader
	Logger       *slog.Logger
}

// Routes returns the operations of people.
func Routes(c Config) []admission.Route {
	s := &sessions{c}
	return slices.Concat(s.routes(), s.emailRoutes(), (&members{c}).routes(), (&invitations{s}).routes(), (&mail{c}).routes(),
		(&passkeys{s}).routes(), (&providers{s}).routes(), (&identities{s}).routes())
}

func (s *sessions) routes() []admission.Route {
	return []admission.Route{
		admission.HandleVisitor(http.MethodPost, "/session", body.WithForm(s.signIn)),
		admission.HandleVisitor(http.MethodPost, "/session/link", body.WithForm(s.redeem)),
		admission.HandleMember(http.MethodGet, "/session", people.Anyone, body.WithoutParameters(s.current)),
		admission.HandleMember(http.MethodPatch, "/session", people.Anyone, body.WithForm(s.turn)),
		admission.HandleMember(http.MethodDelete, "/session", people.Anyone, s.signOut),
		admission.HandleMember(http.MethodPost, "/session/proof", people.Anyone, body.WithForm(s.prove)),
		admission.HandleMember(http.MethodGet, "/sessions", people.Anyone, body.WithoutParameters(s.list)),
		admission.HandleMember(http.MethodDelete, "/sessions/:id", people.Anyone, body.WithID("session", s.end)),
		admission.HandleMember(http.MethodPatch, "/me/password", people.Anyone, body.WithForm(s.changePassword)),
	}
}
