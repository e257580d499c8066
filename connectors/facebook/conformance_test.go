//go:build conformance

package facebook_test

import (
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the connector asks for against the edges that Meta describes.
func TestConformance(t *testing.T) {
	description := conformance.Facebook(t)
	f := fixture()
	f.Watch = description.Watch(t, nil)
	connectortest.RunGenuine(t, f)
	description.Report(t)
}
