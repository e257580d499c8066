package instagram

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
		"on Instagram's own page":   {connectors.Parts{App: app}, "https://www.instagram.com/oauth/authorize?"},
		"where all of Instagram is": {connectors.Parts{App: app, Base: "http://i/"}, "http://i/oauth/authorize?"},
		"on a page that is moved":   {connectors.Parts{App: app, Base: "http://i", Consent: "http://c/"}, "http://c/oauth/authorize?"},
		"without an app":            {connectors.Parts{}, ""},
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

// Instagram's documents show one form of the answer, and its servers send another.
func TestWhatWasGrantedIsRead(t *testing.T) {
	all := strings.Join(scopes(connectors.App{}).Asked(), ",")
	list := `["` + strings.Join(scopes(connectors.App{}).Asked(), `","`) + `"]`
	for name, tt := range map[string]struct {
		body  string
		scope string
		kind  schema.ErrorKind // zero: it is exchanged
	}{
		"in a list, as a text":   {`{"data":[{"access_token":"a","user_id":"1","permissions":"` + all + `"}]}`, all, 0},
		"by itself, as a list":   {`{"access_token":"a","user_id":1,"permissions":` + list + `}`, all, 0},
		"without its scopes":     {`{"access_token":"a","user_id":1}`, "", 0},
		"without what is needed": {`{"access_token":"a","permissions":["instagram_business_basic"]}`, "", schema.Refused},
		"an empty list":          {`{"data":[]}`, "", schema.Retryable},
		"scopes that are none":   {`{"access_token":"a","permissions":7}`, "", schema.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: "POST /oauth/access_token", Status: http.StatusOK, Body: tt.body})
			credentials, err := r.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: "http://x", Code: "y#_"})
			if tt.kind != 0 {
				connectortest.WantKind(t, err, tt.kind)
				return
			}
			if err != nil || credentials.Scope != tt.scope || credentials.AppID != simulation.AppID || !credentials.SelfRenewing {
				t.Errorf("Exchange = %q, %v", credentials.Scope, err)
			}
		})
	}
}
