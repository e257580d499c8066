package pinterest

import (
	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Pinterest, Label: "Pinterest",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.Pinterest, Answers: answers(), Pace: Pace, LimitOf: LimitOf},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true, Entity: true}},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
