//go:build conformance

package linkedin_test

import (
	"fmt"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/linkedin"
	"crier/schema"
)

// TestConformance holds what the connector asks for against the samples of LinkedIn's
// documentation.
func TestConformance(t *testing.T) {
	description := conformance.LinkedIn(t)
	f := fixture()
	f.Looks, f.Answers = true, connectortest.Answers{Comments: true}
	f.Credentials = func(n int) schema.Credentials {
		token := fmt.Sprintf("a-token-of-member-%d", n)
		return schema.Credentials{AccessToken: token, EntityID: simulator.Organizations(token)[0]}
	}
	f.Watch = description.Watch(t, nil)
	connectortest.RunGenuine(t, f)
	description.Report(t)
}
