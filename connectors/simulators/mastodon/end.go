package mastodon

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how a Mastodon server refuses accounts that have ended.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Suspended:       {Says: "Your login is currently disabled", End: schema.EndSuspended},
			simulation.Deleted:         {Says: "no such account", End: schema.EndDeleted}, // a 404 or a 410
			simulation.PasswordChanged: {Says: "access token was revoked", End: schema.NotEnded},
			simulation.Revoked:         {Says: "access token was revoked", End: schema.NotEnded},
			simulation.ScopeWithdrawn:  {Says: "outside the authorized scopes", End: schema.EndScope},
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
