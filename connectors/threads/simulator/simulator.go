package simulator

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"crier/connectors/simulation"
)

// maxBody bounds the body of a call: media come by their address.
const maxBody = 1 << 20

// simulator is the Threads API in small. Its containers are the world's uploads.
type simulator struct {
	world     *simulation.World
	unlimited bool
	mux       *http.ServeMux
	dialect   simulation.Dialect
	consents  *simulation.Consents
}

// New makes the API with its limits.
func New(w *simulation.World) http.Handler { return newSimulator(w, false) }

// NewUnlimited makes it without limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, true) }

func newSimulator(w *simulation.World, unlimited bool) http.Handler {
	s := &simulator{world: w, unlimited: unlimited, mux: http.NewServeMux(), consents: simulation.NewConsents(w, codeLife, "_")}
	s.dialect = simulation.Dialect{Operation: s.operation, Fail: s.fail, Ending: ending(), Show: s.shown}
	for operation, handle := range map[string]func(visit){
		"GET /me":                              s.profile,
		"GET /debug_token":                     s.inspect,
		"POST /{user}/threads":                 s.createContainer,
		opPublish:                              s.publish,
		"GET /{user}/threads":                  func(v visit) { s.list(v, false) },
		"GET /{user}/replies":                  func(v visit) { s.list(v, true) },
		"GET /{user}/threads_publishing_limit": s.publishingLimit,
		"GET /{id}":                            s.show,
		"DELETE /{id}":                         s.delete,
	} {
		s.mux.HandleFunc(operation, s.admit(operation, handle))
	}
	s.mux.HandleFunc("GET /access_token", s.exchangeToken)
	s.mux.HandleFunc("GET /refresh_access_token", s.refreshToken)
	s.mux.HandleFunc("POST /oauth/access_token", s.redeemCode)
	s.mux.HandleFunc("GET /oauth/authorize", s.authorize)
	s.mux.HandleFunc("POST /oauth/authorize", s.authorize)
	s.mux.HandleFunc("GET /{handle}/post/{id}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { unknownPath().writeTo(rw) })
	return w.Handler(unversioned(s.mux), s.dialect)
}

// unversioned takes the version out of a path: there is one.
func unversioned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { next.ServeHTTP(rw, withoutVersion(r)) })
}

func withoutVersion(r *http.Request) *http.Request {
	path, has := strings.CutPrefix(r.URL.Path, "/v1.0/")
	if !has {
		return r
	}
	copied, address := *r, *r.URL
	address.Path, address.RawPath = "/"+path, ""
	copied.URL = &address
	return &copied
}

// operation is the pattern that serves a request.
func (s *simulator) operation(r *http.Request) string {
	_, pattern := s.mux.Handler(withoutVersion(r))
	if pattern == "/" {
		return ""
	}
	return pattern
}

// visit is one call of a profile.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
	kept    *kept
}

// param is a parameter, which may stand in the address or in the body.
func (v visit) param(name string) string { return v.r.FormValue(name) }

// kept is what the simulator keeps of a profile beside the world. It does not outlive the
// process.
type kept struct {
	publishing sync.Mutex // held while a container is published: checks and effect are one

	mu      sync.Mutex
	window  window
	deleted map[string]struct{} // posts
	scopes  []string            // that were consented to; nil: all
}

func keptOf(a *simulation.Account) *kept {
	of, _ := a.Data.LoadOrStore("kept", &kept{deleted: map[string]struct{}{}})
	return of.(*kept)
}

func (k *kept) delete(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.deleted[id] = struct{}{}
}

func (k *kept) isDeleted(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, gone := k.deleted[id]
	return gone
}

// admit lets a call in that has a token, and turns it away over the limit of calls.
func (s *simulator) admit(operation string, handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(rw, r.Body, maxBody)
		if err := readForm(r); err != nil {
			invalid("the body cannot be read").writeTo(rw)
			return
		}
		account, refused := s.accountOf(tokenOf(r))
		if refused != nil {
			refused.writeTo(rw)
			return
		}
		if end := s.world.EndOf(account.ID); end != simulation.Alive && isStopped(end, operation) {
			refuseEnded(rw, end)
			return
		}
		v := visit{rw: rw, r: r, account: account, kept: keptOf(account)}
		if user := r.PathValue("user"); user != "" && user != "me" && user != account.ID {
			notThere(user).writeTo(rw)
			return
		}
		if !s.count(v) {
			throttled().writeTo(rw)
			return
		}
		handle(v)
	}
}

// readForm reads a body of either kind of form, or of none.
func readForm(r *http.Request) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return r.ParseMultipartForm(maxBody)
	}
	return r.ParseForm()
}

// tokenOf returns a call's token: a parameter or a header.
func tokenOf(r *http.Request) string {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return strings.TrimSpace(token)
	}
	return r.FormValue("access_token")
}

// fail answers a call with an error; one that is no refusal is the journal's.
func (v visit) fail(err error) {
	if r, ok := errors.AsType[*refusal](err); ok {
		r.writeTo(v.rw)
		return
	}
	outage().writeTo(v.rw)
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=UTF-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}
