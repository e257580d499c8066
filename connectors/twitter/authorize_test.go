package twitter

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const callback = "https://crier.example/api/v1/connect/twitter/callback"

// consent is a person's way over X's page.
type consent struct {
	*rig
	page, callback, verifier string
}

func (r *rig) consent(t *testing.T) *consent {
	t.Helper()
	c := &consent{rig: r, callback: callback, verifier: oauth2.GenerateVerifier()}
	var err error
	c.page, _, err = r.Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: callback, State: "state&1", Verifier: c.verifier})
	if err != nil {
		t.Fatalf("Authorize: %v", err)
	}
	return c
}

// answer opens the page, sends its form and returns what X sends the person back with.
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
	return c.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: c.callback, Verifier: c.verifier, Code: code})
}

func TestAConsentGivesTokensThatPublishUntilTheyAreRevoked(t *testing.T) {
	r := newRig(t)
	credentials := r.consented(t)
	if credentials.AppID != simulation.AppID || credentials.AppSecret != "" || !credentials.Refreshable() ||
		credentials.Scope != wholeScope || !credentials.ExpiresAt.Equal(r.Clock().Add(2*time.Hour)) {
		t.Errorf("credentials end at %v, are of app %q, with the scope %q", credentials.ExpiresAt, credentials.AppID, credentials.Scope)
	}
	profile, err := r.Check(t.Context(), schema.Account{}, credentials)
	if err != nil {
		t.Fatal(err)
	}
	d := r.delivery("hello")
	d.Account.NativeID, d.Credentials = profile.NativeID, credentials
	receipt := r.publish(t, d)
	d.Credentials = r.consented(t) // of the same person
	if found, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || found.NativeID != receipt.NativeID {
		t.Errorf("Find = %+v, %v, %v", found, verdict, err)
	}
	if err := r.Revoke(t.Context(), schema.Account{}, credentials); err != nil {
		t.Fatal(err)
	}
	_, err = r.Check(t.Context(), schema.Account{}, credentials)
	connectortest.WantKind(t, err, schema.TokenDead)
}

func TestAConsentIsRefused(t *testing.T) {
	r := newRig(t)
	if back := r.consent(t).answer(t, url.Values{"crier_answer": {"deny"}}); back.Get("error") != "access_denied" || back.Has("code") {
		t.Errorf("denied: %v", back)
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
		}, schema.Refused, "authorization code was invalid"},
		"a code that is too old": {func(c *consent, code string) string { c.Pass(31 * time.Second); return code }, schema.Refused, "authorization code was invalid"},
		"a code of nobody":       {func(*consent, string) string { return "none" }, schema.Refused, "authorization code was invalid"},
		"another verifier":       {func(c *consent, code string) string { c.verifier = oauth2.GenerateVerifier(); return code }, schema.Refused, "code verifier"},
		"another callback":       {func(c *consent, code string) string { c.callback += "/"; return code }, schema.Refused, "redirect uri"},
		"another secret":         {func(c *consent, code string) string { c.App.Secret = "other"; return code }, schema.Retryable, "crier's own app"},
		"an answer without a token": {func(c *consent, code string) string {
			c.Inject(t, simulation.Fault{Operation: opToken, Status: 200, Body: `{}`})
			return code
		}, schema.Retryable, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c := r.consent(t)
			code := tt.spoil(c, c.allow(t, wholeScope))
			_, err := c.exchange(t, code)
			if e := connectortest.WantKind(t, err, tt.want); !strings.Contains(e.Message, tt.says) {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

func TestNoErrorOfAnExchangeShowsItsSecrets(t *testing.T) {
	r := newRig(t)
	c := r.consent(t)
	code := c.allow(t, wholeScope)
	r.Inject(t, simulation.Fault{Operation: opToken, Status: 400, Body: `{"error": "bad ` + code + ` ` + c.verifier + ` ` + c.App.Secret + `"}`})
	_, err := c.exchange(t, code)
	for _, secret := range []string{code, c.verifier, c.App.Secret} {
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v shows a secret", err)
		}
	}
}

func TestWhereThePageOfConsentIs(t *testing.T) {
	app := connectors.App{ID: "app"}
	for name, tt := range map[string]struct {
		config connectors.Parts
		want   string
	}{
		"X's own":               {connectors.Parts{App: app}, "https://x.com/i/oauth2/authorize?"},
		"with all of X":         {connectors.Parts{App: app, Base: "http://sim/"}, "http://sim/i/oauth2/authorize?"},
		"away from all else":    {connectors.Parts{App: app, Base: "http://sim", Consent: "http://page/x/"}, "http://page/x/i/oauth2/authorize?"},
		"away from X's own API": {connectors.Parts{App: app, Consent: "http://page"}, "http://page/i/oauth2/authorize?"},
	} {
		t.Run(name, func(t *testing.T) {
			page, app, err := New(tt.config).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: callback, State: "s", Verifier: "v"})
			if err != nil || app != (connectors.App{}) || !strings.HasPrefix(page, tt.want) {
				t.Errorf("Authorize = %s, %v, %v", page, app, err)
			}
			asked, err := url.Parse(page)
			if q := asked.Query(); err != nil || q.Get("scope") != wholeScope || q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") != callback {
				t.Errorf("asked with %v, %v", q, err)
			}
		})
	}
}

func TestNobodyConsentsWithoutAnApp(t *testing.T) {
	_, _, err := New(connectors.Parts{}).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{})
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "CRIER_TWITTER_CLIENT_ID") {
		t.Errorf("message %q", e.Message)
	}
}
