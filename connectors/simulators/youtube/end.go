package youtube

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how YouTube refuses channels that have ended
// (developers.google.com/youtube/v3/docs/errors, common request errors).
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Suspended:      {Says: "is suspended", End: schema.EndSuspended},
			simulation.Deleted:        {Says: "of the authenticated user is closed", End: schema.EndDeleted},
			simulation.Revoked:        {Says: "invalid authentication credentials", End: schema.NotEnded},
			simulation.ScopeWithdrawn: {Says: "insufficient authentication scopes", End: schema.EndScope},
		},
		Refuse: refuseEnded,
	}
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	switch end {
	case simulation.Suspended:
		refuse(rw, refusal{http.StatusForbidden, "authenticatedUserAccountSuspended", "The YouTube account of the authenticated user is suspended."})
	case simulation.Deleted:
		refuse(rw, refusal{http.StatusForbidden, "authenticatedUserAccountClosed", "The YouTube account of the authenticated user is closed."})
	case simulation.ScopeWithdrawn:
		refuse(rw, badScope())
	default:
		refuse(rw, badCredentials())
	}
}

func badCredentials() refusal {
	return refusal{http.StatusUnauthorized, "authError", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."}
}

func badScope() refusal {
	return refusal{http.StatusForbidden, "insufficientPermissions", "Request had insufficient authentication scopes."}
}
