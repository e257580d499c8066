package people

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"crier/schema"
)

// CeremonyKind is what a browser has begun. Its number is stored: it never changes.
type CeremonyKind int16

// The kinds of ceremonies.
const (
	SignsInByProvider CeremonyKind = iota + 1
	LinksIdentity
	SignsInByPasskey
	AddsPasskey
)

// Ceremony is a sign-in at an issuer or by a passkey, or the addition of one: a browser begins it, and ends it
// once, with the token that it holds in a cookie. What is sent elsewhere follows from that token by Secret, so
// that nothing of it is stored.
type Ceremony struct {
	Hash     [32]byte // of its token
	Kind     CeremonyKind
	Provider string           // name of the issuer; empty: a passkey
	User     schema.UserID    // whose way to sign in is added; zero: somebody signs in
	Session  schema.SessionID // in which it was begun; zero: in none
	Address  string           // the network it was begun from
}

// CeremonyLife is how long a ceremony can be ended.
const CeremonyLife = 10 * time.Minute

// MaxCeremonies is how many may wait for their end, in the installation. Networks and users are bounded by
// themselves.
const MaxCeremonies = 10_000

// The secrets of a ceremony: what an issuer sends back in the address, what it writes into its token, what
// shows to it that the code is used by whoever asked for it (RFC 7636), and what a passkey signs.
const (
	SecretState     = "state"
	SecretNonce     = "nonce"
	SecretVerifier  = "verifier"
	SecretChallenge = "challenge"
)

// Secret returns one of a ceremony's secrets: 43 characters, which tell nothing of the token or of each other.
func Secret(token, of string) string {
	sum := sha256.Sum256([]byte("crier ceremony " + of + " " + token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
