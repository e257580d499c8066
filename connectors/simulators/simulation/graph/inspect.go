package graph

import (
	"slices"

	"crier/connectors/simulators/simulation"
)

// Inspected is what an API tells of a token: of all scopes those that its account has granted, without the
// one to publish where that was taken back (developers.facebook.com/docs/graph-api/reference/debug_token).
func Inspected(w *simulation.World, a *simulation.Account, all []string, publish string) map[string]any {
	granted := slices.Clone(Granted(a, all))
	if w.EndOf(a.ID) == simulation.ScopeWithdrawn {
		granted = slices.DeleteFunc(granted, func(scope string) bool { return scope == publish })
	}
	return map[string]any{"type": "USER", "application": "crier", "is_valid": true, "user_id": a.ID, "scopes": granted}
}
