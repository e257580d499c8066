package linkedin

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
	"crier/schema"
)

// simulator is LinkedIn in small. Its posts and uploads are the world's.
type simulator struct {
	world   *simulation.World
	limited bool
	mux     *http.ServeMux
	dialect simulation.Dialect
	oauth   *oauth.Flow
}

// New makes a LinkedIn with the limits of a member and of a day.
func New(w *simulation.World) http.Handler { return newSimulator(w, true) }

// NewUnlimited makes a LinkedIn without limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, false) }

func newSimulator(w *simulation.World, limited bool) http.Handler {
	s := &simulator{world: w, limited: limited, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: s.operation, Fail: s.fail, Ending: ending(), Show: s.show}
	for pattern, handle := range map[string]func(visit){
		"POST /rest/posts":                              s.createPost,
		"GET /rest/posts":                               s.listPosts,
		"GET /rest/posts/{urn}":                         s.showPost,
		"DELETE /rest/posts/{urn}":                      s.deletePost,
		"POST /rest/images":                             s.actOnMedia,
		"POST /rest/videos":                             s.actOnMedia,
		"POST /rest/documents":                          s.actOnMedia,
		"GET /rest/images/{urn}":                        s.showMedia,
		"GET /rest/videos/{urn}":                        s.showMedia,
		"GET /rest/documents/{urn}":                     s.showMedia,
		"POST /rest/socialActions/{urn}/comments":       s.createComment,
		"GET /rest/socialActions/{urn}/comments":        s.listComments,
		"GET /rest/organizationAcls":                    s.listRoles,
		"GET /rest/organizations/{id}":                  s.showOrganization,
		"GET /rest/organizationalEntityShareStatistics": s.showStatistics,
		"GET /rest/networkSizes/{urn}":                  s.showNetwork,
		"GET /v2/userinfo":                              s.userInfo,
		"GET /v2/me":                                    s.me,
	} {
		s.mux.HandleFunc(pattern, s.admit(handle))
	}
	s.mux.HandleFunc("PUT /dms-uploads/{id}/{part}", s.takePart)
	s.mux.HandleFunc("GET /oauth/v2/authorization", s.oauth.Authorize)
	s.mux.HandleFunc("POST /oauth/v2/authorization", s.oauth.Authorize)
	s.mux.HandleFunc("POST /oauth/v2/accessToken", s.oauth.Token)
	s.mux.HandleFunc("GET /feed/update/{urn}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		refuse(rw, refusal{Status: http.StatusNotFound, Code: "RESOURCE_NOT_FOUND", Message: "No virtual resource found"})
	})
	return w.Handler(s.mux, s.dialect)
}

// operation names a request by its pattern, and by the action or the finder it asks for.
func (s *simulator) operation(r *http.Request) string {
	pattern := simulation.Operations(s.mux)(r)
	if action := r.URL.Query().Get("action"); action != "" && pattern != "" {
		pattern += "?action=" + action
	}
	return pattern
}

// visit is one call of a member's token.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
}

func (v visit) person() string { return personURN + v.account.ID }

// mayActAs reports whether the token may act as somebody.
func (v visit) mayActAs(urn string) bool {
	if urn == v.person() {
		return true
	}
	for _, organization := range organizationsOf(v.account) {
		if urn == organization {
			return true
		}
	}
	return false
}

const (
	personURN       = "urn:li:person:"
	organizationURN = "urn:li:organization:"
)

// organizationsOf returns what the owner of a token administers.
func organizationsOf(a *simulation.Account) []string {
	return []string{organizationURN + a.ID, organizationURN + "9" + a.ID}
}

// Organizations returns the URNs of what the owner of a token administers.
func Organizations(token string) []string {
	world := simulation.NewWorld(simulation.Config{Platform: schema.LinkedIn})
	return organizationsOf(world.Account(oauth.Owner(token)))
}

