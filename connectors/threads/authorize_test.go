package threads

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestTheConsentIsAskedFor(t *testing.T) {
	app := connectors.App{ID: "1", Secret: "s"}
	for name, tt := range map[string]struct {
		config connectors.Parts
		want   string // what the page begins with; empty: there is no app to ask with
	}{
		"on Threads' own page":    {connectors.Parts{App: app}, "https://threads.com/oauth/authorize?"},
		"where all of Threads is": {connectors.Parts{App: app, Base: "http://t/"}, "http://t/oauth/authorize?"},
		"on a page that is moved": {connectors.Parts{App: app, Base: "http://t", Consent: "http://c/"}, "http://c/oauth/authorize?"},
		"without an app":          {connectors.Parts{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			page, _, err := New(tt.config).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: "http://x", State: "y"})
			if tt.want == "" {
				connectortest.WantKind(t, err, schema.Refused)
				return
			}
			asked, _ := url.Parse(page)
			if err != nil || !strings.HasPrefix(page, tt.want) || asked.Query().Get("scope") != strings.Join(scopes(app).Asked(), ",") {
				t.Errorf("page %s, %v", page, err)
			}
		})
	}
}

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
