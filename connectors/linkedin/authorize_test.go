package linkedin

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// visit is a member's way over LinkedIn's page, which asks for all scopes unless the app has some of its own.
func (r *rig) visit(t *testing.T, scope string) *connectortest.Visit {
	t.Helper()
	app := connectortest.App()
	app.Scope = scope
	r.restart(t, connectors.Parts{App: app})
	return connectortest.NewVisit(t, r.Connector, schema.Account{}, connectors.App{})
}

const (
	wholeScope = "r_basicprofile w_member_social r_organization_social w_organization_social r_organization_social_feed w_organization_social_feed rw_organization_admin"
	openScope  = "openid profile w_member_social"
)

// consented is what a member has consented to just now.
func (r *rig) consented(t *testing.T) schema.Credentials {
	t.Helper()
	v := r.visit(t, "")
	credentials, err := v.Exchange(t, v.Allow(t))
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	return credentials
}

func TestAMemberChoosesWhomToPublishAs(t *testing.T) {
	r := newRig(t)
	granted := r.consented(t)
	if granted.AppID != simulation.AppID || granted.AppSecret != "" || granted.Scope != strings.ReplaceAll(wholeScope, " ", ",") ||
		!granted.ExpiresAt.Equal(r.Clock().Add(60*24*time.Hour)) || !granted.RefreshExpiresAt.Equal(r.Clock().Add(365*24*time.Hour)) {
		t.Errorf("ends at %v and %v, is of app %q, with the scope %q", granted.ExpiresAt, granted.RefreshExpiresAt, granted.AppID, granted.Scope)
	}
	entities, err := r.Entities(t.Context(), schema.Account{}, granted)
	if err != nil || len(entities) != 3 || entities[0].Kind != "person" || !strings.HasPrefix(entities[0].Name, "user") || entities[0].Credentials != granted || entities[1].Kind != "organization" {
		t.Fatalf("Entities = %v, %v", entities, err)
	}
	for _, e := range entities {
		profile, err := r.Check(t.Context(), schema.Account{}, e.Credentials)
		if err != nil || profile.NativeID != e.ID || profile.Name != e.Name {
			t.Errorf("%+v is %+v, %v", e, profile, err)
		}
	}
	granted.Scope = "" // as that of a token that was brought along
	if profile, err := r.Check(t.Context(), schema.Account{}, granted); err != nil || profile.NativeID != entities[0].ID {
		t.Errorf("Check = %+v, %v", profile, err)
	}
	d := r.delivery("hello")
	d.Credentials = entities[2].Credentials
	receipt := r.publish(t, d)
	if posts := r.World.Posts(); len(posts) != 1 || posts[0].Account != entities[2].ID {
		t.Errorf("posts %+v", posts)
	}
	if found, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || found.NativeID != receipt.NativeID {
		t.Errorf("Find = %+v, %v, %v", found, verdict, err)
	}
}

func TestAConsentEndsAndIsRenewedForAYear(t *testing.T) {
	r := newRig(t)
	first := r.consented(t)
	before, err := r.Check(t.Context(), schema.Account{}, first)
	if err != nil {
		t.Fatal(err)
	}
	r.Pass(60 * 24 * time.Hour)
	_, err = r.Check(t.Context(), schema.Account{}, first)
	connectortest.WantKind(t, err, schema.TokenDead)
	second, err := r.Refresh(t.Context(), schema.Account{}, first)
	if err != nil || second.RefreshToken != first.RefreshToken || !second.RefreshExpiresAt.Equal(first.RefreshExpiresAt) || second.AppID != first.AppID {
		t.Fatalf("Refresh: %v; the year ends at %v", err, second.RefreshExpiresAt)
	}
	if after, err := r.Check(t.Context(), schema.Account{}, second); err != nil || after.NativeID != before.NativeID {
		t.Errorf("Check = %+v, %v", after, err)
	}
	r.Pass(305 * 24 * time.Hour)
	_, err = r.Refresh(t.Context(), schema.Account{}, second)
	connectortest.WantKind(t, err, schema.TokenDead)
}

// Apps that LinkedIn has not approved for it are given no refresh token.
func TestAConsentWithoutARefreshToken(t *testing.T) {
	r := newRig(t)
	v := r.visit(t, "")
	r.Inject(t, simulation.Fault{Operation: opToken, Status: 200, Body: `{"access_token":"a","expires_in":5184000,"scope":"` + strings.ReplaceAll(wholeScope, " ", ",") + `"}`})
	granted, err := v.Exchange(t, "code")
	if err != nil || granted.Refreshable() || !granted.RefreshExpiresAt.IsZero() || !granted.ExpiresAt.Equal(r.Clock().Add(60*24*time.Hour)) {
		t.Errorf("Exchange: %v; refreshable %t until %v", err, granted.Refreshable(), granted.RefreshExpiresAt)
	}
}

