package youtube

import (
	"strings"

	"crier/connectors"
)

// What people are asked for: all calls of the Data API that crier makes take the first, and no other
// is enough for comments (its discovery document). The second is of the Analytics API.
const (
	scope          = "https://www.googleapis.com/auth/youtube.force-ssl"
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"
)

// On Google's page the person also chooses the channel.
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{scope},
		Read:    []connectors.ReadScope{{Name: scopeAnalytics, For: []connectors.Purpose{connectors.ReadsRetention}}},
		Chosen:  strings.Fields(app.Scope),
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.Flow.Scopes }
