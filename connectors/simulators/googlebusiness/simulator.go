package googlebusiness

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
	"crier/schema"
)

// maxRequest bounds the body of a call: pictures come by their address.
const maxRequest = 1 << 20

// simulator is Google in small. Its posts are the world's.
type simulator struct {
	world   *simulation.World
	limited bool
	mux     *http.ServeMux
	dialect simulation.Dialect
	oauth   *oauth.Flow
	calls   window // of the app, of all people together
}

// New makes a Google with the quotas of an app and of a location.
func New(w *simulation.World) http.Handler { return newSimulator(w, true) }

// NewUnlimited makes a Google without quotas, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, false) }

func newSimulator(w *simulation.World, limited bool) http.Handler {
	s := &simulator{world: w, limited: limited, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: s.operation, Fail: s.fail, Ending: ending(), Show: s.show}
	for pattern, handle := range map[string]func(visit){
		"POST /v4/accounts/{account}/locations/{location}/localPosts":          s.createPost,
		"GET /v4/accounts/{account}/locations/{location}/localPosts":           s.listPosts,
		"GET /v4/accounts/{account}/locations/{location}/localPosts/{post}":    s.getPost,
		"DELETE /v4/accounts/{account}/locations/{location}/localPosts/{post}": s.deletePost,
		"GET /v1/accounts":                     s.listAccounts,
		"GET /v1/accounts/{account}/locations": s.listLocations,
		"GET /v1/locations/{location}":         s.getLocation,
	} {
		s.mux.HandleFunc(pattern, s.admit(handle))
	}
	s.mux.HandleFunc("GET /o/oauth2/v2/auth", s.oauth.Authorize)
	s.mux.HandleFunc("POST /o/oauth2/v2/auth", s.oauth.Authorize)
	s.mux.HandleFunc("POST /token", s.oauth.Token)
	s.mux.HandleFunc("POST /revoke", s.oauth.RevokeAsGoogle)
	s.mux.HandleFunc("GET /local/posts/{location}/{post}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		http.Error(rw, "The requested URL "+r.URL.Path+" was not found on this server.", http.StatusNotFound)
	})
	return w.Handler(s.mux, s.dialect)
}

// shortened are the operations as the documents' flat paths name them, in short.
var shortened = strings.NewReplacer(
	"accounts/{account}/locations/{location}/localPosts", "{location}/localPosts", "accounts/{account}/locations", "{account}/locations",
)

func (s *simulator) operation(r *http.Request) string {
	return shortened.Replace(simulation.Operations(s.mux)(r))
}

// visit is one call of a person.
type visit struct {
	rw     http.ResponseWriter
	r      *http.Request
	person *simulation.Account
}

// place is a location, and the account of Google's that it is in.
type place struct{ account, location string } // numbers

func (p place) name() string { return "accounts/" + p.account + "/locations/" + p.location }

// placesOf returns the locations that a person manages: their own, and that of a group.
func placesOf(person *simulation.Account) []place {
	return []place{{person.ID, "1" + person.ID}, {"2" + person.ID, "3" + person.ID}}
}

// Locations returns the names of the locations that the owner of a token manages.
func Locations(token string) []string {
	world := simulation.NewWorld(simulation.Config{Platform: schema.GoogleBusiness})
	var names []string
	for _, p := range placesOf(world.Account(oauth.Owner(token))) {
		names = append(names, p.name())
	}
	return names
}

// admit lets a call in that has a token, of somebody who may do what it asks for.
func (s *simulator) admit(handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !isBearer {
			token = ""
		}
		if refused := s.checkToken(token); refused != nil {
			refuse(rw, *refused)
			return
		}
		v := visit{rw: rw, r: r, person: s.world.Account(oauth.Owner(token))}
		if end := s.world.EndOf(v.about()...); end != simulation.Alive && v.isStopped(end) {
			refuseEnded(rw, end)
			return
		}
		if refused := v.checkPlace(); refused != nil {
			refuse(rw, *refused)
			return
		}
		if !s.count(v) {
			return
		}
		handle(v)
	}
}

// about returns the locations that a call is about: one, or all of the person's.
func (v visit) about() []string {
	if location := v.r.PathValue("location"); location != "" {
		return []string{location}
	}
	var all []string
	for _, p := range placesOf(v.person) {
		all = append(all, p.location)
	}
	return all
}

// isStopped reports whether an end stops a call: that of one location is none of the person's.
func (v visit) isStopped(end simulation.End) bool {
	return v.r.PathValue("location") != "" || end == simulation.Revoked || end == simulation.ScopeWithdrawn
}

// checkPlace refuses a call about what is not the person's.
func (v visit) checkPlace() *refusal {
	account, location := v.r.PathValue("account"), v.r.PathValue("location")
	for _, p := range placesOf(v.person) {
		if (account == "" || account == p.account) && (location == "" || location == p.location) {
			return nil
		}
	}
	return &refusal{Code: http.StatusForbidden, Status: "PERMISSION_DENIED", Message: "The caller does not have permission"}
}

// refusal is what Google answers a call with that it does not carry out
// (cloud.google.com/apis/design/errors).
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details,omitempty"`
}

func (r refusal) Error() string { return r.Message }

// badField is a refusal of one field
// (developers.google.com/my-business/reference/rest/Shared.Types/ValidationError).
func badField(field, message string) error {
	return refusal{
		Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: "Request contains an invalid argument.",
		Details: []any{map[string]any{
			"@type":        "type.googleapis.com/google.mybusiness.v4.ValidationError",
			"errorDetails": []any{map[string]any{"code": 3, "field": field, "message": message}},
		}},
	}
}

func notFound() refusal {
	return refusal{Code: http.StatusNotFound, Status: "NOT_FOUND", Message: "Requested entity was not found."}
}

func info(reason string, metadata map[string]string) any {
	return map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com", "metadata": metadata,
	}
}

// fail answers a call with an error; one that is no refusal is the journal's.
func (v visit) fail(err error) {
	if r, ok := errors.AsType[refusal](err); ok {
		refuse(v.rw, r)
		return
	}
	refuse(v.rw, refusal{Code: http.StatusInternalServerError, Status: "INTERNAL", Message: "Internal error encountered."})
}

func refuse(rw http.ResponseWriter, r refusal) { answer(rw, r.Code, map[string]any{"error": r}) }

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=UTF-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}

// forcedWait is what a forced rate limit asks to wait, so that nobody's sandbox waits for a
// minute.
const forcedWait = "2s"

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	worded := refusal{Code: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Message: "Precondition check failed."}
	switch o {
	case simulation.RateLimit:
		worded = exhausted(perMinute)
		if rw.Header().Get("Retry-After") == "" {
			worded.Details = append(worded.Details, map[string]string{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": forcedWait})
		}
	case simulation.ExpiredToken:
		worded = badToken()
	case simulation.Outage:
		worded = refusal{Code: http.StatusServiceUnavailable, Status: "UNAVAILABLE", Message: "The service is currently unavailable."}
	}
	if status != 0 {
		worded.Code = status
	}
	refuse(rw, worded)
}
