package bluesky

import (
	"net/http"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how a PDS refuses accounts that have ended.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Suspended:       {Says: "Account has been taken down", End: schema.EndSuspended},
			simulation.Deactivated:     {Says: "Account is deactivated", End: schema.EndDeactivated},
			simulation.Deleted:         {Says: "Account not found", End: schema.EndDeleted},
			simulation.PasswordChanged: {Says: "Invalid identifier or password", End: schema.NotEnded},
			simulation.Revoked:         {Says: "Invalid identifier or password", End: schema.NotEnded}, // of the login that follows
			simulation.ScopeWithdrawn:  {Says: "Bad token scope", End: schema.EndScope},
		},
		Refuse: func(rw http.ResponseWriter, end simulation.End) {
			refused, _ := endedCall(end, "com.atproto.repo.putRecord")
			respond(rw, refused.Status, refused)
		},
	}
}

// alive turns calls away that act for an account which has ended.
func (s *simulator) alive(next http.Handler) http.Handler {
	acts := []string{
		"com.atproto.server.refreshSession", "com.atproto.server.getSession", "com.atproto.server.getServiceAuth", uploadBlob, "com.atproto.repo.putRecord", "app.bsky.video.uploadVideo",
		"com.atproto.repo.createRecord", "com.atproto.repo.deleteRecord", "app.bsky.feed.getPosts", "app.bsky.actor.getProfile",
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		called := operation(r)
		if slices.Contains(acts, called) {
			c, _ := parseToken(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			if refused, ok := endedCall(s.world.EndOf(c.Subject), called); ok {
				respond(rw, refused.Status, refused)
				return
			}
		}
		next.ServeHTTP(rw, r)
	})
}

// endedCall returns how a call for an account is refused; ok is false where it is not.
func endedCall(end simulation.End, called string) (refused refusal, ok bool) {
	isSession := called == "com.atproto.server.getSession" || called == "com.atproto.server.refreshSession"
	switch end {
	case simulation.Suspended:
		if called == "com.atproto.server.getSession" {
			return invalid("InvalidRequest", "Could not find user info"), true
		}
		return errTakenDown, true
	case simulation.Deactivated:
		return refusal{http.StatusUnauthorized, "AccountDeactivated", "Account is deactivated"}, !isSession
	case simulation.Deleted:
		return refusal{http.StatusForbidden, "AccountNotFound", "Account not found"}, true
	case simulation.ScopeWithdrawn:
		return invalid(invalidToken, "Bad token scope"), !isSession
	case simulation.PasswordChanged, simulation.Revoked:
		return invalid(expiredToken, "Token has been revoked"), true
	default:
		return refusal{}, false
	}
}

var errTakenDown = refusal{http.StatusUnauthorized, "AccountTakedown", "Account has been taken down"}

// endedLogin returns how a login is refused; ok is false where it is not.
func endedLogin(end simulation.End) (refused refusal, ok bool) {
	switch end {
	case simulation.Suspended:
		return errTakenDown, true
	case simulation.Deleted, simulation.PasswordChanged, simulation.Revoked:
		return errLoginFailed, true
	default:
		return refusal{}, false
	}
}
