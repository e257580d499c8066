package twitter

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// The calls with limits of their own.
const (
	opCreate     = "POST /2/tweets"
	opTimeline   = "GET /2/users/{id}/tweets"
	opMe         = "GET /2/users/me"
	opPosts      = "GET /2/tweets"
	opSearch     = "GET /2/tweets/search/recent"
	opMentions   = "GET /2/users/{id}/mentions"
	opInitialize = "POST /2/media/upload/initialize"
	opAppend     = "POST /2/media/upload/{id}/append"
	opFinalize   = "POST /2/media/upload/{id}/finalize"
)

// simulator is X in small. Its posts and uploads are the world's.
type simulator struct {
	world      *simulation.World
	limits     map[string]limit // by operation
	inviteOnly bool             // a reply to one's own post needs an invitation, too
	mux        *http.ServeMux
	dialect    simulation.Dialect
	day        quota // of the app
	oauth      *oauth.Flow
}

// New makes X with its rate limits. It takes replies to an account's own posts.
func New(w *simulation.World) http.Handler {
	return newSimulator(&simulator{world: w, limits: userLimits()})
}

// NewInviteOnly makes X as New, but that it refuses replies to an account's own posts.
func NewInviteOnly(w *simulation.World) http.Handler {
	return newSimulator(&simulator{world: w, limits: userLimits(), inviteOnly: true})
}

// NewUnlimited makes X without rate limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(&simulator{world: w}) }

func newSimulator(s *simulator) http.Handler {
	s.mux, s.oauth = http.NewServeMux(), newOAuth(s.world)
	s.dialect = simulation.Dialect{Operation: simulation.Operations(s.mux), Fail: s.fail, Ending: ending(), Show: s.show}
	for operation, handle := range map[string]func(visit){
		opCreate:                 s.createPost,
		opTimeline:               s.listPosts,
		opMe:                     s.me,
		opPosts:                  s.postsByID,
		opSearch:                 s.searchRecent,
		opMentions:               s.listMentions,
		opInitialize:             s.initialize,
		opAppend:                 s.append,
		opFinalize:               s.finalize,
		"GET /2/media/upload":    s.mediaStatus,
		"POST /2/media/metadata": s.describe,
	} {
		s.mux.HandleFunc(operation, s.admit(operation, handle))
	}
	s.mux.HandleFunc("GET /i/oauth2/authorize", s.oauth.Authorize)
	s.mux.HandleFunc("POST /i/oauth2/authorize", s.oauth.Authorize)
	s.mux.HandleFunc("POST /2/oauth2/token", s.oauth.Token)
	s.mux.HandleFunc("POST /2/oauth2/revoke", s.revoke)
	s.mux.HandleFunc("GET /i/web/status/{id}", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { plain(http.StatusNotFound, "").answer(rw) })
	return s.world.Handler(s.mux, s.dialect)
}

// visit is one call of an account.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
	profile *profile
}

// profile is what the simulator keeps of an account beside the world. It does not outlive
// the process.
type profile struct {
	acting     sync.Mutex  // held while a post or an upload is changed: checks and effect are one
	quotas     sync.Map    // *quota by operation
	tweets     atomic.Bool // what is listed has the names of tweets
	subscribed atomic.Bool // to X Premium
}

func profileOf(a *simulation.Account) *profile {
	stored, _ := a.Data.LoadOrStore("profile", &profile{})
	return stored.(*profile)
}

// admit lets a call in that has a token, and turns it away over a rate limit.
func (s *simulator) admit(operation string, handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !isBearer || !s.isAlive(token) {
			plain(http.StatusUnauthorized, "").answer(rw)
			return
		}
		account := s.world.Account(token)
		if end := s.world.EndOf(account.ID); end != simulation.Alive {
			refuseEnded(rw, end)
			return
		}
		v := visit{rw: rw, r: r, account: account, profile: profileOf(account)}
		v.profile.subscribed.Store(strings.Contains(token, markSubscribed))
		if !s.count(v, operation) {
			plain(http.StatusTooManyRequests, "").answer(rw)
			return
		}
		handle(v)
	}
}

// markSubscribed is in the tokens of accounts with X Premium.
const markSubscribed = "premium"

func (s *simulator) me(v visit) {
	me := user(v.account)
	fields := strings.Split(v.r.URL.Query().Get("user.fields"), ",")
	for name, value := range v.profile.membership() {
		if slices.Contains(fields, name) {
			me[name] = value
		}
	}
	if slices.Contains(fields, "public_metrics") {
		crowd := s.world.Crowd(v.account.ID)
		me["public_metrics"] = object{
			"followers_count": crowd.Followers, "following_count": crowd.Following, "post_count": crowd.Posts, "listed_count": 0,
		}
	}
	answer(v.rw, http.StatusOK, v.named(object{"data": me}))
}

// membership is what an account pays for.
func (p *profile) membership() object {
	if p.subscribed.Load() {
		return object{"subscription_type": "Premium", "verified_type": "blue"}
	}
	return object{"subscription_type": "None", "verified_type": "none"}
}

// maxText is how long the account's posts may be.
func (p *profile) maxText() int {
	if p.subscribed.Load() {
		return maxLongWeight
	}
	return maxWeight
}

func user(a *simulation.Account) object {
	return object{"id": a.ID, "name": a.Handle, "username": a.Handle}
}

type object = map[string]any

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}
