//go:build conformance

package tiktok_test

import (
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the connector and the simulator say to each other against what is
// known of TikTok's documentation.
func TestConformance(t *testing.T) {
	description := conformance.TikTok(t)
	f := fixture()
	f.Watch = description.Watch(t, nil)
	connectortest.RunGenuine(t, f)
	connectortest.RunConsent(t, f)
	description.Report(t)
}
