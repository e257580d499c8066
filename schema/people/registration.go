package people

import (
	"time"

	"crier/schema"
)

// Registration is a new workspace with its first key, for somebody who has none. Nobody has proven that the
// address is theirs, so its owner is invited by a token that only the answer shows.
type Registration struct {
	Workspace schema.Workspace
	Email     string // where changes of the API are announced to
	Key       schema.KeyRecord
	Hash      [32]byte
	Owner     Invitation
	OwnerHash [32]byte // of the invitation's token
	Address   string   // the network it comes from
}

// Registrations from one network are bounded.
const (
	RegistrationWindow = time.Hour
	MaxRegistrations   = 3
)