func TestAConsentIsRefused(t *testing.T) {
	r := newRig(t)
	for answer, want := range map[string]string{"deny": "user_cancelled_authorize", "leave": "user_cancelled_login"} {
		if back := r.visit(t, "").Answer(t, url.Values{"crier_answer": {answer}}).Query(); back.Get("error") != want || back.Has("code") {
			t.Errorf("%s: %v", answer, back)
		}
	}
}

func TestACodeIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(r *rig, v *connectortest.Visit, code string) string
		want  schema.ErrorKind
		says  string
	}{
		"of nobody": {func(*rig, *connectortest.Visit, string) string { return "none" }, schema.Refused, "authorization code expired"},
		"with another callback": {func(_ *rig, v *connectortest.Visit, code string) string {
			v.Grant.Callback += "/"
			return code
		}, schema.Refused, "redirect uri"},
		"with another secret": {func(r *rig, _ *connectortest.Visit, code string) string {
			r.App.Secret = "other"
			return code
		}, schema.Retryable, "crier's own app"},
		"without several scopes": {func(_ *rig, v *connectortest.Visit, _ string) string {
			return v.Allow(t, "r_basicprofile", "w_member_social", "r_organization_social_feed", "w_organization_social_feed")
		}, schema.Refused, ": r_organization_social, w_organization_social, rw_organization_admin"},
		"by an answer that quotes": {func(r *rig, _ *connectortest.Visit, code string) string {
			r.Inject(t, simulation.Fault{Operation: opToken, Status: 401, Body: `{"error":"invalid_request","error_description":"not ` + code + ` of ` + r.App.Secret + `"}`})
			return code
		}, schema.Refused, "not [redacted] of [redacted]"},
		"by an answer without a token": {func(r *rig, _ *connectortest.Visit, code string) string {
			r.Inject(t, simulation.Fault{Operation: opToken, Status: 200, Body: `{}`})
			return code
		}, schema.Retryable, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			v := r.visit(t, "")
			code := v.Allow(t)
			_, err := v.Exchange(t, tt.spoil(r, v, code))
			if e := connectortest.WantKind(t, err, tt.want); !strings.Contains(e.Message, tt.says) || strings.Contains(err.Error(), code) {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

// Some have many organizations, and several roles with one; only the first are asked for
// their names. The simulator's own two are on the second page.
func TestOrganizationsComeByPages(t *testing.T) {
	r := newRig(t)
	granted := r.consented(t)
	first := make([]string, rolePage)
	for i := range first {
		role := "ADMINISTRATOR"
		if i == 7 {
			role = "ANALYST"
		}
		first[i] = fmt.Sprintf(`{"role":%q,"organization":"urn:li:organization:%d"}`, role, max(i, 1)) // the first has two roles
	}
	r.Inject(t, simulation.Fault{
		Operation: "GET /rest/organizationAcls", Status: 200, Body: `{"elements":[` + strings.Join(first, ",") + `]}`,
	})
	entities, err := r.Entities(t.Context(), schema.Account{}, granted)
	if err != nil || len(entities) != 1+98 {
		t.Fatalf("%d entities, %v", len(entities), err)
	}
	if slices.ContainsFunc(entities, func(e connectors.Entity) bool { return e.ID == "urn:li:organization:7" }) {
		t.Error("an organization is offered that the member may only look at")
	}
	pages, named := r.World.Calls("GET /rest/organizationAcls"), r.World.Calls("GET /rest/organizations/{id}")
	if pages != 2 || named != namedOrganizations || entities[98].Name != "organization 99" {
		t.Errorf("%d pages, %d names asked for, the last is %+v", pages, named, entities[98])
	}
}

// An app of the open products is for members alone.
func TestAnAppOfTheOpenProducts(t *testing.T) {
	r := newRig(t)
	v := r.visit(t, openScope)
	granted, err := v.Exchange(t, v.Allow(t))
	if err != nil {
		t.Fatal(err)
	}
	entities, err := r.Entities(t.Context(), schema.Account{}, granted)
	if err != nil || len(entities) != 1 || entities[0].Kind != "person" || r.World.Calls("GET /rest/organizationAcls") != 0 {
		t.Errorf("Entities = %v, %v", entities, err)
	}
	profile, err := r.Check(t.Context(), schema.Account{}, granted)
	if err != nil || profile.NativeID != entities[0].ID {
		t.Errorf("Check = %+v, %v", profile, err)
	}
}
