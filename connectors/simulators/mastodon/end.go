package mastodon

import (
	"net/http"

	"crier/connectors/simulators/simulation"
)

// ending is how a Mastodon server refuses accounts that have ended.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: []simulation.End{
			simulation.Suspended, simulation.Deleted, simulation.PasswordChanged, simulation.Revoked, simulation.ScopeWithdrawn,
		},
		Refuse: refuseEnded,
	}
}

// isStopped reports whether an end stops an operation: a token without the scope to write
// still reads.
func isStopped(end simulation.End, operation string) bool {
	return end != simulation.ScopeWithdrawn || operation == "POST /api/v1/statuses" || operation == opUploadMedia
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	switch end {
	case simulation.Suspended:
		refuse(rw, http.StatusForbidden, "Your login is currently disabled")
	case simulation.Deleted:
		refuse(rw, http.StatusNotFound, errNotFound)
	case simulation.ScopeWithdrawn:
		refuse(rw, http.StatusForbidden, "This action is outside the authorized scopes")
	default:
		refuse(rw, http.StatusUnauthorized, "The access token was revoked")
	}
}
