package googlebusiness

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how Google refuses calls about locations that have ended. One that its person no
// longer manages is one they are not a member of.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Deleted:        {Says: "Requested entity was not found", End: schema.EndDeleted}, // the location
			simulation.Revoked:        {Says: "invalid authentication credentials", End: schema.NotEnded},
			simulation.ScopeWithdrawn: {Says: "insufficient authentication scopes", End: schema.EndScope},
			simulation.NotMember:      {Says: "The caller does not have permission", End: schema.NotEnded}, // somebody no longer manages the location
		},
		Refuse: refuseEnded,
	}
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	switch end {
	case simulation.ScopeWithdrawn:
		refuse(rw, withoutScope())
	case simulation.Deleted:
		refuse(rw, notFound())
	case simulation.NotMember:
		refuse(rw, refusal{Code: http.StatusForbidden, Status: "PERMISSION_DENIED", Message: "The caller does not have permission"})
	default:
		refuse(rw, badToken())
	}
}
