package googlebusiness

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestCheck(t *testing.T) {
	r := newRig(t)
	mine := simulator.Locations(token)
	for name, tt := range map[string]struct {
		entity string
		want   schema.ErrorKind // Internal: none
		end    schema.End
	}{
		"a location":       {mine[0], schema.Internal, schema.NotEnded},
		"none":             {"", schema.Refused, schema.NotEnded},
		"its number alone": {"123", schema.Refused, schema.NotEnded},
		"another path":     {"accounts/1/locations/../x", schema.Refused, schema.NotEnded},
		"somebody else's":  {"accounts/1/locations/2", schema.TokenDead, schema.NotEnded},
	} {
		profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token, EntityID: tt.entity})
		if tt.want == schema.Internal {
			if err != nil || !strings.HasSuffix(tt.entity, "/"+profile.NativeID) || !strings.HasSuffix(profile.Name, " (1 High Street, London)") {
				t.Errorf("%s: Check = %+v, %v", name, profile, err)
			}
			continue
		}
		if e := connectortest.WantKind(t, err, tt.want); e.End != tt.end {
			t.Errorf("%s: end %v", name, e.End)
		}
	}
	r.Inject(t, simulation.Fault{Operation: opLocation, Status: http.StatusOK, Body: `{"name":"locations/7","title":"Another"}`})
	_, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token, EntityID: mine[0]})
	connectortest.WantKind(t, err, schema.Retryable)
}

// Locations come by pages, of accounts that come by pages; one that is in two accounts is shown
// once, and one without an address is called by its title alone.
func TestEntities(t *testing.T) {
	r := newRig(t)
	locations := func(next string, numbers ...int) simulation.Fault {
		var list []string
		for _, n := range numbers {
			list = append(list, fmt.Sprintf(`{"name":"locations/%d","title":"Café %d"}`, n, n))
		}
		return simulation.Fault{Operation: opLocations, Status: http.StatusOK, Body: `{"locations":[` + strings.Join(list, ",") + `]` + next + `}`}
	}
	r.Inject(t, simulation.Fault{Operation: opAccounts, Status: http.StatusOK, Body: `{"accounts":[{"name":"accounts/1"},{"name":"accounts/2"}],"nextPageToken":"0"}`})
	r.Inject(t, locations(`,"nextPageToken":"more"`, 11, 12))
	r.Inject(t, locations(``, 13))
	r.Inject(t, locations(``, 12, 21))
	person := schema.Credentials{AccessToken: token, RefreshToken: "refresh-of-" + token}
	entities, err := r.Entities(t.Context(), schema.Account{}, person)
	if err != nil || len(entities) != 4+2 { // of the last page the simulator's own
		t.Fatalf("Entities = %v, %v", entities, err)
	}
	for i, want := range []string{"accounts/1/locations/11", "accounts/1/locations/12", "accounts/1/locations/13", "accounts/2/locations/21"} {
		e := entities[i]
		if e.Credentials.EntityID != want || !strings.HasSuffix(want, "/"+e.ID) || e.Name != "Café "+e.ID || e.Kind != "location" || e.Credentials.RefreshToken != person.RefreshToken {
			t.Errorf("entity %d is %q %q of %q, want %q", i, e.ID, e.Name, e.Credentials.EntityID, want)
		}
	}
	for _, body := range []string{`<html>`, `null`, `{"welcome":true}`, `{"accounts":"none"}`, `{"accounts":null}`} {
		r.Inject(t, simulation.Fault{Operation: opAccounts, Status: http.StatusOK, Body: body})
		_, err := r.Entities(t.Context(), schema.Account{}, person)
		connectortest.WantKind(t, err, schema.Retryable)
	}
	r.Inject(t, simulation.Fault{Operation: opAccounts, Status: http.StatusOK, Body: `{}`})
	if entities, err := r.Entities(t.Context(), schema.Account{}, person); err != nil || entities == nil || len(entities) != 0 {
		t.Errorf("Entities of nobody = %v, %v", entities, err)
	}
}

// A location that nobody may post for yet is shown as such where one is chosen, and there alone: it may be
// verified later (mybusinessbusinessinformation v1, metadata.hasVoiceOfMerchant).
func TestUnverifiedLocationsAreShownAsSuch(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opAccounts, Status: http.StatusOK, Body: `{"accounts":[{"name":"accounts/1"}]}`})
	r.Inject(t, simulation.Fault{Operation: opLocations, Status: http.StatusOK, Body: `{"locations":[
		{"name":"locations/1","title":"New","metadata":{"hasVoiceOfMerchant":false}},
		{"name":"locations/2","title":"Old","metadata":{"hasVoiceOfMerchant":true}},
		{"name":"locations/3","title":"Silent","metadata":{}}]}`})
	entities, err := r.Entities(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	if err != nil || len(entities) != 3 {
		t.Fatalf("Entities = %v, %v", entities, err)
	}
	for i, want := range []string{"New — not verified: Google takes no posts for it yet", "Old", "Silent"} {
		if entities[i].Name != want {
			t.Errorf("entity %d is %q, want %q", i, entities[i].Name, want)
		}
	}
	for _, request := range r.Requests() {
		if strings.HasSuffix(request.URL.Path, "/locations") && !strings.Contains(request.URL.Query().Get("readMask"), "metadata") {
			t.Errorf("read with the mask %q", request.URL.Query().Get("readMask"))
		}
	}
}

// However many accounts and locations there are, a bounded number of lists is read.
func TestEntitiesAreBounded(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opAccounts, Times: 99, Status: http.StatusOK, Body: `{"accounts":[{"name":"accounts/1"}],"nextPageToken":"more"}`})
	r.Inject(t, simulation.Fault{Operation: opLocations, Times: 99, Status: http.StatusOK, Body: `{"locations":[{"name":"locations/1","title":"t"}],"nextPageToken":"more"}`})
	entities, err := r.Entities(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	if calls := r.World.Calls(opAccounts) + r.World.Calls(opLocations); err != nil || len(entities) != 1 || calls != maxLists {
		t.Errorf("%d entities after %d calls, %v", len(entities), calls, err)
	}
	many := make([]string, connectors.MaxEntities+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"locations/%d","title":"t"}`, i)
	}
	r.World.Heal()
	r.Inject(t, simulation.Fault{Operation: opLocations, Status: http.StatusOK, Body: `{"locations":[` + strings.Join(many, ",") + `],"nextPageToken":"more"}`})
	if entities, err := r.Entities(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token}); err != nil || len(entities) != connectors.MaxEntities {
		t.Errorf("%d entities, %v", len(entities), err)
	}
}

func TestRefresh(t *testing.T) {
	r := newRig(t)
	old := schema.Credentials{AccessToken: token, RefreshToken: "refresh-of-" + token, EntityID: simulator.Locations(token)[0]}
	traded, err := r.Refresh(t.Context(), schema.Account{}, old)
	if err != nil || traded.AccessToken == token || traded.RefreshToken != old.RefreshToken {
		t.Fatalf("Refresh: %v", err)
	}
	if profile, err := r.Check(t.Context(), schema.Account{}, traded); err != nil || !strings.HasSuffix(old.EntityID, profile.NativeID) {
		t.Errorf("Check = %+v, %v", profile, err)
	}
	r.Inject(t, simulation.Fault{Operation: "POST /token", Lose: true})
	_, err = r.Refresh(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.Retryable) // the refresh token stays good
	old.RefreshToken = "of nobody"
	_, err = r.Refresh(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.TokenDead)
	if _, revokes := any(r.Connector).(connectors.Revoker); revokes {
		t.Error("a disconnect of one location would end all others of its person")
	}
}
