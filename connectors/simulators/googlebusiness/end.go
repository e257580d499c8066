package googlebusiness

import (
	"net/http"

	"crier/connectors/simulators/simulation"
)

// ending is how Google refuses calls about locations that have ended. One that its person no
// longer manages is one they are not a member of.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends:   []simulation.End{simulation.Revoked, simulation.ScopeWithdrawn, simulation.Deleted, simulation.NotMember},
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
