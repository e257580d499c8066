package telegram

import (
	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Telegram, Label: "Telegram",
		Constraints: Constraints(),
		// One message a second to a chat, short bursts excepted, and some 30 a second of a bot,
		// which may serve many chats (core.telegram.org/bots/faq). A little less of those, since
		// calls bunch up on their way. groupPace has the 20 a minute of a group.
		Limits: connectors.Limits{connectors.Any: {
			Account: connectors.Rate{PerSecond: 1, Burst: 20}, App: connectors.Rate{PerSecond: 25, Burst: 5},
		}},
		Calls: connectors.Calls{Platform: schema.Telegram, Answers: answers(), LimitOf: limitOf},
		Connecting: connectors.Connecting{
			Method: connectors.ByBotToken, Instead: "POST /connect/telegram/channels takes a bot's token and a chat's id",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// limitOf puts all that sends messages under one limit.
func limitOf(call connectors.Call) string {
	if call.Kind == connectors.Post {
		return "messages"
	}
	return call.Operation
}
