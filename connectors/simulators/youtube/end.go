package youtube

import (
	"net/http"

	"crier/connectors/simulators/simulation"
)

// ending is how YouTube refuses channels that have ended
// (developers.google.com/youtube/v3/docs/errors, common request errors).
func ending() simulation.Ending {
	return simulation.Ending{
		Ends:   []simulation.End{simulation.Suspended, simulation.Deleted, simulation.Revoked, simulation.ScopeWithdrawn},
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
