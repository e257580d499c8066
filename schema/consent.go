package schema

import "time"

// Consent is how far a person has come who connects accounts on their platform's own page.
type Consent struct {
	Workspace WorkspaceID
	Platform  Platform
	Server    string // that the person's account lives at; empty: the platform's own
	Sandbox   bool
	Brand     BrandID   // of the accounts to be connected
	Account   AccountID // that is to be connected again; zero: whichever the person chooses
	Redirect  string    // where the person is sent at the end; empty: a page of crier's
	Stage     ConsentStage
	Sealed    []byte // what the stage needs: see ConsentStage
	ExpiresAt time.Time

	WorkspaceName string // as it is read; never written
}

// SealedFor is what Sealed is bound to: see connectors.Vault.
func (c Consent) SealedFor() string {
	return "consent " + c.Workspace.String() + " " + c.Platform.String()
}

// ConsentStage is a step of a Consent. Each has a token of its own, of which the hash is kept:
// with it, and before the consent expires, one goes on to the next.
type ConsentStage int16

// The stages of a consent.
const (
	ConsentAsked     ConsentStage = iota + 1 // the person is with the platform; sealed: the app and PKCE's verifier
	ConsentTaken                             // the code is being exchanged: another request with it comes too late
	ConsentGranted                           // crier has credentials, and asks whether to attach; sealed: they
	ConsentSelecting                         // the person chooses among entities; sealed: the credentials
)

// ConsentLife is how long a person may take for one stage.
const ConsentLife = 10 * time.Minute

// HashConsentToken returns what is kept of a consent's token.
func HashConsentToken(token string) [32]byte { return HashAPIKey(token) }
