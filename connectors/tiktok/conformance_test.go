//go:build conformance

package tiktok_test

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the connector and the simulator say to each other against what is
// known of TikTok's documentation.
func TestConformance(t *testing.T) {
	description := conformance.TikTok(t)
	f := fixture()
	f.Watch = func(simulator http.Handler) http.Handler {
		return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
	}
	connectortest.RunGenuine(t, f)
	connectortest.RunConsent(t, f)
	if description.Checked() == 0 {
		t.Error("nothing was checked")
	}
	t.Logf("%d exchanges", description.Checked())
}
