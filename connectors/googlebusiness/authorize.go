package googlebusiness

import "crier/connectors"

// scopes is what people are asked for. All locations of a person have the same refresh token, and each
// trades it for an access token of its own.
func scopes() connectors.Scopes {
	return connectors.Scopes{Publish: []string{"https://www.googleapis.com/auth/business.manage"}}
}
