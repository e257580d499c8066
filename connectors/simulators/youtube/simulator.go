package youtube

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
	"crier/schema"
)

// simulator is YouTube in small. Its posts and uploads are the world's.
type simulator struct {
	world   *simulation.World
	limited bool
	mux     *http.ServeMux
	dialect simulation.Dialect
	oauth   *oauth.Flow
	used    quotas
}

// New makes a YouTube with the quotas of an app.
func New(w *simulation.World) http.Handler { return newSimulator(w, true) }

// NewUnlimited makes a YouTube without quotas, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, false) }

// The names of the calls of an upload's session, which share an address.
const (
	opPart   = "PUT session part"
	opEnd    = "PUT session end"
	opStatus = "PUT session status"
)

const sessionPattern = "PUT /upload/youtube/v3/videos"

func newSimulator(w *simulation.World, limited bool) http.Handler {
	s := &simulator{world: w, limited: limited, mux: http.NewServeMux(), oauth: newOAuth(w)}
	s.dialect = simulation.Dialect{Operation: s.operation, Fail: s.fail, Ending: ending(), Show: s.show}
	for pattern, call := range map[string]struct {
		handle func(visit)
		bucket string
		cost   int
	}{
		"POST /upload/youtube/v3/videos":         {s.insertVideo, "uploads", 1},
		sessionPattern:                           {s.continueUpload, "", 0},
		"POST /upload/youtube/v3/thumbnails/set": {s.setThumbnail, "units", 50},
		"GET /youtube/v3/channels":               {s.listChannels, "units", 1},
		"GET /youtube/v3/videos":                 {s.listVideos, "units", 1},
		"GET /youtube/v3/videos:batchGetStats":   {s.batchGetStats, "stats", 1},
		"GET /youtube/v3/playlists":              {s.listPlaylists, "units", 1},
		"GET /youtube/v3/playlistItems":          {s.listPlaylistItems, "units", 1},
		"POST /youtube/v3/playlistItems":         {s.insertPlaylistItem, "units", 50},
		"GET /youtube/v3/commentThreads":         {s.listComments, "units", 1},
		"POST /youtube/v3/commentThreads":        {s.insertComment, "units", 50},
		"GET /youtube/v3/comments":               {s.listReplies, "units", 1},
		"POST /youtube/v3/comments":              {s.insertReply, "units", 50},
		"GET /youtube/v3/captions":               {s.listCaptions, "units", 50},
		"GET /youtube/v3/captions/{id}":          {s.downloadCaptions, "units", 200},
		"GET /v2/reports":                        {s.report, "", 0},
	} {
		s.mux.HandleFunc(pattern, s.admit(call.handle, call.bucket, call.cost))
	}
	s.mux.HandleFunc("GET /o/oauth2/v2/auth", s.oauth.Authorize)
	s.mux.HandleFunc("POST /o/oauth2/v2/auth", s.oauth.Authorize)
	s.mux.HandleFunc("POST /token", s.oauth.Token)
	s.mux.HandleFunc("POST /revoke", s.oauth.RevokeAsGoogle)
	s.mux.HandleFunc("GET /watch", s.page)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		refuse(rw, refusal{http.StatusNotFound, "notFound", "Not Found"})
	})
	return w.Handler(s.mux, s.dialect)
}

// operation names a request by its pattern; those of a session by what they send.
func (s *simulator) operation(r *http.Request) string {
	switch _, pattern := s.mux.Handler(r); pattern {
	case "/":
		return ""
	case sessionPattern:
		sent, ok := parseRange(r.Header.Get("Content-Range"))
		switch {
		case !ok || sent.isQuestion:
			return opStatus
		case sent.last+1 == sent.size:
			return opEnd
		default:
			return opPart
		}
	default:
		return pattern
	}
}

// visit is one call of a channel's token.
type visit struct {
	rw      http.ResponseWriter
	r       *http.Request
	channel string
	name    string
	account *simulation.Account
}

// Channel returns the id of the channel that a token is of.
func Channel(token string) string {
	world := simulation.NewWorld(simulation.Config{Platform: schema.YouTube})
	return channelOf(world.Account(oauth.Owner(token)))
}

// Playlists returns the ids of the channel's own playlists.
func Playlists(token string) []string { return playlistsOf(Channel(token)) }

