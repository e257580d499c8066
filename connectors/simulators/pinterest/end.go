package pinterest

import (
	"net/http"

	"crier/connectors/simulators/simulation"
)

// ending is how Pinterest refuses what has ended. A token that the person took back and one that
// ended with the password are refused alike.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: []simulation.End{
			simulation.PasswordChanged, simulation.Revoked, simulation.ScopeWithdrawn, simulation.BoardDeleted,
		},
		Refuse: refuseEnded,
	}
}

// isStopped reports whether an end stops a call: a token without the scopes to write still reads,
// and boards are listed without one of them.
func isStopped(end simulation.End, r *http.Request) bool {
	switch end {
	case simulation.ScopeWithdrawn:
		return r.Method != http.MethodGet
	case simulation.BoardDeleted:
		return r.PathValue("board") != "" || r.URL.Path == "/v5/pins"
	default:
		return true
	}
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	refused := authenticationFailed()
	switch end {
	case simulation.ScopeWithdrawn:
		refused = missingScope()
	case simulation.BoardDeleted:
		refused = noBoard()
	}
	refused.writeTo(rw)
}
