package telegram

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"crier/connectors/simulators/simulation"
)

// chat is a chat of the simulator. Its numbering of messages follows from its posts.
type chat struct {
	key      string // the chat_id it is called by: a number, or @ and a name
	id       int64
	username string // empty: private

	turns *rate.Limiter

	mu   sync.Mutex
	last int64 // id of the last message
}

var usernamePattern = regexp.MustCompile(`^@[A-Za-z][A-Za-z0-9_]{3,31}$`)

// chat returns the chat a call names, or refuses the call.
func (s *simulator) chat(v visit) (*chat, bool) {
	key := v.input.field("chat_id")
	if key == "" {
		refuse(v.rw, http.StatusBadRequest, "Bad Request: chat_id is empty")
		return nil, false
	}
	fresh := &chat{key: key}
	if id, err := strconv.ParseInt(key, 10, 64); err == nil && id != 0 {
		fresh.id = id
	} else if !usernamePattern.MatchString(key) {
		refuse(v.rw, http.StatusBadRequest, "Bad Request: chat not found")
		return nil, false
	}
	account := s.world.Account(key)
	if stored, ok := account.Data.Load("chat"); ok {
		return stored.(*chat), true
	}
	if fresh.id == 0 {
		fresh.username = key[1:]
		fresh.id = channelID(account)
	}
	fresh.turns = s.limits.of(fresh).limiter()
	fresh.last = lastMessage(s.world, key)
	stored, _ := account.Data.LoadOrStore("chat", fresh)
	return stored.(*chat), true
}

// channelID is an id in the form of a channel's, the same for a name in every run.
func channelID(a *simulation.Account) int64 {
	const digits = 10
	id, err := strconv.ParseInt(longIDPrefix+a.ID[:min(digits, len(a.ID))], 10, 64)
	if err != nil {
		panic(err) // account ids are decimal
	}
	return id
}

// lastMessage is the id a chat's numbering goes on after.
func lastMessage(w *simulation.World, key string) int64 {
	for post := range w.Newest(key) {
		id, err := strconv.ParseInt(post.ID, 10, 64)
		if err != nil {
			panic(err) // ids are made by the chat
		}
		return id + int64(max(len(post.Media), 1)) - 1
	}
	return 0
}

// add stores a post under the chat's next ids, one for each media item.
func (o *chat) add(w *simulation.World, p simulation.Post) (simulation.Post, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.ID = strconv.FormatInt(o.last+1, 10)
	stored, _, err := w.Add(p)
	if err == nil {
		o.last += int64(max(len(p.Media), 1))
	}
	return stored, err
}

// kind is the type of a chat, which its id gives away.
func (o *chat) kind() string {
	switch {
	case strings.HasPrefix(strconv.FormatInt(o.id, 10), longIDPrefix):
		return "channel"
	case o.id < 0:
		return "group"
	default:
		return "private"
	}
}

func (o *chat) view() map[string]any {
	chat := map[string]any{"id": o.id, "type": o.kind()}
	if o.kind() == "private" {
		chat["first_name"] = "Simulated user"
	} else {
		chat["title"] = "Simulated " + o.kind()
	}
	if o.username != "" {
		chat["username"] = o.username
	}
	return chat
}

// fullInfo is the chat as getChat shows it.
func (o *chat) fullInfo() map[string]any {
	info := o.view()
	info["accent_color_id"] = 0
	info["max_reaction_count"] = 11
	info["accepted_gift_types"] = map[string]bool{
		"unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false,
		"premium_subscription": false, "gifts_from_channels": false,
	}
	return info
}

// message is a Message of the chat with its content.
func (o *chat) message(id int64, at time.Time, content map[string]any) map[string]any {
	content["message_id"] = id
	content["date"] = at.Unix()
	content["chat"] = o.view()
	if o.kind() == "channel" {
		content["sender_chat"] = o.view()
	}
	return content
}
