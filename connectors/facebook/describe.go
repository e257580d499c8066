package facebook

import (
	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Facebook, Label: "Facebook",
		Constraints: Constraints(),
		// A page has 4,800 calls in 24 hours for each person it has engaged
		// (developers.facebook.com/docs/graph-api/overview/rate-limiting). The usage headers say
		// how much of that is left; bursts alone are evened out here.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 1, Burst: 60}}},
		Calls:      connectors.Calls{Platform: schema.Facebook, Answers: answers(), Pace: graph.Pace, PaceReads: graph.PaceReads},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true}, ChoosesScopes: true},
		New:        func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
