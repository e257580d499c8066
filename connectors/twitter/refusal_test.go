package twitter

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestWhatARefusalOfAPostMeans(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   schema.ErrorKind
		end    schema.End
		wait   time.Duration
	}{
		"a plan that is used up":      {429, `{"title":"UsageCapExceeded","detail":"Usage cap exceeded: Monthly product cap","type":"https://api.x.com/2/problems/usage-capped"}`, schema.RateLimited, 0, planWait},
		"a limit without an end":      {429, `{}`, schema.RateLimited, 0, unnamedWait},
		"a limit of a proxy":          {429, `<html>`, schema.RateLimited, 0, unnamedWait},
		"credits that are spent":      {402, `{"title":"CreditsDepleted"}`, schema.RateLimited, 0, planWait},
		"a suspended account":         {403, `{"detail":"The user used for authentication is suspended","type":"https://api.x.com/2/problems/user-suspended"}`, schema.TokenDead, schema.EndSuspended, 0},
		"a kind of token":             {403, `{"detail":"no","type":"https://api.x.com/2/problems/unsupported-authentication"}`, schema.TokenDead, 0, 0},
		"a dead token":                {401, `{"title":"Unauthorized","detail":"Unauthorized","type":"about:blank"}`, schema.TokenDead, 0, 0},
		"a bad request":               {400, `{"errors":[{"parameters":{},"message":"Your media IDs are invalid."}],"detail":"One or more parameters to your request was invalid."}`, schema.Refused, 0, 0},
		"a refusal in words":          {403, `{"detail":"Forbidden","type":"about:blank"}`, schema.Refused, 0, 0},
		"a page":                      {403, `<html>duplicate content</html>`, schema.Refused, 0, 0},
		"an outage, whatever it says": {503, `{"detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank"}`, schema.Unknown, 0, 0},
		"another, of a whole code":    {500, `{"type":"https://api.x.com/2/problems/user-suspended","detail":"x"}`, schema.Unknown, 0, 0},
		"a time out":                  {408, `{"detail":"x"}`, schema.Unknown, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: opCreatePost, Status: tt.status, Body: tt.body})
			_, err := r.Publish(t.Context(), r.delivery("hello"))
			if e := connectortest.WantKind(t, err, tt.want); e.End != tt.end || e.RetryAfter != tt.wait || e.Message == "" {
				t.Errorf("error %+v", e)
			}
		})
	}
}

// X says no more than "Forbidden" of an upload by a token without media.write (node-twitter-api-v2 #588).
func TestARefusedUploadSaysWhichPermissionIsMissing(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opInitialize, Status: http.StatusForbidden, Body: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Forbidden"}`})
	_, err := r.Prepare(t.Context(), r.delivery("look", r.image(t, "a.png")))
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "media.write") {
		t.Errorf("message %q", e.Message)
	}
}

// A refusal on a read may be about what is read: it ends no account, which is looked at by itself.
func TestARefusedReadEndsNoAccount(t *testing.T) {
	const suspended = `{"detail":"The user is suspended","type":"https://api.x.com/2/problems/user-suspended"}`
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opListPosts, Status: http.StatusForbidden, Body: suspended})
	_, _, err := r.Find(t.Context(), r.delivery("hello"))
	if e := connectortest.WantKind(t, err, schema.TokenDead); e.End != schema.NotEnded {
		t.Errorf("a look ends the account as %v", e.End)
	}
	r.Inject(t, simulation.Fault{Operation: opMe, Status: http.StatusForbidden, Body: suspended})
	_, err = r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	if e := connectortest.WantKind(t, err, schema.TokenDead); e.End != schema.EndSuspended {
		t.Errorf("the check ends it as %v", e.End)
	}
}

// X refuses a kind of token with a 403: the account is checked by GET /2/users/me, and ends where that says
// the same (Postiz asks for a reconnect at once).
func TestAKindOfTokenIsChecked(t *testing.T) {
	r := newRig(t)
	fault := simulation.Fault{Status: http.StatusForbidden, Body: `{"detail":"no","type":"https://api.x.com/2/problems/unsupported-authentication"}`, Times: -1}
	r.Inject(t, fault)
	_, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	connectortest.WantKind(t, err, schema.TokenDead)
	renewal := schema.Renewal{Account: schema.Account{Renewing: true}}
	e := connectortest.WantKind(t, err, schema.TokenDead)
	if result := renewal.After(schema.RenewalOutcome{Err: e}, r.Clock(), 0); !result.Ended {
		t.Error("the account goes on")
	}
}
