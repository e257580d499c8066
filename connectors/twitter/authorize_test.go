package twitter

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

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

func TestACodeIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(r *rig, v *connectortest.Visit, code string) string
		want  schema.ErrorKind
		says  string
	}{
		"of nobody": {func(*rig, *connectortest.Visit, string) string { return "none" }, schema.Refused, "authorization code was invalid"},
		"with another verifier": {func(_ *rig, v *connectortest.Visit, code string) string {
			v.Grant.Verifier = oauth2.GenerateVerifier()
			return code
		}, schema.Refused, "code verifier"},
		"with another callback": {func(_ *rig, v *connectortest.Visit, code string) string {
			v.Grant.Callback += "/"
			return code
		}, schema.Refused, "redirect uri"},
		"with another secret": {func(r *rig, _ *connectortest.Visit, code string) string {
			r.App.Secret = "other"
			return code
		}, schema.Retryable, "crier's own app"},
		"by an answer without a token": {func(r *rig, _ *connectortest.Visit, code string) string {
			r.Inject(t, simulation.Fault{Operation: opToken, Status: 200, Body: `{}`})
			return code
		}, schema.Retryable, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			v := r.visit(t)
			_, err := v.Exchange(t, tt.spoil(r, v, v.Allow(t)))
			if e := connectortest.WantKind(t, err, tt.want); !strings.Contains(e.Message, tt.says) {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}
