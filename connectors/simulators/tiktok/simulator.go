package tiktok

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
	"crier/schema"
)

const (
	codeLife   = 10 * minute
	maxRequest = 1 << 20
)

// The operations, by the patterns that serve them.
const (
	opCreator = "POST /v2/post/publish/creator_info/query/{$}"
	opInit    = "POST /v2/post/publish/video/init/{$}"
	opStatus  = "POST /v2/post/publish/status/fetch/{$}"
	opPart    = "PUT /video/{$}"
	opUser    = "GET /v2/user/info/{$}"
	opVideos  = "POST /v2/video/query/{$}"
	opToken   = "POST /v2/oauth/token/{$}"
	opRevoke  = "POST /v2/oauth/revoke/{$}"
)

// simulator is TikTok in small. Its posts and uploads are the world's.
type simulator struct {
	world   *simulation.World
	limits  map[string]int // calls of an account in a minute, by operation
	mux     *http.ServeMux
	dialect simulation.Dialect

	oauth   *oauth.Flow
	keeping sync.Mutex // held while an upload grows: check and effect are one
}

// New makes a TikTok with the limits of accounts.
func New(w *simulation.World) http.Handler { return newSimulator(w, limits()) }

// NewUnlimited makes a TikTok without limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, nil) }

func newSimulator(w *simulation.World, limits map[string]int) http.Handler {
	s := &simulator{world: w, limits: limits, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: simulation.Operations(s.mux), Fail: fail, Ending: ending(), Show: s.show}
	for operation, handle := range map[string]func(visit){
		opCreator: s.showCreator, opInit: s.begin, opStatus: s.showStatus, opUser: s.showUser, opVideos: s.queryVideos,
	} {
		s.mux.HandleFunc(operation, s.admit(operation, handle))
	}
	s.mux.HandleFunc(opPart, s.takePart)
	s.mux.HandleFunc(opToken, s.oauth.Token)
	s.mux.HandleFunc(opRevoke, s.revoke)
	s.mux.HandleFunc("GET /v2/auth/authorize/{$}", s.oauth.Authorize)
	s.mux.HandleFunc("POST /v2/auth/authorize/{$}", s.oauth.Authorize)
	s.mux.HandleFunc("GET /{user}/video/{id}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		refusal{http.StatusNotFound, "unsupported_path", "The requested path is not supported."}.writeTo(rw)
	})
	return w.Handler(s.mux, s.dialect)
}

// visit is one call of an account.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
	name    string // whose token it is
	scopes  []string
	fields  json.RawMessage
}

// admit lets a call in that has a token with the scope for it, and room in the account's limit.
func (s *simulator) admit(operation string, handle func(visit)) http.HandlerFunc {
	needed := "video.publish"
	switch operation {
	case opUser:
		needed = "user.info.basic"
	case opVideos:
		needed = "video.list"
	}
	return func(rw http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		scopes, alive := s.scopesOf(token)
		v := visit{rw: rw, r: r, account: s.world.Account(token), name: nameOf(token), scopes: scopes}
		end := s.world.EndOf(v.account.ID)
		switch {
		case scheme != "Bearer" || token == "" || !alive || end == simulation.Revoked:
			tokenInvalid().writeTo(rw)
		case !slices.Contains(scopes, needed), end == simulation.ScopeWithdrawn && needed == "video.publish":
			scopeMissing().writeTo(rw)
		case !s.count(v, operation):
			tooMany().writeTo(rw)
		default:
			body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
			if v.fields = body; err != nil {
				outage().writeTo(rw)
				return
			}
			handle(v)
		}
	}
}

// refusal is an error the API answers with; TikTok's codes say more than its statuses.
type refusal struct {
	status  int
	code    string
	message string
}

func (r refusal) writeTo(rw http.ResponseWriter) {
	answer(rw, r.status, envelope{Data: struct{}{}, Error: errorBody{r.code, r.message, logID}})
}

func invalid(message string) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_param", message}
}

func tokenInvalid() refusal {
	return refusal{http.StatusUnauthorized, "access_token_invalid", "The access token is invalid or not found in the request."}
}

func scopeMissing() refusal {
	return refusal{http.StatusUnauthorized, "scope_not_authorized", "The user did not authorize the scope required for completing this request."}
}

func tooMany() refusal {
	return refusal{http.StatusTooManyRequests, "rate_limit_exceeded", "The API rate limit was exceeded. Please try again later."}
}

func outage() refusal {
	return refusal{http.StatusInternalServerError, "internal_error", "Something went wrong. Please try again later."}
}

// banned is how TikTok refuses an account that it lets post no more. The one call that asks
// about a creator says it with a status of 200.
func banned(status int) refusal {
	return refusal{status, "spam_risk_user_banned_from_posting", "The user is banned from making new posts."}
}

// envelope is every answer but those of OAuth.
type envelope struct {
	Data  any       `json:"data"`
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

const logID = "20260304050607ABCDEF0123456789ABCD"

func (v visit) answer(data any) {
	answer(v.rw, http.StatusOK, envelope{data, errorBody{"ok", "", logID}})
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}

// forcedWait is what a forced rate limit asks to wait, in seconds: TikTok's own do not say.
const forcedWait = "2"

// fail words what is forced on a call.
func fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	worded := *invalid("The post is against TikTok's guidelines.")
	switch o {
	case simulation.RateLimit:
		if worded = tooMany(); status == 0 {
			rw.Header().Set("Retry-After", forcedWait)
		}
	case simulation.ExpiredToken:
		worded = tokenInvalid()
	case simulation.Outage:
		worded = outage()
	}
	if status != 0 {
		worded.status = status
	}
	worded.writeTo(rw)
}

// ending is how TikTok refuses accounts that have ended.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Suspended:      {Says: "banned from making new posts", End: schema.EndSuspended},
			simulation.Revoked:        {Says: "access token is invalid", End: schema.NotEnded},
			simulation.ScopeWithdrawn: {Says: "did not authorize the scope", End: schema.EndScope},
		},
		Refuse: func(rw http.ResponseWriter, end simulation.End) {
			switch end {
			case simulation.Suspended:
				banned(http.StatusForbidden).writeTo(rw)
			case simulation.ScopeWithdrawn:
				scopeMissing().writeTo(rw)
			default:
				tokenInvalid().writeTo(rw)
			}
		},
	}
}

// profile is what the simulator keeps of an account beside the world. It does not outlive the
// process.
type profile struct {
	mu    sync.Mutex
	calls map[string][]int64 // the times of an operation's, in Unix milliseconds
}

func profileOf(a *simulation.Account) *profile {
	stored, _ := a.Data.LoadOrStore("profile", &profile{calls: map[string][]int64{}})
	return stored.(*profile)
}
