package telegram

import (
	"slices"
	"strings"
	"sync"
	"time"

	"crier/schema"
)

// A group takes so many messages of a bot in a minute, of which each item of an album is one
// (core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
const (
	groupMessages = 20
	groupWindow   = time.Minute
	maxGroups     = 4096 // that are remembered; all are forgotten at once
)

// groupPace keeps bots to the pace of groups. An account is published to by one process at a time,
// whose memory is enough.
type groupPace struct {
	mu   sync.Mutex
	sent map[string][]time.Time // by bot and chat, the messages of the last window
}

// isGroup reports whether an id is a group's; those of supergroups look as those of channels do.
func isGroup(chatID string) bool {
	return strings.HasPrefix(chatID, "-") && !strings.HasPrefix(chatID, longIDPrefix)
}

// take counts messages that are about to be sent to a chat, or refuses them for as long as the group's
// minute is full.
func (g *groupPace) take(c schema.Credentials, messages int, now time.Time) *schema.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := paceKey(c)
	sent, isKnown := g.sent[key]
	if !isKnown && !isGroup(c.ChatID) {
		return nil
	}
	for len(sent) > 0 && (now.Sub(sent[0]) >= groupWindow || sent[0].After(now)) { // past, or of a clock that was set back
		sent = sent[1:]
	}
	if over := len(sent) + messages - groupMessages; over > 0 {
		wait := sent[over-1].Add(groupWindow).Sub(now)
		return &schema.Error{
			Kind: schema.RateLimited, RetryAfter: wait, Alone: true, Message: "a group takes 20 messages of a bot in a minute",
		}
	}
	g.add(key, sent, messages, now)
	return nil
}

// learn notes which chats are groups, as the answers to what was sent there say.
func (g *groupPace) learn(c schema.Credentials, of chat, messages int, now time.Time) {
	if of.Type != "group" && of.Type != "supergroup" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, isKnown := g.sent[paceKey(c)]; !isKnown {
		g.add(paceKey(c), nil, messages, now)
	}
}

func (g *groupPace) add(key string, sent []time.Time, messages int, now time.Time) {
	if g.sent == nil || len(g.sent) >= maxGroups {
		g.sent = map[string][]time.Time{}
	}
	g.sent[key] = append(sent, slices.Repeat([]time.Time{now}, messages)...)
}

func paceKey(c schema.Credentials) string {
	bot, _, _ := strings.Cut(c.BotToken, ":")
	return bot + " " + c.ChatID
}
