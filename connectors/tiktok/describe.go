package tiktok

import (
	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.TikTok, Label: "TikTok",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.TikTok, Answers: answers(), LimitOf: LimitOf},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true}, ChoosesScopes: true},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
