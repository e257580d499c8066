package telegram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// forcedWait is how long a forced rate limit asks to wait, in seconds.
const forcedWait = 2

// largestRequest is what the Bot API takes in one request; an album may be larger than
// its largest file.
const largestRequest = maxAlbum * (maxVideoBytes + 1<<20)

// simulator is the Bot API in small: every bot exists, and may post to every chat.
type simulator struct {
	world   *simulation.World
	limits  limits
	dialect simulation.Dialect
}

// New makes a Bot API with the rate limits of the real one.
func New(w *simulation.World) http.Handler { return newSimulator(w, botLimits()) }

// NewUnlimited makes a Bot API without rate limits, for load.
func NewUnlimited(w *simulation.World) http.Handler { return newSimulator(w, limits{}) }

func newSimulator(w *simulation.World, l limits) http.Handler {
	s := &simulator{world: w, limits: l}
	s.dialect = simulation.Dialect{Operation: operation, Fail: fail, Ending: ending(), Show: s.show}
	return w.Handler(http.HandlerFunc(s.serve), s.dialect)
}

// botPath is where methods are: /bot<token>/<method>.
var botPath = regexp.MustCompile(`^/bot([^/]+)/([A-Za-z]+)$`)

func operation(r *http.Request) string {
	if parts := botPath.FindStringSubmatch(r.URL.Path); parts != nil {
		return parts[2]
	}
	return ""
}

// visit is one call of a bot.
type visit struct {
	rw    http.ResponseWriter
	r     *http.Request
	bot   *simulation.Account
	input input
}

func (s *simulator) serve(rw http.ResponseWriter, r *http.Request) {
	parts := botPath.FindStringSubmatch(r.URL.Path)
	if parts == nil || !tokenPattern.MatchString(parts[1]) {
		refuse(rw, http.StatusNotFound, "Not Found")
		return
	}
	handle, ok := map[string]func(visit){
		"getme":              s.getMe,
		"getchat":            s.getChat,
		"getchatmember":      s.getChatMember,
		"getchatmembercount": s.getChatMemberCount,
		"sendmessage":        s.sendMessage,
		"sendphoto":          s.sendPhoto,
		"sendvideo":          s.sendVideo,
		"sendmediagroup":     s.sendMediaGroup,
	}[strings.ToLower(parts[2])] // the Bot API takes methods in any case
	if !ok {
		refuse(rw, http.StatusNotFound, "Not Found: method not found")
		return
	}
	if r.ContentLength > largestRequest {
		refuse(rw, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	in, err := s.readInput(r)
	if err != nil {
		refuse(rw, http.StatusBadRequest, "Bad Request: can't parse the request")
		return
	}
	handle(visit{rw: rw, r: r, bot: s.world.Account(parts[1]), input: in})
}

func (s *simulator) getMe(v visit) {
	me := botUser(v)
	me["can_join_groups"], me["can_read_all_group_messages"], me["supports_inline_queries"] = true, false, false
	accept(v.rw, me)
}

// botUser is the caller as a User.
func botUser(v visit) map[string]any {
	id, _, _ := strings.Cut(botPath.FindStringSubmatch(v.r.URL.Path)[1], ":")
	return map[string]any{
		"id": json.Number(id), "is_bot": true, "first_name": "Simulated bot", "username": v.bot.Handle + "_bot",
	}
}

func (s *simulator) getChat(v visit) {
	if to, ok := s.chat(v); ok && !s.isStopped(v, to, "getChat") {
		accept(v.rw, to.fullInfo())
	}
}

func (s *simulator) getChatMemberCount(v visit) {
	if to, ok := s.chat(v); ok && !s.isStopped(v, to, "getChatMemberCount") {
		accept(v.rw, s.world.Crowd(to.key).Followers)
	}
}

func (s *simulator) sendMessage(v visit) {
	to, ok := s.chat(v)
	if !ok || s.isStopped(v, to, "sendMessage") {
		return
	}
	text := v.input.field("text")
	visible, problem := checkText(text, v.input.field("parse_mode"))
	if problem != "" {
		refuse(v.rw, http.StatusBadRequest, problem)
		return
	}
	s.send(v, to, text, nil, func(first int64, at time.Time) any {
		return to.message(first, at, map[string]any{"text": visible})
	})
}

// send adds what a call publishes and answers with what Telegram makes of it.
func (s *simulator) send(v visit, to *chat, text string, media []simulation.Media, result func(first int64, at time.Time) any) {
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: to.key, Text: text}, func(rw http.ResponseWriter) {
		if wait := s.turn(v.bot, to, max(len(media), 1)); wait > 0 {
			tooMany(rw, wait)
			return
		}
		sent, failed := settled(text, media)
		post, err := to.add(s.world, simulation.Post{Account: to.key, Text: text, Media: sent, Fields: v.input.shownAs(), Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r)})
		if err != nil {
			refuse(rw, http.StatusInternalServerError, "Internal Server Error")
			return
		}
		first, err := strconv.ParseInt(post.ID, 10, 64)
		if err != nil {
			panic(err) // ids are made by the chat
		}
		if failed != nil {
			failed(rw)
			return
		}
		accept(rw, result(first, post.CreatedAt))
	})
}

// checkText returns what is shown of a message's text, or how it is refused.
func checkText(text, parseMode string) (visible, problem string) {
	if strings.TrimSpace(text) == "" {
		return "", "Bad Request: message text is empty"
	}
	visible, problem = parsed(text, parseMode)
	switch {
	case problem != "":
	case strings.TrimSpace(visible) == "":
		problem = "Bad Request: text must be non-empty"
	case length(visible) > maxText:
		problem = "Bad Request: message is too long"
	}
	return visible, problem
}

// checkCaption returns what is shown of a caption, or how it is refused.
func checkCaption(caption, parseMode string) (visible, problem string) {
	visible, problem = parsed(caption, parseMode)
	if problem == "" && length(visible) > maxCaption {
		problem = "Bad Request: message caption is too long"
	}
	return visible, problem
}

// fail words what is forced on a call.
func fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	message, usual := "Forbidden: the message was refused, as its marker asks", http.StatusForbidden
	switch o {
	case simulation.RateLimit:
		tooMany(rw, forcedWait)
		return
	case simulation.ExpiredToken:
		message, usual = "Unauthorized", http.StatusUnauthorized
	case simulation.Outage:
		message, usual = "Internal Server Error", http.StatusInternalServerError
	}
	if status != 0 && status != usual {
		message, usual = http.StatusText(status), status
	}
	refuse(rw, usual, message)
}

// tooMany asks to wait, as long as a Retry-After that was asked for says.
func tooMany(rw http.ResponseWriter, seconds int) {
	if named, err := strconv.Atoi(rw.Header().Get("Retry-After")); err == nil {
		seconds = named
	}
	rw.Header().Set("Retry-After", strconv.Itoa(seconds))
	answer(rw, http.StatusTooManyRequests, map[string]any{
		"ok": false, "error_code": http.StatusTooManyRequests,
		"description": fmt.Sprintf("Too Many Requests: retry after %d", seconds),
		"parameters":  map[string]int{"retry_after": seconds},
	})
}

func refuse(rw http.ResponseWriter, status int, description string) {
	answer(rw, status, map[string]any{"ok": false, "error_code": status, "description": description})
}

func accept(rw http.ResponseWriter, result any) {
	answer(rw, http.StatusOK, map[string]any{"ok": true, "result": result})
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	if err := json.NewEncoder(rw).Encode(body); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}
