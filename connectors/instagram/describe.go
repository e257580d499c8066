package instagram

import (
	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Instagram, Label: "Instagram",
		Constraints: Constraints(),
		Limits:      graph.Limits(),
		Calls:       connectors.Calls{Platform: schema.Instagram, Answers: answers(), Pace: graph.Pace},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, SelfRenewing: true}, ChoosesScopes: true},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
