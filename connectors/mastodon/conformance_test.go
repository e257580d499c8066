//go:build conformance

package mastodon_test

import (
	"fmt"
	"net/http"
	"testing"

	"crier/connectors"
	"crier/connectors/mastodon"
	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/mastodon"
	"crier/schema"
)

// TestConformance holds what the connector and the simulator say to each other against
// the platform's own description.
func TestConformance(t *testing.T) {
	description := conformance.Mastodon(t)
	connectortest.RunGenuine(t, connectortest.Fixture{
		Description: mastodon.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"likes", "comments", "shares"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("a-token-of-account-%d", n)}
		},
		Operations: connectortest.Operations{Publish: "POST /api/v1/statuses", Comment: "POST /api/v1/statuses", Upload: "POST /api/v2/media", Reply: "POST /api/v1/statuses"},
		Answers:    connectortest.Answers{Comments: true, Extent: connectors.AllComments, Mentions: true, Nested: true},
		Looks:      true, Dedupes: true,
		Watch: func(simulator http.Handler) http.Handler {
			return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
		},
	})
	if description.Checked() == 0 {
		t.Error("nothing was checked")
	}
}
