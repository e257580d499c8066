package instagram

import (
	"net/http"
	"strings"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Instagram's documents show one form of the answer, and its servers send another.
func TestWhatWasGrantedIsRead(t *testing.T) {
	all := strings.Join(scopes(connectors.App{}).Requested(), ",")
	list := `["` + strings.Join(scopes(connectors.App{}).Requested(), `","`) + `"]`
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
