package simulation

import (
	"net/http"

	"crier/schema"
)

// Simulator is what there is of one platform's simulator, all in one value: package catalog is the list
// of them.
type Simulator struct {
	Platform schema.Platform
	Label    string // what the platform calls itself; empty: its name in the API
	// New makes it with the platform's own rate limits, NewUnlimited without them, for load.
	New, NewUnlimited func(*World) http.Handler
	// Credentials are those of the sandbox's account of a workspace, by a name of it that is the platform's
	// to write. The simulator takes any of the right form, so that no call is needed.
	Credentials func(name string) schema.Credentials
	Ending      Ending
}

// TokenCredentials are the Credentials of a Simulator whose accounts are those of their tokens.
func TokenCredentials(name string) schema.Credentials {
	return schema.Credentials{AccessToken: "sandbox-" + name}
}
