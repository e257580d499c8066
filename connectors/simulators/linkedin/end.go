package linkedin

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how LinkedIn refuses accounts that have ended.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Revoked:        {Says: "has been revoked by the user", End: schema.NotEnded},
			simulation.ScopeWithdrawn: {Says: "Not enough permissions", End: schema.EndScope},
		},
		Refuse: refuseEnded,
	}
}

// isStopped reports whether an end stops a call: a token without the scope to write still reads.
func isStopped(end simulation.End, r *http.Request) bool {
	return end != simulation.ScopeWithdrawn || r.Method != http.MethodGet
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	if end == simulation.ScopeWithdrawn {
		refuse(rw, denied("posts.CREATE"))
		return
	}
	refuse(rw, refusal{
		Status: http.StatusUnauthorized, Service: 65601, Code: "REVOKED_ACCESS_TOKEN",
		Message: "The token used in the request has been revoked by the user",
	})
}
