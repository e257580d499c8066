//go:build conformance

package bluesky

import (
	"fmt"
	"net/http"
	"testing"

	"crier/connectors"
	simulator "crier/connectors/simulators/bluesky"
	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	"crier/schema"
)

// TestConformance holds what the connector and the simulator say to each other against
// the platform's own description.
func TestConformance(t *testing.T) {
	description := conformance.Bluesky(t)
	connectortest.RunGenuine(t, connectortest.Fixture{
		Description: Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"likes", "comments", "shares", "saves"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{Identifier: fmt.Sprintf("user%d.example.com", n), Password: fmt.Sprintf("abcd-efgh-ijkl-%04d", n)}
		},
		Operations: connectortest.Operations{Publish: putRecord, Comment: putRecord, Upload: uploadBlob, Reply: putRecord},
		Answers:    connectortest.Answers{Comments: true, Extent: connectors.AllComments, Mentions: true, Nested: true, Forgiving: true},
		Looks:      true, Named: true, Dedupes: true,
		Watch: func(simulator http.Handler) http.Handler {
			return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
		},
	})
	if description.Checked() == 0 {
		t.Error("nothing was checked")
	}
}
