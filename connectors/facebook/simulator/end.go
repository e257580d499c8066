package simulator

import (
	"net/http"

	"crier/connectors/simulation"
)

// ending is how Facebook refuses pages whose token has ended
// (developers.facebook.com/docs/facebook-login/guides/access-tokens/debugging).
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: []simulation.End{
			simulation.Deactivated, simulation.PasswordChanged, simulation.Revoked, simulation.ScopeWithdrawn,
		},
		Refuse: refuseEnded,
	}
}

// isStopped tells whether an end stops a call: a token without the permission to write still
// reads.
func isStopped(end simulation.End, r *http.Request) bool {
	return end != simulation.ScopeWithdrawn || r.Method != http.MethodGet
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	refused := bad(190, 458, "Error validating access token: The user has not authorized application 1.")
	switch end {
	case simulation.Deactivated:
		refused = bad(190, 459, "Error validating access token: You cannot access the app till you log in to www.facebook.com and follow the instructions given.")
	case simulation.PasswordChanged:
		refused = bad(190, 460, "Error validating access token: The session has been invalidated because the user changed their password")
	case simulation.ScopeWithdrawn:
		refused = &refusal{status: http.StatusForbidden, code: 200, message: "(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission"}
	}
	refused.writeTo(rw)
}
