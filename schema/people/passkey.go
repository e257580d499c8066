package people

import (
	"time"

	"crier/schema"
)

// Passkey is a credential by which a user signs in (WebAuthn).
type Passkey struct {
	ID             schema.PasskeyID
	User           schema.UserID
	Name           string
	Credential     []byte // as the authenticator calls it
	PublicKey      []byte // COSE
	SignCount      uint32 // 0: the authenticator does not count
	Transports     []string
	BackupEligible bool // it may be copied to other devices
	CreatedAt      time.Time
	UsedAt         time.Time // zero: never
}

// MaxPasskeys is how many a user has at most.
const MaxPasskeys = 20

// ErrNoPasskey is what somebody is told whose passkey does not sign in, whatever is wrong with it.
var ErrNoPasskey = &schema.Error{Kind: schema.Unauthorized, Message: "the passkey does not sign in here: it is unknown, or its answer does not hold"}

// ErrCeremonyOver is what somebody is told who ends a ceremony that their browser has not begun, or that is over.
var ErrCeremonyOver = &schema.Error{Kind: schema.Unauthorized, Message: "this has not begun in this browser, was used already, or is too old: begin again"}

// ErrCopiedPasskey is what somebody is told whose passkey counts fewer uses than were seen of it, or is gone.
var ErrCopiedPasskey = &schema.Error{Kind: schema.Unauthorized, Message: "the passkey is gone, or was copied: it counts fewer uses than were seen of it. Sign in by other means, and remove it"}
