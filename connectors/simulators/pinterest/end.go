package pinterest

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how Pinterest refuses what has ended. A token that the person took back and one that
// ended with the password are refused alike.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.PasswordChanged: {Says: "Authentication failed", End: schema.NotEnded},
			simulation.Revoked:         {Says: "Authentication failed", End: schema.NotEnded},
			simulation.ScopeWithdrawn:  {Says: "does not have sufficient permissions", End: schema.EndScope},
			simulation.BoardDeleted:    {Says: "Board not found", End: schema.EndRemoved},
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
