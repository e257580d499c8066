package pinterest

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

// simulator is Pinterest in small. Its pins and uploads are the world's.
type simulator struct {
	world   *simulation.World
	limited bool
	mux     *http.ServeMux
	dialect simulation.Dialect
	oauth   *oauth.Flow
}

// New makes a Pinterest with the limits of an app with standard access.
func New(w *simulation.World) http.Handler { return newSimulator(w, true) }

// NewUnlimited makes a Pinterest without limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, false) }

func newSimulator(w *simulation.World, limited bool) http.Handler {
	s := &simulator{world: w, limited: limited, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: simulation.Operations(s.mux), Fail: s.fail, Ending: ending(), Show: s.show}
	for pattern, handle := range map[string]func(visit){
		"POST /v5/pins":                                  s.createPin,
		"GET /v5/pins/{pin}":                             s.showPin,
		"POST /v5/media":                                 s.registerMedia,
		"GET /v5/media/{media}":                          s.showMedia,
		"GET /v5/boards":                                 s.listBoards,
		"GET /v5/boards/{board}":                         s.showBoard,
		"GET /v5/boards/{board}/pins":                    s.listPins,
		"GET /v5/boards/{board}/sections":                s.listSections,
		"GET /v5/boards/{board}/sections/{section}/pins": s.listPins,
		"GET /v5/user_account":                           s.showUser,
	} {
		s.mux.HandleFunc(pattern, s.admit(handle))
	}
	s.mux.HandleFunc("POST /media-uploads/{media}", s.takeFile)
	s.mux.HandleFunc("POST /v5/oauth/token", s.oauth.Token)
	s.mux.HandleFunc("GET /oauth/{$}", s.oauth.Authorize)
	s.mux.HandleFunc("POST /oauth/{$}", s.oauth.Authorize)
	s.mux.HandleFunc("GET /pin/{pin}/{$}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		(&refusal{http.StatusNotFound, 11, "API method not found."}).writeTo(rw)
	})
	return w.Handler(s.mux, s.dialect)
}

// visit is one call of a person's token.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
}

// admit lets a call in that has a token with the scopes of the call, and room in the limits.
func (s *simulator) admit(handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !isBearer {
			token = ""
		}
		if refused := s.checkToken(token, r); refused != nil {
			refused.writeTo(rw)
			return
		}
		v := visit{rw: rw, r: r, account: s.world.Account(oauth.Owner(token))}
		if end := s.world.EndOf(entitiesOf(v.account)...); end != simulation.Alive && isStopped(end, r) {
			refuseEnded(rw, end)
			return
		}
		if s.count(v) {
			handle(v)
		}
	}
}

// refusal is an error the API answers with.
type refusal struct {
	status  int
	code    int
	message string
}

func (r *refusal) Error() string { return r.message }

func (r *refusal) writeTo(rw http.ResponseWriter) {
	answer(rw, r.status, map[string]any{"code": r.code, "message": r.message})
}

func bad(message string) *refusal { return &refusal{http.StatusBadRequest, 1, message} }

func authenticationFailed() *refusal {
	return &refusal{http.StatusUnauthorized, 2, "Authentication failed."}
}

func missingScope() *refusal {
	return &refusal{http.StatusUnauthorized, 3, "Your token does not have sufficient permissions to perform this operation. Please ensure your token is authorized with the correct set of scopes."}
}

func noBoard() *refusal { return &refusal{http.StatusNotFound, 40, "Board not found."} }

func noSection() *refusal {
	return &refusal{http.StatusNotFound, 2031, "Sorry! We couldn't find this board section."}
}

// fail answers a call with an error; one that is no refusal is the journal's.
func (v visit) fail(err error) {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		r = outage()
	}
	r.writeTo(v.rw)
}

func outage() *refusal {
	return &refusal{http.StatusInternalServerError, 12, "Something went wrong on our end. Sorry about that."}
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}

// forcedWait is what a forced rate limit asks to wait, in seconds: a real one is of a minute.
const forcedWait = "2"

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	worded := bad("Sorry! This Pin cannot be created.")
	switch o {
	case simulation.RateLimit:
		worded = tooMany()
		if rw.Header().Get("X-Ratelimit-Reset") == "" {
			rw.Header().Set("X-Ratelimit-Reset", forcedWait)
		}
	case simulation.ExpiredToken:
		worded = authenticationFailed()
	case simulation.Outage:
		worded = outage()
	}
	if status != 0 {
		worded.status = status
	}
	worded.writeTo(rw)
}

// profile is what the simulator keeps of a person beside the world. It does not outlive the
// process.
type profile struct {
	mu    sync.Mutex
	calls map[string]int // by category
	since time.Time      // when the minute began that they are counted in
}

func profileOf(a *simulation.Account) *profile {
	stored, _ := a.Data.LoadOrStore("profile", &profile{calls: map[string]int{}})
	return stored.(*profile)
}
