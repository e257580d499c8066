package simulator

import (
	"net/http"

	"crier/connectors/simulation"
)

// refusal is an error the API answers with
// (developers.facebook.com/docs/graph-api/guides/error-handling).
type refusal struct {
	status        int
	code, subcode int
	message       string
	user          string // for people, where there is such
	transient     bool
}

func (r *refusal) Error() string { return r.message }

func (r *refusal) writeTo(rw http.ResponseWriter) {
	said := map[string]any{
		"message": r.message, "type": "OAuthException", "code": r.code, "is_transient": r.transient, "fbtrace_id": "AbCdEfGhIjKlMnOpQrStUvW",
	}
	if r.subcode != 0 {
		said["error_subcode"] = r.subcode
	}
	if r.user != "" {
		said["error_user_msg"] = r.user
	}
	answer(rw, r.status, map[string]any{"error": said})
}

func bad(code, subcode int, message string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: code, subcode: subcode, message: message}
}

func invalid(what string) *refusal { return bad(100, 0, "Invalid parameter: "+what) }

func noToken() *refusal {
	return bad(104, 0, "An access token is required to request this resource.")
}

func expiredToken() *refusal {
	return bad(190, 463, "Error validating access token: Session has expired.")
}

func notThere(id string) *refusal {
	return bad(100, 33, "Unsupported request. Object with ID '"+id+"' does not exist or cannot be loaded due to missing permissions.")
}

func unknownPath() *refusal { return bad(2500, 0, "Unknown path components") }

// mediaNotFound is what a container is answered with that is not there, expired or published.
func mediaNotFound() *refusal {
	r := bad(24, 2207008, "The requested resource does not exist")
	r.user = "The media builder with this creation id does not exist or has been expired."
	return r
}

func notReady() *refusal {
	r := bad(9007, 2207027, "Media ID is not available")
	r.user = "The media is not ready to be published. Please wait a moment."
	return r
}

func usedUp() *refusal {
	r := bad(9, 2207042, "Application request limit reached")
	r.user = "You reached the maximum number of posts that is allowed to be published by the Content Publishing API."
	return r
}

func throttled() *refusal { return bad(4, 0, "Application request limit reached") }

func outage() *refusal {
	return &refusal{
		status: http.StatusInternalServerError, code: 2, transient: true,
		message: "An unexpected error has occurred. Please retry your request later.",
	}
}

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	r := invalid("this text is not allowed")
	switch o {
	case simulation.RateLimit:
		r = throttled()
		forceWait(rw.Header())
	case simulation.ExpiredToken:
		r = expiredToken()
	case simulation.Outage:
		r = outage()
	}
	if status != 0 {
		r.status = status
	}
	r.writeTo(rw)
}

// ending is how the API refuses profiles that have ended.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: []simulation.End{
			simulation.Deactivated, simulation.PasswordChanged, simulation.Revoked, simulation.ScopeWithdrawn,
		},
		Refuse: refuseEnded,
	}
}

// isStopped tells whether an end stops an operation: a token without the permission to
// publish still reads.
func isStopped(end simulation.End, operation string) bool {
	return end != simulation.ScopeWithdrawn || operation == opCreate || operation == opPublish || operation == opComment
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	switch end {
	case simulation.Deactivated:
		bad(190, 459, "You cannot access the app till you log in to www.facebook.com and follow the instructions given.").writeTo(rw)
	case simulation.ScopeWithdrawn:
		r := bad(10, 0, "Application does not have permission for this action")
		r.status = http.StatusForbidden
		r.writeTo(rw)
	case simulation.PasswordChanged:
		bad(190, 460, "Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.").writeTo(rw)
	default:
		bad(190, 458, "Error validating access token: The user has not authorized application.").writeTo(rw)
	}
}
