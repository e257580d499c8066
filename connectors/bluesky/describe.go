package bluesky

import (
	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Bluesky, Label: "Bluesky",
		Constraints: Constraints(),
		// 3,000 calls in 5 minutes (docs.bsky.app/docs/advanced-guides/rate-limits);
		// what they cost in points is known to the server, which says when to wait.
		Limits: connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 10, Burst: 100}}},
		Calls:  connectors.Calls{Platform: schema.Bluesky, Answers: answers()},
		Connecting: connectors.Connecting{
			Method: connectors.ByAppPassword, Instead: "POST /connect/bluesky takes an identifier and an app password",
		},
		New: func(p connectors.Parts) connectors.Connector {
			return New(Config{Client: p.Client, Base: p.Base, Media: p.Media, Pages: p.Pages, Now: p.Now})
		},
	}
}
