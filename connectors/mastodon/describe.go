package mastodon

import (
	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Mastodon, Label: "Mastodon",
		Constraints: Constraints(),
		// 300 calls in 5 minutes (docs.joinmastodon.org/api/rate-limits).
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 1, Burst: 60}}},
		Calls:      connectors.Calls{Platform: schema.Mastodon, Answers: answers()},
		Connecting: connectors.Connecting{Registers: true},
		New:        func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
