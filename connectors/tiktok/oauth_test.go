package tiktok

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const (
	simToken  = "POST /v2/oauth/token/{$}"
	simRevoke = "POST /v2/oauth/revoke/{$}"
)

func TestThePageIsAskedForWhatTheAppWasGiven(t *testing.T) {
	app := connectors.App{ID: "key", Secret: "s", Scope: "user.info.basic video.publish"}
	page, _, err := New(connectors.Parts{App: app}).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{})
	address, parseErr := url.Parse(page)
	if err != nil || parseErr != nil || address.Query().Get("scope") != "user.info.basic,video.publish" {
		t.Errorf("page %s, %v, %v", page, err, parseErr)
	}
}

// consent has a person consent and returns what crier has then.
func (r *rig) consent(t *testing.T, name string) schema.Credentials {
	t.Helper()
	held := simulation.Ticket{Kind: "refresh", Account: simulation.Consent{Name: name}.Token(), Scope: "user.info.basic,video.publish", Expires: r.Clock().Add(time.Hour)}
	credentials, err := r.Refresh(t.Context(), schema.Account{}, schema.Credentials{RefreshToken: held.Issue(), AppID: simulation.AppID, EntityID: "kept"})
	if err != nil {
		t.Fatalf("Refresh: %v", err)
	}
	return credentials
}

// A refresh token is used up by being traded, and runs on from the consent.
func TestATokenIsTraded(t *testing.T) {
	r := newRig(t)
	first := r.consent(t, "ada")
	if !first.ExpiresAt.Equal(r.Clock().Add(2*time.Hour)) || !first.RefreshExpiresAt.Equal(r.Clock().Add(time.Hour)) || first.EntityID != "kept" ||
		first.AppID != simulation.AppID || first.Scope != "user.info.basic,video.publish" || !first.Refreshable() {
		t.Fatalf("it expires %v, and can be traded until %v", first.ExpiresAt, first.RefreshExpiresAt)
	}
	second, err := r.Refresh(t.Context(), schema.Account{}, first)
	if err != nil || second.AccessToken == first.AccessToken || second.RefreshToken == first.RefreshToken {
		t.Fatalf("Refresh: %v", err)
	}
	_, err = r.Refresh(t.Context(), schema.Account{}, first)
	connectortest.WantKind(t, err, schema.TokenDead)
	if _, err := r.Check(t.Context(), schema.Account{}, second); err != nil {
		t.Errorf("Check: %v", err)
	}
	r.Pass(3 * time.Hour)
	_, err = r.Check(t.Context(), schema.Account{}, second)
	connectortest.WantKind(t, err, schema.TokenDead)
	_, err = r.Refresh(t.Context(), schema.Account{}, second)
	connectortest.WantKind(t, err, schema.TokenDead)
}

// What the token endpoint says, with whatever status, and what that means.
func TestATradeThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulation.Fault
		want  schema.ErrorKind
		says  string
	}{
		"the answer is lost":        {simulation.Fault{Lose: true}, schema.Unknown, ""},
		"TikTok fails":              {simulation.Fault{Status: 503, Body: "<html>"}, schema.Unknown, ""},
		"an answer without a token": {simulation.Fault{Status: 200, Body: `{}`}, schema.Unknown, ""},
		"the token is dead":         {simulation.Fault{Status: 400, Body: `{"error":"invalid_grant","error_description":"gone"}`}, schema.TokenDead, "gone"},
		"and that with 200":         {simulation.Fault{Status: 200, Body: `{"error":"invalid_grant","error_description":"gone: rft.1"}`}, schema.TokenDead, "gone: [redacted]"},
		"crier's app is refused":    {simulation.Fault{Status: 401, Body: `{"error":"invalid_client","error_description":"secret"}`}, schema.Retryable, "own app: secret"},
		"and that with 200 too":     {simulation.Fault{Status: 200, Body: `{"error":"unauthorized_client"}`}, schema.Retryable, "own app"},
		"the form is refused":       {simulation.Fault{Status: 400, Body: `{"error":"invalid_request","error_description":"form"}`}, schema.Refused, "form"},
		"there were too many":       {simulation.Fault{Status: 429, Body: `{}`}, schema.RateLimited, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tt.fault.Operation = simToken
			r.Inject(t, tt.fault)
			_, err := r.Refresh(t.Context(), schema.Account{}, schema.Credentials{RefreshToken: "rft.1"})
			if e := connectortest.WantKind(t, err, tt.want); !strings.Contains(e.Message, tt.says) {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

func TestATokenIsRevoked(t *testing.T) {
	r := newRig(t)
	credentials := r.consent(t, "ada")
	r.Inject(t, simulation.Fault{Operation: simRevoke, Status: 200, Body: `{"error":"invalid_client"}`})
	if err := r.Revoke(t.Context(), schema.Account{}, credentials); err == nil {
		t.Error("a refusal with 200 is taken for a success")
	}
	if err := r.Revoke(t.Context(), schema.Account{}, credentials); err != nil {
		t.Fatalf("Revoke: %v", err)
	}
	_, err := r.Check(t.Context(), schema.Account{}, credentials)
	connectortest.WantKind(t, err, schema.TokenDead)
}

// Of what TikTok has signed for this app, the removal of a consent names an account.
func TestAConsentThatIsTakenBack(t *testing.T) {
	const body = `{"client_key":"key","event":"authorization.removed","create_time":1796083200,"user_openid":"ada","content":"{\"reason\":1}"}`
	c := New(connectors.Parts{App: connectors.App{ID: "key", Secret: "s"}})
	sign := func(secret, body string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte("1796083200." + body))
		return "t=1796083200,s=" + hex.EncodeToString(mac.Sum(nil))
	}
	other := strings.Replace(body, "authorization.removed", "post.publish.complete", 1)
	anothers := strings.Replace(body, `"key"`, `"another"`, 1)
	for name, tt := range map[string]struct {
		signature, body, want string
		isRefused             bool
	}{
		"as it comes":            {sign("s", body), body, "ada", false},
		"with a space":           {strings.Replace(sign("s", body), ",", ", ", 1), body, "ada", false},
		"another event":          {sign("s", other), other, "", false},
		"another app's":          {sign("s", anothers), anothers, "", true},
		"with another secret":    {sign("x", body), body, "", true},
		"of another body":        {sign("s", other), body, "", true},
		"of another time":        {strings.Replace(sign("s", body), "t=1", "t=2", 1), body, "", true},
		"without a time":         {strings.TrimPrefix(sign("s", body), "t=1796083200,"), body, "", true},
		"without a signature":    {"", body, "", true},
		"with one that is none":  {"t=1796083200,s=x", body, "", true},
		"of what cannot be read": {sign("s", "<html>"), "<html>", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			id, err := c.Withdrawn(http.Header{"Tiktok-Signature": {tt.signature}}, []byte(tt.body))
			if id != tt.want || (err != nil) != tt.isRefused || err != nil && schema.KindOf(err) != schema.Invalid {
				t.Errorf("%q, %v", id, err)
			}
		})
	}
	if _, err := New(connectors.Parts{}).Withdrawn(http.Header{}, nil); schema.KindOf(err) != schema.NotFound {
		t.Errorf("without an app: %v", err)
	}
}
