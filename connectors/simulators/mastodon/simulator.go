package mastodon

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// The wording of Mastodon's errors.
const (
	errToken    = "The access token is invalid"
	errNotFound = "Record not found"
	errTooMany  = "Too many requests"
	errInternal = "An unexpected error occurred."
)

// forcedWait is how long a forced rate limit asks to wait; a real window is minutes.
const forcedWait = 2 * time.Second

// simulator is a Mastodon server in small. Its statuses and uploads are the world's.
type simulator struct {
	world   *simulation.World
	limits  []limit
	mux     *http.ServeMux
	dialect simulation.Dialect

	oauth *oauth.Flow
}

// New makes a server with the rate limits of a real one.
func New(w *simulation.World) http.Handler { return newSimulator(w, serverLimits()) }

// NewUnlimited makes a server without rate limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, nil) }

func newSimulator(w *simulation.World, limits []limit) http.Handler {
	s := &simulator{world: w, limits: limits, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: simulation.Operations(s.mux), Fail: s.fail, Ending: ending(), Show: s.show}
	for operation, handle := range map[string]func(visit){
		"POST /api/v1/statuses":                   s.createStatus,
		"GET /api/v1/statuses/{id}":               s.showStatus,
		"DELETE /api/v1/statuses/{id}":            s.deleteStatus,
		"GET /api/v1/statuses/{id}/context":       s.context,
		opNotifications:                           s.notifications,
		"GET /api/v1/accounts/{id}/statuses":      s.listStatuses,
		"GET /api/v1/accounts/verify_credentials": s.verify,
		opUploadMedia:                             s.uploadMedia,
		"GET /api/v1/media/{id}":                  s.showMedia,
	} {
		s.mux.HandleFunc(operation, s.admit(operation, handle))
	}
	s.mux.HandleFunc("GET /api/v2/instance", s.instance)
	s.mux.HandleFunc("POST /api/v1/apps", s.register)
	s.mux.HandleFunc("GET /oauth/authorize", s.oauth.Authorize)
	s.mux.HandleFunc("POST /oauth/authorize", s.oauth.Authorize)
	s.mux.HandleFunc("POST /oauth/token", s.token)
	s.mux.HandleFunc("POST /oauth/revoke", s.revoke)
	s.mux.HandleFunc("GET /login", showLogin)
	s.mux.HandleFunc("GET /{handle}/{id}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { refuse(rw, http.StatusNotFound, errNotFound) })
	return bySoftware(w.Handler(s.dated(s.mux), s.dialect))
}

// dated answers by the clock of the world, which wrote the times of the statuses too.
func (s *simulator) dated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Date", s.world.Now().Format(http.TimeFormat))
		next.ServeHTTP(rw, r)
	})
}

// visit is one call of an account.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
	profile *profile
}

// profile is what the simulator keeps of an account beside the world. It does not
// outlive the process.
type profile struct {
	writing sync.Mutex // held while a status is made: checks and effect are one

	mu      sync.Mutex
	windows map[string]window   // by limit
	deleted map[string]struct{} // statuses
}

func profileOf(a *simulation.Account) *profile {
	fresh := &profile{windows: map[string]window{}, deleted: map[string]struct{}{}}
	stored, _ := a.Data.LoadOrStore("profile", fresh)
	return stored.(*profile)
}

// admit lets a call in that has a token, and turns it away over a rate limit.
func (s *simulator) admit(operation string, handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !isBearer || strings.TrimSpace(token) == "" || s.world.Revoked(token) {
			s.refuseLogin(rw, r)
			return
		}
		account := s.world.Account(token)
		if end := s.world.EndOf(account.ID); end != simulation.Alive && isStopped(end, operation) {
			refuseEnded(rw, end)
			return
		}
		if operation == opNotifications && !mayRead(account, "read:notifications") {
			refuseEnded(rw, simulation.ScopeWithdrawn)
			return
		}
		v := visit{rw: rw, r: r, account: account, profile: profileOf(account)}
		if !s.count(v, operation) {
			refuse(rw, http.StatusTooManyRequests, errTooMany)
			return
		}
		handle(v)
	}
}

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	message := "Validation failed: Text is not allowed on this server"
	usual := http.StatusUnprocessableEntity
	switch o {
	case simulation.RateLimit:
		message, usual = errTooMany, http.StatusTooManyRequests
		s.forceWait(rw.Header(), status != 0)
	case simulation.ExpiredToken:
		message, usual = errToken, http.StatusUnauthorized
	case simulation.Outage:
		message, usual = errInternal, http.StatusServiceUnavailable
	}
	if status == 0 {
		status = usual
	}
	refuse(rw, status, message)
}

// forceWait names the end of a wait. A fault may have named one, which holds; a marker
// has not, and what stands there then is the account's own window.
func (s *simulator) forceWait(header http.Header, isFault bool) {
	if isFault && (header.Get("Retry-After") != "" || header.Get("X-RateLimit-Reset") != "") {
		return
	}
	header.Set("X-RateLimit-Remaining", "0")
	header.Set("X-RateLimit-Reset", resetTime(s.world.Now().Add(forcedWait)))
}

// refusal is an error the server answers with.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

func unprocessable(message string) error {
	return &refusal{http.StatusUnprocessableEntity, message}
}

// invalidRecord is how Mastodon refuses what breaks a rule of its database.
func invalidRecord(message string) error { return unprocessable("Validation failed: " + message) }

func notFound() error { return &refusal{http.StatusNotFound, errNotFound} }

// fail answers a call with an error; one that is no refusal is the journal's.
func (v visit) fail(err error) {
	if r, ok := errors.AsType[*refusal](err); ok {
		refuse(v.rw, r.status, r.message)
		return
	}
	refuse(v.rw, http.StatusInternalServerError, errInternal)
}

func refuse(rw http.ResponseWriter, status int, message string) {
	answer(rw, status, map[string]string{"error": message})
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}
