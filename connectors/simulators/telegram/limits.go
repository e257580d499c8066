package telegram

import (
	"math"
	"time"

	"golang.org/x/time/rate"

	"crier/connectors/simulators/simulation"
)

// pace is how often something may happen; the zero pace limits nothing.
type pace struct {
	perSecond rate.Limit
	burst     int
}

func (p pace) limiter() *rate.Limiter {
	if p.perSecond == 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(p.perSecond, p.burst)
}

// limits is how often a bot may send.
type limits struct {
	bot   pace
	chat  pace
	group pace
}

// botLimits are those that Telegram tells of: 30 messages a second of a bot, one a
// second to a chat, of which short bursts are let pass, 20 a minute to a group
// (core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
func botLimits() limits {
	return limits{
		bot:   pace{30, 30},
		chat:  pace{1, 20},
		group: pace{rate.Every(time.Minute / 20), 20},
	}
}

func (l limits) of(o *chat) pace {
	if o.kind() == "group" {
		return l.group
	}
	return l.chat
}

// turn takes a bot's turn to send messages to a chat, or says how many seconds to wait for it. An
// album has one of the bot and of a channel; a group counts its items.
func (s *simulator) turn(bot *simulation.Account, to *chat, messages int) int {
	if to.kind() != "group" {
		messages = 1
	}
	stored, _ := bot.Data.LoadOrStore("turns", s.limits.bot.limiter())
	now := s.world.Now()
	own, chats := stored.(*rate.Limiter).ReserveN(now, 1), to.turns.ReserveN(now, messages)
	wait := max(own.DelayFrom(now), chats.DelayFrom(now))
	if wait <= 0 {
		return 0
	}
	own.CancelAt(now)
	chats.CancelAt(now)
	return int(math.Ceil(wait.Seconds()))
}
