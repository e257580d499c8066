package bluesky

import (
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"crier/connectors/simulators/simulation"
)

// simulator is a PDS in small, with the video service at the same address.
type simulator struct {
	world   *simulation.World
	dialect simulation.Dialect
	tokens  *tokens
	logins  *quota
	writes  *quota
	uploads *quota
	stream  *Stream
	deleted sync.Map // uris of records, until the process ends
}

// New serves a PDS with the limits of a real one. An account is made by the
// first login with its handle, its DID or an e-mail address and any password.
func New(w *simulation.World) http.Handler {
	return newSimulator(w, pdsLimits())
}

// NewUnlimited serves a PDS that takes any number of calls, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, limits{}) }

func newSimulator(w *simulation.World, limits limits) http.Handler {
	s := &simulator{
		world:   w,
		tokens:  newTokens(w.Now),
		logins:  newQuota(limits.logins, w.Now),
		writes:  newQuota(limits.writes, w.Now),
		uploads: newQuota(limits.uploads, w.Now),
		stream:  NewStream(StreamConfig{Rate: streamRate, Seed: streamSeed, Words: streamWords, Now: w.Now}),
	}
	s.dialect = simulation.Dialect{Operation: operation, Fail: s.fail, Ending: ending(), Show: s.show}
	mux := http.NewServeMux()
	for method, handler := range map[string]http.HandlerFunc{
		"POST com.atproto.server.createSession":       s.answer(s.createSession),
		"POST com.atproto.server.refreshSession":      s.answer(s.refreshSession),
		"GET com.atproto.server.getSession":           s.answer(s.getSession),
		"GET com.atproto.server.getServiceAuth":       s.answer(s.getServiceAuth),
		"GET com.atproto.server.describeServer":       s.answer(s.describeServer),
		"GET com.atproto.identity.resolveHandle":      s.answer(s.resolveHandle),
		"POST " + uploadBlob:                          s.answer(s.uploadBlob),
		"POST com.atproto.repo.putRecord":             s.write(putCost, s.put),
		"POST com.atproto.repo.createRecord":          s.write(createCost, s.create),
		"POST com.atproto.repo.deleteRecord":          s.write(deleteCost, s.remove),
		"GET com.atproto.repo.getRecord":              s.answer(s.getRecord),
		"GET com.atproto.repo.listRecords":            s.answer(s.listRecords),
		"GET app.bsky.feed.getPostThread":             s.answer(s.getPostThread),
		"GET app.bsky.notification.listNotifications": s.answer(s.listNotifications),
		"POST app.bsky.video.uploadVideo":             s.uploadVideo,
		"GET app.bsky.video.getJobStatus":             s.answer(s.getJobStatus),
		"GET " + getUploadLimits:                      s.answer(s.getUploadLimits),
		"GET app.bsky.feed.getPosts":                  s.answer(s.getPosts),
		"GET app.bsky.actor.getProfile":               s.answer(s.getProfile),
		"GET app.bsky.feed.searchPosts":               s.answer(s.search),
	} {
		verb, name, _ := strings.Cut(method, " ")
		mux.HandleFunc(verb+" /xrpc/"+name, handler)
	}
	mux.Handle("GET /subscribe", s.stream)
	mux.HandleFunc("/", s.answer(func(http.ResponseWriter, *http.Request) (any, error) {
		return nil, refusal{http.StatusNotImplemented, "MethodNotImplemented", "no such method here"}
	}))
	return w.Handler(s.alive(mux), s.dialect)
}

// operation names a request by its method of XRPC.
func operation(r *http.Request) string {
	folder, method := path.Split(r.URL.Path)
	if folder != "/xrpc/" {
		return ""
	}
	return method
}

// refusal is an answer other than 200.
type refusal struct {
	Status  int    `json:"-"`
	Name    string `json:"error"`
	Message string `json:"message"`
}

func (r refusal) Error() string { return r.Name + ": " + r.Message }

func invalid(name, message string) refusal {
	return refusal{http.StatusBadRequest, name, message}
}

// method is one method of XRPC: it returns the output, or a refusal. It may set headers.
type method func(rw http.ResponseWriter, r *http.Request) (any, error)

func (s *simulator) answer(m method) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		output, err := m(rw, r)
		if err == nil {
			respond(rw, http.StatusOK, output)
			return
		}
		refused, ok := errors.AsType[refusal](err)
		if !ok {
			refused = refusal{http.StatusInternalServerError, "InternalServerError", "Internal Server Error"}
		}
		respond(rw, refused.Status, refused)
	}
}

func respond(rw http.ResponseWriter, status int, body any) {
	encoded, err := json.Marshal(body)
	if err != nil {
		http.Error(rw, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	rw.Write(encoded)
}

// forcedWait is how long a forced 429 asks to wait.
const forcedWait = 2 * time.Second

// fail words a forced failure as a PDS does.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	refused := map[simulation.Outcome]refusal{
		simulation.RateLimit:    errTooMany,
		simulation.Outage:       {http.StatusBadGateway, "UpstreamFailure", "Upstream Failure"},
		simulation.ExpiredToken: invalid(expiredToken, "Token has expired"),
		simulation.Refused:      invalid("InvalidRequest", "the record was refused, as its marker asks"),
	}[o]
	if o == simulation.ExpiredToken && status == http.StatusUnauthorized {
		refused = errLoginFailed
	}
	if o == simulation.RateLimit {
		setMissing(rw.Header(), "RateLimit-Reset", strconv.FormatInt(s.world.Now().Add(forcedWait).Unix(), 10))
		setMissing(rw.Header(), "Retry-After", strconv.Itoa(int(forcedWait.Seconds())))
	}
	if status != 0 {
		refused.Status = status
	}
	respond(rw, refused.Status, refused)
}

func setMissing(header http.Header, name, value string) {
	if header.Get(name) == "" {
		header.Set(name, value)
	}
}

// readInput decodes the JSON input of a procedure.
func readInput(r *http.Request, input any) error {
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxInput)).Decode(input); err != nil {
		return invalid("InvalidRequest", "the input is no JSON of this method")
	}
	return nil
}

// maxInput is how many bytes of JSON a PDS reads for a record.
const maxInput = 1_000_000
