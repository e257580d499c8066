package linkedin

import (
	"time"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.LinkedIn, Label: "LinkedIn",
		Constraints: Constraints(),
		// 150 posts a day of a member, and comments by the minute
		// (learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits): LinkedIn says
		// when a day is spent, so that bursts alone are evened out here.
		Limits:     connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 2, Burst: 60}}},
		Calls:      connectors.Calls{Platform: schema.LinkedIn, Answers: answers()},
		Connecting: connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true, Entity: true}, ChoosesScopes: true, Version: DefaultVersion},
		// Of what LinkedIn gives of members, their activity may be kept for the shortest time.
		Retention: connectors.Retention{
			Period: 48 * time.Hour, Source: "learn.microsoft.com/linkedin/marketing/data-storage-requirements",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
