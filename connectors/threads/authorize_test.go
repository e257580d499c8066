package threads

import (
	"net/http"
	"net/url"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Threads tells the testers of an app alone what a token is good for: others connect without.
func TestAConsentThatNobodyTellsOfIsTaken(t *testing.T) {
	r := newRig(t)
	page, _, err := r.Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: "http://x", State: "y"})
	if err != nil {
		t.Fatal(err)
	}
	back := connectortest.SentBack(t, page, url.Values{"crier_answer": {"allow"}, "crier_name": {"ada"}, "crier_scope": {"threads_basic"}})
	r.Inject(t, simulation.Fault{Operation: "GET /debug_token", Status: http.StatusBadRequest, Body: `{"error":{"message":"no tester","code":10}}`})
	credentials, err := r.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: "http://x", Code: back.Query().Get("code")})
	if err != nil || credentials.Scope != "" || !credentials.SelfRenewing {
		t.Errorf("Exchange = %v of %q, %v", credentials, credentials.Scope, err)
	}
}
