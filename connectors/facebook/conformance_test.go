//go:build conformance

package facebook_test

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the connector asks for against the edges that Meta describes.
func TestConformance(t *testing.T) {
	description := conformance.Facebook(t)
	f := fixture()
	f.Watch = func(simulator http.Handler) http.Handler {
		return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
	}
	connectortest.RunGenuine(t, f)
	if description.Checked() == 0 {
		t.Error("nothing was checked")
	}
	t.Logf("%d exchanges", description.Checked())
}
