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

const callback = "https://crier.example/api/v1/connect/linkedin/callback"

var ourApp = connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}

// consent is a member's way over LinkedIn's page.
type consent struct {
	*rig
	page, callback string
}

func (r *rig) consent(t *testing.T) *consent {
	t.Helper()
	c := &consent{rig: r, callback: callback}
	var err error
	c.page, _, err = r.Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: callback, State: "state&1", Verifier: "unused"})
	if err != nil {
		t.Fatalf("Authorize: %v", err)
	}
	return c
}

// answer opens the page, sends its form and returns what LinkedIn sends the member back with.
func (c *consent) answer(t *testing.T, form url.Values) url.Values {
	t.Helper()
	back := connectortest.SentBack(t, c.page, form)
	if !strings.HasPrefix(back.String(), callback) || back.Query().Get("state") != "state&1" {
		t.Fatalf("sent back to %s", back)
	}
	return back.Query()
}

func (c *consent) allow(t *testing.T, scope string) (code string) {
	t.Helper()
	return c.answer(t, url.Values{"crier_answer": {"allow"}, "crier_name": {"ada"}, "crier_scope": {scope}}).Get("code")
}

func (c *consent) exchange(t *testing.T, code string) (schema.Credentials, error) {
	t.Helper()
	return c.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: c.callback, Verifier: "unused", Code: code})
}

const (
	wholeScope = "r_basicprofile w_member_social r_organization_social w_organization_social r_organization_social_feed w_organization_social_feed rw_organization_admin"
	openScope  = "openid profile w_member_social"
)

// consented is what a member has consented to just now.
func (r *rig) consented(t *testing.T) schema.Credentials {
	t.Helper()
	r.restart(t, connectors.Parts{App: ourApp})
	c := r.consent(t)
	credentials, err := c.exchange(t, c.allow(t, wholeScope))
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
	r.restart(t, connectors.Parts{App: ourApp})
	r.Inject(t, simulation.Fault{Operation: opToken, Status: 200, Body: `{"access_token":"a","expires_in":5184000,"scope":"` + strings.ReplaceAll(wholeScope, " ", ",") + `"}`})
	granted, err := r.consent(t).exchange(t, "code")
	if err != nil || granted.Refreshable() || !granted.RefreshExpiresAt.IsZero() || !granted.ExpiresAt.Equal(r.Clock().Add(60*24*time.Hour)) {
		t.Errorf("Exchange: %v; refreshable %t until %v", err, granted.Refreshable(), granted.RefreshExpiresAt)
	}
}

func TestAConsentIsRefused(t *testing.T) {
	r := newRig(t)
	r.restart(t, connectors.Parts{App: ourApp})
	for answer, want := range map[string]string{"deny": "user_cancelled_authorize", "leave": "user_cancelled_login"} {
		if back := r.consent(t).answer(t, url.Values{"crier_answer": {answer}}); back.Get("error") != want || back.Has("code") {
			t.Errorf("%s: %v", answer, back)
		}
	}
	for name, tt := range map[string]struct {
		spoil func(c *consent, code string) string
		want  schema.ErrorKind
		says  string
	}{
		"a code that was used": {func(c *consent, code string) string {
			if _, err := c.exchange(t, code); err != nil {
				t.Fatal(err)
			}
			return code
		}, schema.Refused, "authorization code expired"},
		"a code that is too old": {func(c *consent, code string) string { c.Pass(31 * time.Minute); return code }, schema.Refused, "authorization code expired"},
		"a code of nobody":       {func(*consent, string) string { return "none" }, schema.Refused, "authorization code expired"},
		"another callback":       {func(c *consent, code string) string { c.callback += "/"; return code }, schema.Refused, "redirect uri"},
		"another secret":         {func(c *consent, code string) string { c.App.Secret = "other"; return code }, schema.Retryable, "crier's own app"},
		"a scope taken away": {func(c *consent, _ string) string {
			return c.allow(t, "r_basicprofile w_member_social r_organization_social_feed w_organization_social_feed")
		}, schema.Refused, ": r_organization_social, w_organization_social, rw_organization_admin"},
		"an answer that quotes": {func(c *consent, code string) string {
			c.Inject(t, simulation.Fault{Operation: opToken, Status: 401, Body: `{"error":"invalid_request","error_description":"not ` + code + ` of ` + c.App.Secret + `"}`})
			return code
		}, schema.Refused, "not [redacted] of [redacted]"},
		"an answer without a token": {func(c *consent, code string) string {
			c.Inject(t, simulation.Fault{Operation: opToken, Status: 200, Body: `{}`})
			return code
		}, schema.Retryable, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.restart(t, connectors.Parts{App: ourApp})
			c := r.consent(t)
			code := tt.spoil(c, c.allow(t, wholeScope))
			_, err := c.exchange(t, code)
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
	r.restart(t, connectors.Parts{App: connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret, Scope: openScope}})
	c := r.consent(t)
	granted, err := c.exchange(t, c.allow(t, openScope))
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

func TestWhereThePageOfConsentIs(t *testing.T) {
	for name, tt := range map[string]struct {
		config connectors.Parts
		want   string
	}{
		"LinkedIn's own":     {connectors.Parts{App: ourApp}, "https://www.linkedin.com/oauth/v2/authorization?"},
		"with all of it":     {connectors.Parts{App: ourApp, Base: "http://sim/"}, "http://sim/oauth/v2/authorization?"},
		"away from all else": {connectors.Parts{App: ourApp, Base: "http://sim", Consent: "http://page/x/"}, "http://page/x/oauth/v2/authorization?"},
	} {
		t.Run(name, func(t *testing.T) {
			page, app, err := New(tt.config).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: callback, State: "s", Verifier: "v"})
			if err != nil || app != (connectors.App{}) || !strings.HasPrefix(page, tt.want) {
				t.Errorf("Authorize = %s, %v, %v", page, app, err)
			}
			asked, err := url.Parse(page)
			if q := asked.Query(); err != nil || q.Get("scope") != wholeScope || q.Has("code_challenge") || q.Get("redirect_uri") != callback {
				t.Errorf("asked with %v, %v", q, err)
			}
		})
	}
}

func TestNobodyConsentsWithoutAnApp(t *testing.T) {
	_, _, err := New(connectors.Parts{}).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{})
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "CRIER_LINKEDIN_CLIENT_ID") {
		t.Errorf("message %q", e.Message)
	}
}
