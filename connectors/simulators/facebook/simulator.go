package facebook

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
	"crier/connectors/simulators/simulation/oauth"
)

// simulator is Facebook in small. Its posts and uploads are the world's.
type simulator struct {
	world   *simulation.World
	limited bool
	mux     *http.ServeMux
	dialect simulation.Dialect

	oauth *oauth.Flow
}

// New makes a Facebook with the limits of pages.
func New(w *simulation.World) http.Handler { return newSimulator(w, true) }

// NewUnlimited makes a Facebook without limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, false) }

func newSimulator(w *simulation.World, limited bool) http.Handler {
	s := &simulator{world: w, limited: limited, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: simulation.Operations(s.mux), Fail: s.fail, Ending: graph.Ending(withdrawn()), Show: s.show}
	for pattern, handle := range map[string]func(visit){
		"GET /{version}/me":                           s.showSelf,
		"GET /{version}/debug_token":                  s.inspect,
		"GET /{version}/me/accounts":                  s.listPages,
		"GET /{version}/me/permissions":               s.listPermissions,
		"GET /{version}/me/businesses":                s.listBusinesses,
		"GET /{version}/{node}/owned_pages":           s.listBusinessPages,
		"GET /{version}/{node}/client_pages":          s.listBusinessPages,
		"POST /{version}/{page}/feed":                 s.createPost,
		"POST /{version}/{page}/photos":               s.uploadPhoto,
		"POST /{version}/{page}/videos":               s.actOnVideo,
		"POST /{version}/{page}/video_reels":          s.actOnReel,
		"POST /{version}/{page}/video_stories":        s.actOnReel,
		"POST /{version}/{page}/photo_stories":        s.createPhotoStory,
		"POST /{version}/{node}/comments":             s.createComment,
		"GET /{version}/{node}/comments":              s.listComments,
		"GET /{version}/{page}/published_posts":       s.listPosts,
		"GET /{version}/{node}":                       s.showNode,
		"POST /video-upload/{version}/videos/{video}": s.streamVideo,
	} {
		s.mux.HandleFunc(pattern, s.admit(handle))
	}
	s.mux.HandleFunc("GET /{version}/oauth/access_token", s.token)
	s.mux.HandleFunc("GET /{version}/dialog/oauth", s.oauth.Authorize)
	s.mux.HandleFunc("POST /{version}/dialog/oauth", s.oauth.Authorize)
	for _, pattern := range []string{"GET /{node}", "GET /reel/{node}/{$}", "GET /watch/{$}"} {
		s.mux.HandleFunc(pattern, s.page)
	}
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { graph.UnknownPath().WriteTo(rw) })
	return w.Handler(s.mux, s.dialect)
}

// visit is one call of a page's token, or a person's.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	account *simulation.Account
	token   string
	fields  map[string]any // of a body of JSON or a form
}

// person returns whose token it is; ok is false for a page's.
func (v visit) person() (name string, ok bool) { return personOf(v.token) }

// text returns a field as a text: forms have no other.
func (v visit) text(name string) string {
	text, _ := v.fields[name].(string)
	return text
}

// isOwn reports whether a page is the token's.
func (v visit) isOwn(page string) bool {
	_, isPerson := v.person()
	return !isPerson && (page == "me" || page == v.account.ID)
}

// admit lets a call in that has a token, and room in the page's limit.
func (s *simulator) admit(handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if token == "" {
			token = r.URL.Query().Get("access_token")
		} else if scheme != "Bearer" && scheme != "OAuth" {
			token = ""
		}
		if token == "" {
			graph.NoToken().WriteTo(rw)
			return
		}
		v := visit{rw: rw, r: r, account: s.world.Account(token), token: token}
		if end := s.world.EndOf(v.account.ID); end != simulation.Alive && isStopped(end, r) {
			s.dialect.Ending.Refuse(rw, end)
			return
		}
		if !s.count(v) {
			return
		}
		if page := r.PathValue("page"); page != "" && !v.isOwn(page) {
			graph.Bad(200, 0, "(#200) The user hasn't authorized the application to perform this action").WriteTo(rw)
			return
		}
		v.fields = map[string]any{}
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" {
			if json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&v.fields) != nil {
				graph.Bad(100, 0, "(#100) The body is no JSON object").WriteTo(rw)
				return
			}
		}
		handle(v)
	}
}

const maxRequest = 1 << 20

// fail answers a call with an error.
func (v visit) fail(err error) { graph.Fail(v.rw, err) }

// forcedWait is what a forced rate limit asks to wait, in seconds: a real one is of minutes.
const forcedWait = "2"

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	worded := graph.Bad(368, 0, "The action attempted has been deemed abusive or is otherwise disallowed")
	switch o {
	case simulation.RateLimit:
		worded = tooMany()
		if status == 0 {
			rw.Header().Set("Retry-After", forcedWait)
		}
	case simulation.ExpiredToken:
		worded = graph.ExpiredToken()
	case simulation.Outage:
		worded = graph.Outage()
	}
	if status != 0 {
		worded.Status = status
	}
	worded.WriteTo(rw)
}

// profile is what the simulator keeps of a page beside the world. It does not outlive the
// process.
type profile struct {
	mu     sync.Mutex
	window graph.Window // of calls
}

func profileOf(a *simulation.Account) *profile {
	stored, _ := a.Data.LoadOrStore("profile", &profile{})
	return stored.(*profile)
}

// showSelf shows whose token it is: a person has no category.
func (s *simulator) showSelf(v visit) {
	if _, isPerson := v.person(); isPerson {
		graph.Answer(v.rw, http.StatusOK, map[string]any{"id": v.account.ID, "name": v.account.Handle})
		return
	}
	page := map[string]any{"id": v.account.ID, "name": "Page " + v.account.ID, "category": "Community"}
	if strings.Contains(v.r.URL.Query().Get("fields"), "followers_count") {
		page["followers_count"] = s.world.Crowd(v.account.ID).Followers
	}
	graph.Answer(v.rw, http.StatusOK, page)
}

// address builds an address of the API.
func (s *simulator) address(r *http.Request, query url.Values) string {
	return s.world.BaseURL() + r.URL.Path + "?" + query.Encode()
}
