package twitter

import (
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const wholeScope = "tweet.read tweet.write users.read media.write offline.access"

// visit is a person's way over X's page.
func (r *rig) visit(t *testing.T) *connectortest.Visit {
	t.Helper()
	return connectortest.NewVisit(t, r.Connector, schema.Account{}, connectors.App{})
}

// consented is a pair of tokens as a consent of now gives them.
func (r *rig) consented(t *testing.T) schema.Credentials {
	t.Helper()
	v := r.visit(t)
	credentials, err := v.Exchange(t, v.Allow(t))
	if err != nil {
		t.Fatal(err)
	}
	return credentials
}

func TestATokenIsTradedForANewPair(t *testing.T) {
	r := newRig(t)
	old := r.consented(t)
	before, err := r.Check(t.Context(), schema.Account{}, old)
	if err != nil {
		t.Fatal(err)
	}
	r.Pass(2 * time.Hour)
	_, err = r.Check(t.Context(), schema.Account{}, old)
	connectortest.WantKind(t, err, schema.TokenDead)
	fresh, err := r.Refresh(t.Context(), schema.Account{}, old)
	if err != nil {
		t.Fatal(err)
	}
	if fresh.AccessToken == old.AccessToken || fresh.RefreshToken == old.RefreshToken || fresh.Scope != wholeScope || !fresh.ExpiresAt.Equal(r.Clock().Add(2*time.Hour)) {
		t.Errorf("new credentials end at %v, with the scope %q", fresh.ExpiresAt, fresh.Scope)
	}
	profile, err := r.Check(t.Context(), schema.Account{}, fresh)
	if err != nil || profile.NativeID != before.NativeID || profile.Name != before.Name {
		t.Errorf("Check = %+v, %v", profile, err)
	}
	_, err = r.Refresh(t.Context(), schema.Account{}, old) // each works once
	if e := connectortest.WantKind(t, err, schema.TokenDead); strings.Contains(err.Error(), old.RefreshToken) || e.Message == "" {
		t.Errorf("error = %v", err)
	}
}

func TestATradeThatFails(t *testing.T) {
	ours := connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}
	for name, tt := range map[string]struct {
		app   connectors.App
		fault simulation.Fault
		want  schema.ErrorKind
	}{
		"its answer is lost":          {ours, simulation.Fault{Lose: true}, schema.Unknown},
		"X has an outage":             {ours, simulation.Fault{Status: 503}, schema.Unknown},
		"an answer without a token":   {ours, simulation.Fault{Status: 200, Body: `{}`}, schema.Unknown},
		"an answer that is a page":    {ours, simulation.Fault{Status: 200, Body: `<html>`}, schema.Unknown},
		"too many":                    {ours, simulation.Fault{Status: 429}, schema.RateLimited},
		"X takes the token no more":   {ours, simulation.Fault{Status: 400, Body: `{"error":"invalid_grant","error_description":"gone"}`}, schema.TokenDead},
		"another secret":              {connectors.App{ID: simulation.AppID, Secret: "x"}, simulation.Fault{}, schema.Retryable},
		"another app":                 {connectors.App{ID: "another"}, simulation.Fault{}, schema.Retryable},
		"crier is not registered":     {connectors.App{}, simulation.Fault{}, schema.Refused},
		"a request X cannot make out": {ours, simulation.Fault{Status: 400, Body: `{"error":"unsupported_grant_type"}`}, schema.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			old := r.consented(t)
			r.App = tt.app
			if tt.fault.Status != 0 || tt.fault.Lose {
				tt.fault.Operation = opToken
				r.Inject(t, tt.fault)
			}
			_, err := r.Refresh(t.Context(), schema.Account{}, old)
			if e := connectortest.WantKind(t, err, tt.want); e.Message == "" {
				t.Error("no message")
			}
			if strings.Contains(err.Error(), old.RefreshToken) || strings.Contains(err.Error(), simulation.AppSecret) {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestAPublicClientNamesItself(t *testing.T) {
	r := newRig(t)
	r.App = connectors.App{ID: simulation.AppID}
	if _, err := r.Refresh(t.Context(), schema.Account{}, r.consented(t)); err != nil {
		t.Error(err)
	}
}

func TestADisconnectedAccountsTokensEnd(t *testing.T) {
	r := newRig(t)
	c := r.consented(t)
	if err := r.Revoke(t.Context(), schema.Account{}, c); err != nil {
		t.Fatal(err)
	}
	_, err := r.Check(t.Context(), schema.Account{}, c)
	connectortest.WantKind(t, err, schema.TokenDead)
	_, err = r.Refresh(t.Context(), schema.Account{}, c)
	connectortest.WantKind(t, err, schema.TokenDead)
	r.Inject(t, simulation.Fault{Operation: opRevoke, Status: 503})
	if err := r.Revoke(t.Context(), schema.Account{}, c); err == nil || strings.Contains(err.Error(), c.RefreshToken) {
		t.Errorf("Revoke = %v", err)
	}
}

// A token that ends in the middle of an upload costs nothing that was sent.
func TestATokenEndsInTheMiddleOfAnUpload(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look", r.video(t, 2*segmentSize))
	d.Credentials = r.consented(t)
	segments := 0
	r.calls = func(call string) {
		if strings.HasSuffix(call, "/append") {
			if segments++; segments == 2 {
				r.Pass(2 * time.Hour)
			}
		}
	}
	p, err := r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.TokenDead)
	d.Progress = p.State
	if d.Credentials, err = r.Refresh(t.Context(), schema.Account{}, d.Credentials); err != nil {
		t.Fatal(err)
	}
	r.publish(t, d)
	if begun := r.World.Calls(opInitialize); begun != 1 || segments != 3 {
		t.Errorf("%d uploads begun, %d segments sent; want 1 and 3", begun, segments)
	}
}
