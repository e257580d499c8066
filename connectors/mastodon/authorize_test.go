package mastodon

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const callback = "https://crier.example/api/v1/connect/mastodon/callback"

// consent is a person's way over the server's page.
type consent struct {
	*rig
	page     string
	app      connectors.App
	verifier string
}

func (r *rig) consent(t *testing.T, known connectors.App) *consent {
	t.Helper()
	c := &consent{rig: r, verifier: oauth2.GenerateVerifier()}
	var err error
	c.page, c.app, err = r.Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{
		App: known, Callback: callback, State: "state&1", Verifier: c.verifier,
	})
	if err != nil {
		t.Fatalf("Authorize: %v", err)
	}
	return c
}

// answer sends the page's form and returns what the server sends the person back with.
func (c *consent) answer(t *testing.T, form url.Values) url.Values {
	t.Helper()
	back := connectortest.SentBack(t, c.page, form)
	if !strings.HasPrefix(back.String(), callback) || back.Query().Get("state") != "state&1" {
		t.Fatalf("sent back to %s", back)
	}
	return back.Query()
}

func (c *consent) allow(t *testing.T) (code string) {
	t.Helper()
	return c.answer(t, url.Values{"crier_answer": {"allow"}, "crier_name": {"ada"}}).Get("code")
}

func (c *consent) exchange(t *testing.T, code string) (schema.Credentials, error) {
	t.Helper()
	return c.Exchange(t.Context(), schema.Account{}, connectors.Grant{App: c.app, Callback: callback, Verifier: c.verifier, Code: code})
}

func TestAConsentGivesATokenThatPublishesUntilItIsRevoked(t *testing.T) {
	r := newRig(t)
	c := r.consent(t, connectors.App{})
	credentials, err := c.exchange(t, c.allow(t))
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	d := r.delivery("hello")
	d.Credentials = credentials
	mustPublish(t, r, d)
	if err := r.Revoke(t.Context(), schema.Account{}, credentials); err != nil {
		t.Fatalf("Revoke: %v", err)
	}
	_, err = r.Check(t.Context(), schema.Account{}, credentials)
	connectortest.WantKind(t, err, schema.TokenDead)
}

func TestCrierIsRegisteredWithAServerOnce(t *testing.T) {
	r := newRig(t)
	first := r.consent(t, connectors.App{})
	second := r.consent(t, first.app)
	if second.app != first.app || r.World.Calls("POST /api/v1/apps") != 1 {
		t.Errorf("apps %v and %v, %d registrations", first.app, second.app, r.World.Calls("POST /api/v1/apps"))
	}
	if _, err := second.exchange(t, second.allow(t)); err != nil {
		t.Errorf("Exchange: %v", err)
	}
}

func TestAConsentIsRefused(t *testing.T) {
	r := newRig(t)
	c := r.consent(t, connectors.App{})
	if back := c.answer(t, url.Values{"crier_answer": {"deny"}}); back.Get("error") != "access_denied" || back.Has("code") {
		t.Errorf("denied: %v", back)
	}
	for name, spoil := range map[string]func(*consent, string) string{
		"a code that was used": func(c *consent, code string) string {
			if _, err := c.exchange(t, code); err != nil {
				t.Fatal(err)
			}
			return code
		},
		"a code that is too old": func(c *consent, code string) string { c.Pass(11 * 60 * 1e9); return code },
		"another verifier":       func(c *consent, code string) string { c.verifier = oauth2.GenerateVerifier(); return code },
		"a code of nobody":       func(*consent, string) string { return "none" },
	} {
		t.Run(name, func(t *testing.T) {
			c := r.consent(t, connectors.App{})
			_, err := c.exchange(t, spoil(c, c.allow(t)))
			connectortest.WantKind(t, err, schema.Refused)
		})
	}
	t.Run("an app that the server has forgotten", func(t *testing.T) {
		c := r.consent(t, connectors.App{})
		code := c.allow(t)
		c.app.Secret = "another"
		_, err := c.exchange(t, code)
		connectortest.WantKind(t, err, schema.Refused)
	})
}

func TestAMissingScopeIsNamed(t *testing.T) {
	r := newRig(t)
	c := r.consent(t, connectors.App{})
	code := c.answer(t, url.Values{"crier_answer": {"allow"}, "crier_name": {"ada"}, "crier_scope": {"read:accounts read:statuses write:media"}}).Get("code")
	_, err := c.exchange(t, code)
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "write:statuses") {
		t.Errorf("message %q", e.Message)
	}
}

// A server grants no more than an app was registered with: one of an older version of crier is
// registered again.
func TestMentionsAreReadWhereThatWasGranted(t *testing.T) {
	r := newRig(t)
	for name, tt := range map[string]struct {
		scopes  []string
		granted bool
	}{
		"what publishing needs": {scopes().Publish, false},
		"all that is asked for": {scopes().Asked(), true},
	} {
		t.Run(name, func(t *testing.T) {
			older := r.consent(t, connectors.App{}).app
			older.Scope = ""
			c := r.consent(t, older)
			code := c.answer(t, url.Values{
				"crier_answer": {"allow"}, "crier_name": {"ada"}, "crier_scope": {strings.Join(tt.scopes, " ")},
			}).Get("code")
			credentials, err := c.exchange(t, code)
			if err != nil {
				t.Fatal(err)
			}
			if c.app.Scope == "" {
				t.Error("the app was not registered again")
			}
			if forbidden := scopes().Forbids(credentials, connectors.Reads(schema.CollectMentions)); forbidden == tt.granted {
				t.Errorf("mentions are forbidden: %t", forbidden)
			}
			_, err = r.Mentions(t.Context(), connectors.Reading{Account: schema.Account{}, Credentials: credentials}, "")
			if (err == nil) != tt.granted || connectors.IsNotPermitted(err) == tt.granted {
				t.Errorf("Mentions = %v, granted %t", err, tt.granted)
			}
		})
	}
}

func TestNoErrorOfAnExchangeShowsItsSecrets(t *testing.T) {
	r := newRig(t)
	c := r.consent(t, connectors.App{})
	code := c.allow(t)
	r.Inject(t, simulation.Fault{Operation: "POST /oauth/token", Status: 400, Body: `{"error": "bad ` + code + ` ` + c.verifier + ` ` + c.app.Secret + `"}`})
	_, err := c.exchange(t, code)
	for _, secret := range []string{code, c.verifier, c.app.Secret} {
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v shows a secret", err)
		}
	}
}
