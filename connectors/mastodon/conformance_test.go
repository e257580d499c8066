//go:build conformance

package mastodon_test

import (
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the connector and the simulator say to each other against
// the platform's own description.
func TestConformance(t *testing.T) {
	description := conformance.Mastodon(t)
	f := fixture()
	f.Watch = description.Watch(t, nil)
	connectortest.RunGenuine(t, f)
	description.Report(t)
}
