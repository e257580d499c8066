//go:build conformance

package threads

import (
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the connector and the simulator say to each other against
// the platform's own description.
func TestConformance(t *testing.T) {
	description := conformance.Threads(t)
	f := fixture()
	f.Watch = description.Watch(t, func(e *conformance.Exchange) bool {
		return e.URL.Path != "/oauth/authorize" // for browsers
	})
	connectortest.RunGenuine(t, f)
	connectortest.RunConsent(t, f)
	description.Report(t)
}
