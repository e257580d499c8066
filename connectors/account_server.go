package connectors

import (
	"strings"

	"crier/schema"
)

// ServerOf returns the address an account lives at, without a slash at its end: the one it
// names, else the connector's. An account of the sandbox lives at the simulator, whatever
// server it names.
func ServerOf(a schema.Account, base string) string {
	if a.Server != "" && !a.Sandbox {
		base = a.Server
	}
	return strings.TrimRight(base, "/")
}
