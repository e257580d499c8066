package mastodon

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

// visit is a person's way over the server's page.
func (r *rig) visit(t *testing.T, known connectors.App) *connectortest.Visit {
	t.Helper()
	return connectortest.NewVisit(t, r.Connector, schema.Account{}, known)
}

func TestAConsentGivesATokenThatPublishesUntilItIsRevoked(t *testing.T) {
	r := newRig(t)
	v := r.visit(t, connectors.App{})
	credentials, err := v.Exchange(t, v.Allow(t))
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
	first := r.visit(t, connectors.App{})
	second := r.visit(t, first.Grant.App)
	if second.Grant.App != first.Grant.App || r.World.Calls("POST /api/v1/apps") != 1 {
		t.Errorf("apps %v and %v, %d registrations", first.Grant.App, second.Grant.App, r.World.Calls("POST /api/v1/apps"))
	}
	if _, err := second.Exchange(t, second.Allow(t)); err != nil {
		t.Errorf("Exchange: %v", err)
	}
}

func TestAConsentIsRefused(t *testing.T) {
	r := newRig(t)
	v := r.visit(t, connectors.App{})
	if back := v.Answer(t, url.Values{"crier_answer": {"deny"}}).Query(); back.Get("error") != "access_denied" || back.Has("code") {
		t.Errorf("denied: %v", back)
	}
	for name, spoil := range map[string]func(*connectortest.Visit, string) string{
		"a code that was used": func(v *connectortest.Visit, code string) string {
			if _, err := v.Exchange(t, code); err != nil {
				t.Fatal(err)
			}
			return code
		},
		"a code that is too old": func(_ *connectortest.Visit, code string) string { r.Pass(11 * time.Minute); return code },
		"another verifier": func(v *connectortest.Visit, code string) string {
			v.Grant.Verifier = oauth2.GenerateVerifier()
			return code
		},
		"a code of nobody": func(*connectortest.Visit, string) string { return "none" },
	} {
		t.Run(name, func(t *testing.T) {
			v := r.visit(t, connectors.App{})
			_, err := v.Exchange(t, spoil(v, v.Allow(t)))
			connectortest.WantKind(t, err, schema.Refused)
		})
	}
	t.Run("an app that the server has forgotten", func(t *testing.T) {
		v := r.visit(t, connectors.App{})
		code := v.Allow(t)
		v.Grant.App.Secret = "another"
		_, err := v.Exchange(t, code)
		connectortest.WantKind(t, err, schema.Refused)
	})
}

func TestAMissingScopeIsNamed(t *testing.T) {
	r := newRig(t)
	v := r.visit(t, connectors.App{})
	code := v.Allow(t, "read:accounts", "read:statuses", "write:media")
	_, err := v.Exchange(t, code)
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
		"all that is asked for": {scopes().Requested(), true},
	} {
		t.Run(name, func(t *testing.T) {
			older := r.visit(t, connectors.App{}).Grant.App
			older.Scope = ""
			v := r.visit(t, older)
			code := v.Allow(t, tt.scopes...)
			credentials, err := v.Exchange(t, code)
			if err != nil {
				t.Fatal(err)
			}
			if v.Grant.App.Scope == "" {
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
	v := r.visit(t, connectors.App{})
	code := v.Allow(t)
	r.Inject(t, simulation.Fault{Operation: "POST /oauth/token", Status: 400, Body: `{"error": "bad ` + code + ` ` + v.Grant.Verifier + ` ` + v.Grant.App.Secret + `"}`})
	_, err := v.Exchange(t, code)
	for _, secret := range []string{code, v.Grant.Verifier, v.Grant.App.Secret} {
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v shows a secret", err)
		}
	}
}
