package people

import (
	"crier/schema/lists"
)

// Means is how somebody has shown who they are when a session began. Its number is stored: it never changes.
type Means int16

// The means. Sessions that began before they were told have WithUnknown.
const (
	WithUnknown Means = iota
	WithPassword
	WithLink
	WithInvitation // which made them a user
	WithPasskey
	WithProvider // an issuer of OpenID Connect
)

var meansNames = [...]string{WithUnknown: "", WithPassword: "password", WithLink: "link", WithInvitation: "invitation", WithPasskey: "passkey", WithProvider: "provider"}

// String returns the name in the API; empty for WithUnknown.
func (m Means) String() string { return lists.Name(m, WithUnknown, meansNames[:], "means") }

// Ways are those to sign in that this server offers apart from passwords. Others do not count where somebody
// removes one of theirs.
type Ways struct {
	Issuers  []string // URLs
	Passkeys bool
}