func channelOf(a *simulation.Account) string {
	id, err := strconv.ParseInt(a.ID, 10, 64)
	if err != nil {
		panic(err) // ids are decimal
	}
	return fmt.Sprintf("UC%022d", id)
}

func playlistsOf(channel string) []string {
	return []string{"PL" + channel[2:] + "-series", "PL" + channel[2:] + "-best"}
}

func uploadsOf(channel string) string { return "UU" + channel[2:] }

// admit lets a call in that has a token, and that the day's quota is enough for.
func (s *simulator) admit(handle func(visit), bucket string, cost int) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/upload/") {
			rw.Header().Set("X-GUploader-UploadID", "sim-"+strconv.FormatInt(s.world.NewID(), 36))
		}
		token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !isBearer {
			token = ""
		}
		if err := s.checkToken(token); err != nil {
			refuseWith(rw, err)
			return
		}
		account := s.world.Account(oauth.Owner(token))
		v := visit{rw: rw, r: r, account: account, channel: channelOf(account), name: "Channel " + account.Handle}
		if end := s.world.EndOf(v.channel); end != simulation.Alive {
			refuseEnded(rw, end)
			return
		}
		if !s.spend(r, bucket, cost) {
			refuse(rw, quotaExceeded())
			return
		}
		handle(v)
	}
}

// refusal is an error that YouTube answers with.
type refusal struct {
	status  int
	reason  string
	message string
}

func (r refusal) Error() string { return r.message }

func badRequest(reason, message string) error {
	return refusal{http.StatusBadRequest, reason, message}
}

func notFound(reason, message string) error { return refusal{http.StatusNotFound, reason, message} }

// fail answers a call with an error.
func (v visit) fail(err error) { refuseWith(v.rw, err) }

// refuseWith answers with an error; one that is no refusal is the journal's.
func refuseWith(rw http.ResponseWriter, err error) {
	if r, ok := errors.AsType[refusal](err); ok {
		refuse(rw, r)
		return
	}
	refuse(rw, refusal{http.StatusInternalServerError, "backendError", "Internal error encountered."})
}

// domainOf is where a reason belongs.
func domainOf(reason string) string {
	switch reason {
	case "quotaExceeded":
		return "youtube.quota"
	case "rateLimitExceeded":
		return "usageLimits"
	case "authError", "insufficientPermissions", "backendError", "notFound":
		return "global"
	default:
		return "youtube.common"
	}
}

func refuse(rw http.ResponseWriter, r refusal) {
	answer(rw, r.status, map[string]any{"error": map[string]any{
		"code": r.status, "message": r.message,
		"errors": []map[string]string{{"message": r.message, "domain": domainOf(r.reason), "reason": r.reason}},
	}})
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=UTF-8")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(body) // fails only when the client is gone
}

// list answers with the part of a list that was asked for. A page token is where it begins.
func (v visit) list(kind string, all []any, usual, maximum int) {
	query := v.r.URL.Query()
	count := usual
	if n, err := strconv.Atoi(query.Get("maxResults")); err == nil {
		count = max(0, min(n, maximum))
	}
	start, err := strconv.Atoi(query.Get("pageToken"))
	if err != nil || start < 0 || start > len(all) {
		if query.Get("pageToken") != "" {
			v.fail(badRequest("invalidPageToken", "The request specifies an invalid page token."))
			return
		}
		start = 0
	}
	end := min(start+count, len(all))
	body := map[string]any{
		"kind": "youtube#" + kind + "ListResponse", "etag": "etag", "items": append([]any{}, all[start:end]...),
		"pageInfo": map[string]int{"totalResults": len(all), "resultsPerPage": count},
	}
	if end < len(all) {
		body["nextPageToken"] = strconv.Itoa(end)
	}
	answer(v.rw, http.StatusOK, body)
}

// parts are those of a resource that a call is about.
func (v visit) parts() map[string]bool {
	parts := map[string]bool{}
	for name := range strings.SplitSeq(v.r.URL.Query().Get("part"), ",") {
		if name != "" {
			parts[name] = true
		}
	}
	return parts
}

// partsOf returns of a resource the parts that were asked for.
func (v visit) partsOf(resource map[string]any) map[string]any {
	parts, selected := v.parts(), map[string]any{}
	for name, value := range resource {
		if name == "kind" || name == "id" || name == "etag" || parts[name] {
			selected[name] = value
		}
	}
	return selected
}
