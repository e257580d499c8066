package threads

import (
	"net/http"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Threads tells the testers of an app alone what a token is good for: others connect without.
func TestAConsentThatNobodyTellsOfIsTaken(t *testing.T) {
	r := newRig(t)
	v := connectortest.NewVisit(t, r.Connector, schema.Account{}, connectors.App{})
	code := v.Allow(t, "threads_basic")
	r.Inject(t, simulation.Fault{Operation: "GET /debug_token", Status: http.StatusBadRequest, Body: `{"error":{"message":"no tester","code":10}}`})
	credentials, err := v.Exchange(t, code)
	if err != nil || credentials.Scope != "" || !credentials.SelfRenewing {
		t.Errorf("Exchange = %v of %q, %v", credentials, credentials.Scope, err)
	}
}
