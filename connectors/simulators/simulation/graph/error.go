package graph

import (
	"encoding/json"
	"errors"
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Error is what an API answers a call with that it refuses
// (developers.facebook.com/docs/graph-api/guides/error-handling).
type Error struct {
	Status        int
	Code, Subcode int
	Message       string
	ForPeople     string // error_user_msg; empty: none
	Transient     bool
	Data          map[string]any // error_data; nil: none
}

func (e *Error) Error() string { return e.Message }

// WriteTo answers with the error.
func (e *Error) WriteTo(rw http.ResponseWriter) {
	fields := map[string]any{
		"message": e.Message, "type": "OAuthException", "code": e.Code, "is_transient": e.Transient, "fbtrace_id": "AbCdEfGhIjKlMnOpQrStUvW",
	}
	if e.Subcode != 0 {
		fields["error_subcode"] = e.Subcode
	}
	if e.ForPeople != "" {
		fields["error_user_msg"] = e.ForPeople
	}
	if e.Data != nil {
		fields["error_data"] = e.Data
	}
	Answer(rw, e.Status, map[string]any{"error": fields})
}

// Bad is an error of status 400.
func Bad(code, subcode int, message string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: code, Subcode: subcode, Message: message}
}

// Invalid is the error of a parameter.
func Invalid(what string) *Error { return Bad(100, 0, "Invalid parameter: "+what) }

// NoToken is the error of a call without a token.
func NoToken() *Error { return Bad(104, 0, "An access token is required to request this resource.") }

// ExpiredToken is the error of a token that has expired.
func ExpiredToken() *Error {
	return Bad(190, 463, "Error validating access token: Session has expired.")
}

// WrongSecret is the error of an app that does not prove who it is.
func WrongSecret() *Error { return Bad(1, 0, "Error validating client secret.") }

// NotFound is the error of an object that is not there, or is another's.
func NotFound(id string) *Error {
	return Bad(100, 33, "Unsupported request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation")
}

// UnknownPath is the error of a path that the API does not have.
func UnknownPath() *Error { return Bad(2500, 0, "Unknown path components") }

// Throttled is the error of too many calls of the app.
func Throttled() *Error { return Bad(4, 0, "Application request limit reached") }

// Outage is the error of a service that is away.
func Outage() *Error {
	return &Error{
		Status: http.StatusInternalServerError, Code: 2, Transient: true,
		Message: "An unexpected error has occurred. Please retry your request later.",
	}
}

// Fail answers with an error; one that is no Error is the journal's.
func Fail(rw http.ResponseWriter, err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = Outage()
	}
	e.WriteTo(rw)
}

// Answer answers with JSON.
func Answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=UTF-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}

// Ending is how the APIs refuse accounts that have ended
// (developers.facebook.com/docs/facebook-login/guides/access-tokens/debugging). withdrawn is
// the platform's own error of a permission that is missing.
func Ending(withdrawn Error) simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Deactivated:     {Says: "cannot access the app till you log in", End: schema.EndDeactivated},
			simulation.PasswordChanged: {Says: "the user changed their password", End: schema.NotEnded},
			simulation.Revoked:         {Says: "has not authorized application", End: schema.NotEnded},
			simulation.ScopeWithdrawn:  {Says: withdrawn.Message, End: schema.NotEnded}, // which may be of an incident
		},
		Refuse: func(rw http.ResponseWriter, end simulation.End) {
			switch end {
			case simulation.ScopeWithdrawn:
				withdrawn.WriteTo(rw)
			case simulation.Deactivated:
				Bad(190, 459, "Error validating access token: You cannot access the app till you log in to www.facebook.com and follow the instructions given.").WriteTo(rw)
			case simulation.PasswordChanged:
				Bad(190, 460, "Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.").WriteTo(rw)
			default:
				Bad(190, 458, "Error validating access token: The user has not authorized application.").WriteTo(rw)
			}
		},
	}
}
