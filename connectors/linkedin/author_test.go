package linkedin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/linkedin"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestCheckNamesTheAuthor(t *testing.T) {
	r := newRig(t)
	own := simulator.Organizations(token)
	number := strings.TrimPrefix(own[1], organizationURN)
	for name, tt := range map[string]struct{ entity, id, name string }{
		"a member":                      {"", "urn:li:person:", "user"},
		"an organization":               {own[0], own[0], "Organization "},
		"an organization by its number": {number, own[1], "Organization " + number},
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token, EntityID: tt.entity})
			if err != nil || !strings.HasPrefix(profile.NativeID, tt.id) || !strings.HasPrefix(profile.Name, tt.name) {
				t.Errorf("profile %+v, %v", profile, err)
			}
		})
	}
	_, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token, EntityID: "1"})
	connectortest.WantKind(t, err, schema.Refused)
}

// What an organization lets nobody read of it, it is published as all the same.
func TestAnOrganizationWithoutAName(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{
		Operation: opOrganization, Status: http.StatusForbidden, Body: `{"message":"Not enough permissions to access: organizations.GET","status":403}`,
	})
	d := r.delivery("look")
	profile, err := r.Check(t.Context(), d.Account, d.Credentials)
	if err != nil || !strings.HasPrefix(profile.Name, "organization ") {
		t.Errorf("profile %+v, %v", profile, err)
	}
}

// A role that was taken away is no end of the token.
func TestARoleThatWasTakenAway(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	for name, roles := range map[string]string{
		"none":       `{"elements":[]}`,
		"another":    `{"elements":[{"role":"ANALYST","organization":"` + d.Credentials.EntityID + `","state":"APPROVED"}]}`,
		"elsewhere":  `{"elements":[{"role":"ADMINISTRATOR","organization":"urn:li:organization:1","state":"APPROVED"}]}`,
		"old answer": `{"elements":[{"role":"ANALYST","organizationTarget":"` + d.Credentials.EntityID + `","state":"APPROVED"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r.Inject(t, simulation.Fault{Operation: "GET /rest/organizationAcls", Status: 200, Body: roles})
			_, err := r.Check(t.Context(), d.Account, d.Credentials)
			connectortest.WantKind(t, err, schema.Refused)
		})
	}
}

func TestRefresh(t *testing.T) {
	app := connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}
	old := schema.Credentials{AccessToken: "a", RefreshToken: "refresh-of-a", Scope: "openid", EntityID: "5"}
	r := newRig(t)

	_, err := r.Refresh(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.Refused) // no app is configured

	r.restart(t, connectors.Parts{App: app})
	r.Inject(t, simulation.Fault{Operation: opToken, Lose: true})
	_, err = r.Refresh(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.Retryable) // the refresh token is as good as before
	traded, err := r.Refresh(t.Context(), schema.Account{}, old)
	want := schema.Credentials{
		AccessToken: "renewed-a", RefreshToken: "refresh-of-a", Scope: "w_member_social", EntityID: "5",
		ExpiresAt: r.Clock().Add(60 * 24 * time.Hour), RefreshExpiresAt: r.Clock().Add(365 * 24 * time.Hour),
	}
	if err != nil || traded != want {
		t.Fatalf("Refresh = %#v, %v", traded, err)
	}
	before, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if after, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: traded.AccessToken}); err != nil || after.NativeID != before.NativeID {
		t.Errorf("the new token is of %s, was of %s: %v", after.NativeID, before.NativeID, err)
	}

	old.RefreshToken = "expired"
	_, err = r.Refresh(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.TokenDead)
	r.restart(t, connectors.Parts{App: connectors.App{ID: "another", Secret: "secret"}})
	_, err = r.Refresh(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.Retryable) // which says nothing about the token
}

// A token that may not comment publishes all the same.
func TestACommentWithoutItsScope(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	d.Receipts, d.Comment = []schema.Receipt{r.publish(t, d)}, &schema.Comment{Text: "first"}
	r.Inject(t, simulation.Fault{
		Operation: opComment, Status: http.StatusForbidden, Body: `{"message":"Not enough permissions to access: socialActions/comments.CREATE","status":403}`,
	})
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
}
