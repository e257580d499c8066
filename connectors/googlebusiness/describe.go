package googlebusiness

import (
	"time"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.GoogleBusiness, Label: "Google Business Profile",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.GoogleBusiness, Answers: answers()},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true, Entity: true}},
		// Content of the APIs may be kept for 30 days, and as it is alone.
		Retention: connectors.Retention{
			Period: 30 * 24 * time.Hour, Fresh: true, Source: "developers.google.com/my-business/content/policies",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}
