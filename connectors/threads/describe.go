package threads

import (
	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Threads, Label: "Threads",
		Constraints: Constraints(),
		// 48,000 calls a day at the least (developers.facebook.com/docs/threads/overview); a
		// post takes four, and some more while Threads works on its media.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 0.5, Burst: 200}}},
		Calls:      connectors.Calls{Platform: schema.Threads, Answers: answers(), Pace: graph.Pace, PaceReads: graph.PaceReads},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, SelfRenewing: true}, ChoosesScopes: true},
		New:        func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