// admit lets a call in that has a token and names a version of the API that is served.
func (s *simulator) admit(handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !isBearer {
			token = ""
		}
		if r, bad := s.checkToken(token, r); bad {
			refuse(rw, r)
			return
		}
		v := visit{rw: rw, r: r, account: s.world.Account(oauth.Owner(token))}
		if end := s.world.EndOf(append(organizationsOf(v.account), v.person())...); end != simulation.Alive && isStopped(end, r) {
			refuseEnded(rw, end)
			return
		}
		if r, bad := checkVersion(r); bad {
			refuse(rw, r)
			return
		}
		if !s.count(v) {
			return
		}
		handle(v)
	}
}

// firstServed is the oldest month that is served: the one before ended in November 2026.
const firstServed = "202512"

var month = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

// checkVersion refuses calls of the versioned API that name no month which is served.
func checkVersion(r *http.Request) (refusal, bool) {
	if !strings.HasPrefix(r.URL.Path, "/rest/") {
		return refusal{}, false
	}
	switch version := r.Header.Get("LinkedIn-Version"); {
	case version == "":
		return refusal{Status: http.StatusBadRequest, Code: "VERSION_MISSING", Message: "A version must be present. Please specify a version by adding the LinkedIn-Version header."}, true
	case !month.MatchString(version):
		return refusal{Status: http.StatusBadRequest, Code: "INVALID_VERSION", Message: "Version " + version + " is not of the form YYYYMM"}, true
	case version < firstServed:
		return refusal{Status: http.StatusUpgradeRequired, Code: "NONEXISTENT_VERSION", Message: "Requested version " + version + " is not active"}, true
	default:
		return refusal{}, false
	}
}

// refusal is an error LinkedIn answers with.
type refusal struct {
	Message string   `json:"message"`
	Status  int      `json:"status"`
	Service int      `json:"serviceErrorCode,omitempty"`
	Code    string   `json:"code,omitempty"`
	Details *details `json:"errorDetails,omitempty"`
}

type details struct {
	Inputs []inputError `json:"inputErrors"`
}

type inputError struct {
	Description string `json:"description"`
	Code        string `json:"code"`
}

func (r refusal) Error() string { return r.Message }

// badInput is a refusal of what was asked for.
func badInput(code, message string) error {
	return refusal{
		Status: http.StatusBadRequest, Message: code + ": " + message,
		Details: &details{[]inputError{{Description: message, Code: code}}},
	}
}

func notFound(message string) error {
	return refusal{Status: http.StatusNotFound, Code: "NOT_FOUND", Message: message}
}

func denied(what string) refusal {
	return refusal{
		Status: http.StatusForbidden, Service: 100, Code: "ACCESS_DENIED", Message: "Not enough permissions to access: " + what,
	}
}

// fail answers a call with an error; one that is no refusal is the journal's.
func (v visit) fail(err error) {
	if r, ok := errors.AsType[refusal](err); ok {
		refuse(v.rw, r)
		return
	}
	refuse(v.rw, refusal{Status: http.StatusInternalServerError, Message: "Internal Server Error"})
}

func refuse(rw http.ResponseWriter, r refusal) { answer(rw, r.Status, r) }

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}

// forcedWait is what a forced rate limit asks to wait, so that nobody's sandbox waits for
// midnight.
const forcedWait = "2"

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	worded := refusal{Status: http.StatusUnprocessableEntity, Message: "Content is not allowed"}
	switch o {
	case simulation.RateLimit:
		worded = tooMany("APPLICATION_AND_MEMBER MINUTE")
		if status == 0 {
			rw.Header().Set("Retry-After", forcedWait)
		}
	case simulation.ExpiredToken:
		worded = expiredToken()
	case simulation.Outage:
		worded = refusal{Status: http.StatusServiceUnavailable, Message: "Service Unavailable"}
	}
	if status != 0 {
		worded.Status = status
	}
	refuse(rw, worded)
}

// profile is what the simulator keeps of a member beside the world. It does not outlive the
// process.
type profile struct {
	mu      sync.Mutex
	calls   map[string]int // by limit and when it began
	deleted map[string]bool
}

func profileOf(a *simulation.Account) *profile {
	stored, _ := a.Data.LoadOrStore("profile", &profile{calls: map[string]int{}, deleted: map[string]bool{}})
	return stored.(*profile)
}
