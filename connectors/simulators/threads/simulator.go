package threads

import (
	"net/http"
	"regexp"
	"sync"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// simulator is the Threads API in small. Its containers are the world's uploads.
type simulator struct {
	world     *simulation.World
	unlimited bool
	dialect   simulation.Dialect
	tokens    graph.Tokens
	login     graph.Login
}

// New makes the API with its limits.
func New(w *simulation.World) http.Handler { return newSimulator(w, false) }

// NewUnlimited makes it without limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, true) }

// useCase is what the platform calls its calls in the headers of limits.
const useCase = "threads"

func newSimulator(w *simulation.World, unlimited bool) http.Handler {
	api := graph.Versions{Mux: http.NewServeMux(), Path: regexp.MustCompile(`^/v1\.0/`)}
	ending := graph.Ending(withdrawn())
	s := &simulator{
		world: w, unlimited: unlimited, login: graph.NewLogin(w, knownScopes()),
		tokens:  graph.Tokens{World: w, Prefix: "th", Ending: ending},
		dialect: simulation.Dialect{Operation: api.Operation, Fail: graph.Forced(useCase), Ending: ending},
	}
	s.dialect.Show = s.viewOf
	gate := graph.Gate{Tokens: s.tokens, Stops: isStopped, Needs: needs(), Count: s.count}
	for operation, handle := range map[string]func(visit){
		"GET /me":                              s.profile,
		"GET /debug_token":                     s.inspect,
		"GET /keyword_search":                  s.keywords,
		"POST /{user}/threads":                 s.createContainer,
		opPublish:                              s.publish,
		"GET /{user}/threads":                  func(v visit) { s.list(v, false) },
		"GET /{user}/replies":                  func(v visit) { s.list(v, true) },
		"GET /{user}/threads_publishing_limit": s.publishingLimit,
		"GET /{user}/mentions":                 s.mentions,
		"GET /{id}/conversation":               s.conversation,
		"GET /{id}":                            s.show,
		"GET /{id}/insights":                   s.postInsights,
		"GET /{user}/threads_insights":         s.accountInsights,
		"DELETE /{id}":                         s.delete,
	} {
		api.Mux.HandleFunc(operation, gate.Admit(operation, func(c graph.Call) { handle(visit{c, stateOf(c.Account)}) }))
	}
	api.Mux.HandleFunc("GET /access_token", s.tokens.Exchange)
	api.Mux.HandleFunc("GET /refresh_access_token", s.tokens.Refresh)
	api.Mux.HandleFunc("POST /oauth/access_token", s.redeemCode)
	api.Mux.HandleFunc("GET /oauth/authorize", s.login.Authorize)
	api.Mux.HandleFunc("POST /oauth/authorize", s.login.Authorize)
	api.Mux.HandleFunc("GET /{handle}/post/{id}", s.page)
	api.Mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { graph.UnknownPath().WriteTo(rw) })
	return w.Handler(api, s.dialect)
}

// visit is one call of a profile.
type visit struct {
	graph.Call
	state *profileState
}

// profileState is what the simulator keeps of a profile beside the world. It does not outlive the
// process.
type profileState struct {
	publishing sync.Mutex // held while a container is published: checks and effect are one

	mu      sync.Mutex
	window  graph.Window
	deleted map[string]struct{} // posts
}

func stateOf(a *simulation.Account) *profileState {
	of, _ := a.Data.LoadOrStore("kept", &profileState{deleted: map[string]struct{}{}})
	return of.(*profileState)
}

func (k *profileState) delete(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.deleted[id] = struct{}{}
}

func (k *profileState) isDeleted(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, gone := k.deleted[id]
	return gone
}
