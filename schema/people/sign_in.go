package people

import (
	"time"

	"crier/schema"
)

// Attempts to sign in by password are counted in windows, before the password is looked at. An address
// has a network's, since there may be an office behind it; so has a user, by their address of e-mail,
// whether there is such a user or not. A user has one of their own, which others cannot use up, in each browser
// that they have signed in from before, and one for what asks for their password in their sessions.
const (
	AttemptWindow     = 15 * time.Minute
	AttemptsByAddress = 50
	AttemptsByEmail   = 10
	AttemptsByBrowser = 10
	AttemptsInSession = 10
)

// Attempt is one to sign in.
type Attempt struct {
	Email   string
	Address string // the network it comes from
	Browser Browser
}

// Browser is one that a user has signed in from before, as its cookie shows.
type Browser struct {
	User schema.UserID // zero: nobody is known to have
	ID   string
}

// BrowserLife is for how long a browser is known after its user has signed in.
const BrowserLife = 180 * 24 * time.Hour

// Credentials are what a password is checked against.
type Credentials struct {
	User     schema.UserID // zero: there is no such user
	Password string        // as it is stored; empty: the user has none
}

// ErrWrongPassword does not tell whether there is such a user.
var ErrWrongPassword = &schema.Error{Kind: schema.Unauthorized, Message: "the address and the password do not go together"}

// LinkLife is how long a link to sign in works, once.
const LinkLife = 10 * time.Minute

// Link signs somebody in, once.
type Link struct {
	Hash      [32]byte      // of its token
	User      schema.UserID // zero: it makes the first owner
	ExpiresAt time.Time
}

// Redemption is the use of a link.
type Redemption struct {
	Hash     [32]byte
	Password string // as it is stored; empty: it stays as it is
	// The first owner's, of whom nothing is known.
	Email string
	Name  string
	ID    schema.UserID // that a user gets who is made
	At    time.Time
}
