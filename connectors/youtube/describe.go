package youtube

import (
	"time"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.YouTube, Label: "YouTube",
		Constraints: Constraints(),
		// YouTube counts by the day and the app, and says when that is spent: bursts alone are
		// evened out here.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 5, Burst: 100}}},
		Calls:      connectors.Calls{Platform: schema.YouTube, Answers: answers()},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true}, ChoosesScopes: true},
		// Within 7 days once a person has taken the consent back; what is stored of a channel is
		// deleted or read again within 30 days.
		Retention: connectors.Retention{
			Period: 7 * 24 * time.Hour, Fresh: true,
			Source: "developers.google.com/youtube/terms/developer-policies, III.D.2 and III.E.4",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
