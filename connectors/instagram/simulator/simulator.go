package simulator

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"crier/connectors/simulation"
)

// maxBody bounds the body of a call: media come by their address.
const maxBody = 1 << 20

// simulator is the API in small. Its containers are the world's uploads.
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
		opCreate:                               s.createContainer,
		opPublish:                              s.publish,
		"GET /{user}/media":                    func(v visit) { s.list(v, false) },
		"GET /{user}/stories":                  func(v visit) { s.list(v, true) },
		"GET /{user}/content_publishing_limit": s.publishingLimit,
		"GET /{id}":                            s.show,
		"GET /{id}/comments":                   s.listComments,
		opComment:                              s.comment,
	} {
		s.mux.HandleFunc(operation, s.admit(operation, handle))
	}
	s.mux.HandleFunc("GET /access_token", s.exchangeToken)
	s.mux.HandleFunc("GET /refresh_access_token", s.refreshToken)
	s.mux.HandleFunc("POST /oauth/access_token", s.redeemCode)
	s.mux.HandleFunc("GET /oauth/authorize", s.authorize)
	s.mux.HandleFunc("POST /oauth/authorize", s.authorize)
	s.mux.HandleFunc("GET /p/{account}/{id}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { unknownPath().writeTo(rw) })
	return w.Handler(unversioned(s.mux), s.dialect)
}

// The operations that make something.
const (
	opCreate  = "POST /{user}/media"
	opPublish = "POST /{user}/media_publish"
	opComment = "POST /{id}/comments"
)

var version = regexp.MustCompile(`^/v[0-9]+\.[0-9]+/`)

// unversioned takes the version out of a path: all are alike here.
func unversioned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { next.ServeHTTP(rw, withoutVersion(r)) })
}

func withoutVersion(r *http.Request) *http.Request {
	found := version.FindString(r.URL.Path)
	if found == "" {
		return r
	}
	copied, address := *r, *r.URL
	address.Path, address.RawPath = "/"+r.URL.Path[len(found):], ""
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

	mu     sync.Mutex
	window window
}

func keptOf(a *simulation.Account) *kept {
	of, _ := a.Data.LoadOrStore("kept", &kept{})
	return of.(*kept)
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
