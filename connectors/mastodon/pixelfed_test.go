package mastodon

import (
	"slices"
	"strings"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Pixelfed knows no finer scopes than read and write, and does not say what a token is for.
func TestAPersonConsentsOnPixelfed(t *testing.T) {
	r := newRigOn(t, simulator.Pixelfed)
	v := r.visit(t, connectors.App{})
	credentials, err := v.Exchange(t, v.Allow(t))
	if err != nil {
		t.Fatalf("asked for %q: %v", v.Page.Query().Get("scope"), err)
	}
	if missing := scopes().Missing(credentials); len(missing) > 0 {
		t.Errorf("%v is missing of %q", missing, credentials.Scope)
	}
	again := r.visit(t, v.Grant.App)
	if again.Grant.App != v.Grant.App {
		t.Error("the app was registered again")
	}
	d := r.delivery("hello")
	d.Credentials, d.Media = credentials, items(smallImage)
	mustPublish(t, r, connectortest.Ready(t, r.Connector, d, r.Pass))

	// A token that works no more is a page of login to whoever does not ask for JSON.
	if err := r.Revoke(t.Context(), schema.Account{}, credentials); err != nil {
		t.Fatalf("Revoke: %v", err)
	}
	_, err = r.Check(t.Context(), schema.Account{}, credentials)
	connectortest.WantKind(t, err, schema.TokenDead)
	d.Key, d.Media = "another", nil
	_, err = r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.TokenDead)
}

// Sharkey, Firefish and Iceshrimp answer with what they always grant.
func TestACoarseScopeIncludesFinerOnes(t *testing.T) {
	for granted, missing := range map[string]string{
		"read write follow push":                               "",
		"write read:accounts read:statuses read:notifications": "",
		"read follow push":                                     "write:media, write:statuses",
	} {
		t.Run(granted, func(t *testing.T) {
			r := newRig(t)
			v := r.visit(t, connectors.App{})
			code := v.Allow(t)
			r.Inject(t, simulation.Fault{
				Operation: opToken, Status: 200, Body: `{"access_token":"` + token + `","token_type":"Bearer","scope":"` + granted + `"}`,
			})
			credentials, err := v.Exchange(t, code)
			switch {
			case missing != "":
				if e := connectortest.WantKind(t, err, schema.Refused); !strings.HasSuffix(e.Message, ": "+missing) {
					t.Errorf("message %q", e.Message)
				}
			case err != nil || len(scopes().Missing(credentials)) > 0:
				t.Errorf("Exchange = %q, %v", credentials.Scope, err)
			}
		})
	}
}

// What a server that is not Mastodon keeps with the key of a refused call is in no later call's way.
func TestARefusedCallUsesUpNoOthersKey(t *testing.T) {
	r := newRigOn(t, simulator.Pixelfed)
	d := r.delivery("hello")
	d.Account.Settings = connectors.Encode(accountSettings{&limits{Software: compatible}})
	for d.Claim = 1; d.Claim < 3; d.Claim++ {
		_, err := r.Publish(t.Context(), d)
		if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "without a picture") {
			t.Errorf("claim %d: %q", d.Claim, e.Message)
		}
		d.Error = &schema.TargetError{Code: schema.CodeOf(schema.Refused)}
	}
	d.Media = items(smallImage)
	mustPublish(t, r, connectortest.Ready(t, r.Connector, d, r.Pass))
}

func TestAKeyIsTheSameForAllCallsWhereItMayBeMastodon(t *testing.T) {
	r := newRig(t)
	for name, tt := range map[string]struct {
		software software
		before   schema.ErrorKind // how the call before ended
		isSame   bool
	}{
		"Mastodon":                         {mastodonItself, schema.Refused, true},
		"a server not known":               {"", schema.Refused, true},
		"another, by a limit":              {compatible, schema.RateLimited, false},
		"another, by a refusal":            {compatible, schema.Refused, false},
		"another, where an answer is lost": {compatible, schema.Unknown, true},
		"another, after an outage":         {compatible, schema.Retryable, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := r.delivery("hello")
			d.Error = &schema.TargetError{Code: schema.CodeOf(tt.before)}
			if tt.software != "" {
				d.Account.Settings = connectors.Encode(accountSettings{&limits{Software: tt.software}})
			}
			var keys []string
			for d.Claim = range int32(3) {
				keys = append(keys, r.keyOf(d))
			}
			if distinct := len(slices.Compact(slices.Sorted(slices.Values(keys)))); tt.isSame && (distinct > 1 || keys[0] != d.Key) || !tt.isSame && distinct < 3 {
				t.Errorf("keys %v", keys)
			}
		})
	}
}

// Pixelfed refuses a form with the status of an outage, which would be tried again.
func TestAFormThatPixelfedRefuses(t *testing.T) {
	for settings, says := range map[string]string{
		`{"visibility":"direct"}`:                            "visibility is invalid",
		`{"spoilerText":"` + strings.Repeat("a", 141) + `"}`: "140 characters",
	} {
		r := newRigOn(t, simulator.Pixelfed)
		d := r.delivery("hello")
		d.Media, d.Settings = items(smallImage), []byte(settings)
		_, err := r.Publish(t.Context(), connectortest.Ready(t, r.Connector, d, r.Pass))
		if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, says) {
			t.Errorf("%s: %q", settings, e.Message)
		}
	}
}
