package google

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

func TestAnswers(t *testing.T) {
	at := http.Header{"Date": {"Wed, 04 Mar 2026 22:30:00 GMT"}} // 14:30 Pacific
	const quota = `{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"LIMIT","quota_limit_value":"VALUE"}}MORE]}}`
	quotaOf := func(limit, value, more string) string {
		return strings.NewReplacer("LIMIT", limit, "VALUE", value, "MORE", more).Replace(quota)
	}
	for name, tt := range map[string]struct {
		status int
		header http.Header
		body   string
		kind   schema.ErrorKind // Internal: the default meaning
		wait   time.Duration
		says   string
	}{
		"a proxy's page":       {403, at, `<html>`, schema.Internal, 0, ""},
		"another's JSON":       {404, at, `{"error":"no"}`, schema.Internal, 0, ""},
		"a dead token":         {401, at, `{"error":{"code":401,"message":"m","status":"UNAUTHENTICATED"}}`, schema.TokenDead, 0, "m"},
		"an outage":            {503, at, `{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`, schema.Retryable, 0, "m"},
		"a scope":              {403, at, `{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED","details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}}`, schema.TokenDead, 0, "m"},
		"a scope, as of old":   {403, at, `{"error":{"code":403,"message":"m","errors":[{"reason":"insufficientPermissions"}]}}`, schema.TokenDead, 0, "m"},
		"another 403":          {403, at, `{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED"}}`, schema.Refused, 0, "m"},
		"fields":               {400, at, `{"error":{"code":400,"message":"m","details":[{"fieldViolations":[{"field":"summary","description":"is too long"}]},{"errorDetails":[{"field":"event","message":"is over"}]}]}}`, schema.Refused, 0, "summary: is too long; event: is over"},
		"a minute's quota":     {429, at, quotaOf("defaultPerMinute", "300", ""), schema.RateLimited, time.Minute, "Quota"},
		"a wait that is named": {429, at, quotaOf("defaultPerMinute", "300", `,{"retryDelay":"7s"}`), schema.RateLimited, 7 * time.Second, ""},
		"a wait in the header": {429, http.Header{"Retry-After": {"3"}}, quotaOf("x", "300", ""), schema.RateLimited, 0, ""},
		"a day's quota":        {429, at, quotaOf("UpdatesPerDay", "10000", ""), schema.RateLimited, 9*time.Hour + 30*time.Minute, ""},
		"a quota of nothing":   {429, at, quotaOf("defaultPerMinute", "0", ""), schema.RateLimited, operatorWait, "apply for access"},
		"an API that is off":   {403, at, `{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}}`, schema.RateLimited, operatorWait, "enable"},
	} {
		t.Run(name, func(t *testing.T) {
			e := connectors.Answers{Read: Read, Table: Answers()}.Error(connectors.Call{}, &connectors.Response{Status: tt.status, Header: tt.header, Body: []byte(tt.body)})
			if tt.kind == schema.Internal {
				if e != nil {
					t.Fatalf("it means %+v, want the default", e)
				}
				return
			}
			if e == nil || e.Kind != tt.kind || e.RetryAfter != tt.wait || !strings.Contains(e.Message, tt.says) {
				t.Fatalf("it means %+v, want kind %d, wait %v", e, tt.kind, tt.wait)
			}
			if f, ok := errors.AsType[Error](e); !ok || f.Code != tt.status {
				t.Errorf("cause %v", e.Err)
			}
		})
	}
}

// endpoint answers as Google's token endpoint does, once.
func endpoint(t *testing.T, status int, body string) oauth.Flow {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(status)
		rw.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return oauth.New(Dialect(schema.YouTube), connectors.Parts{
		Base: server.URL, App: connectors.App{ID: "app", Secret: "secret"},
		Now: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC) },
		Client: connectors.NewClient(connectors.ClientConfig{
			Calls: connectors.Calls{Platform: schema.YouTube}, HTTP: server.Client(), Now: time.Now,
			Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
		}),
	}, someScopes())
}

func someScopes() connectors.Scopes { return connectors.Scopes{Publish: []string{"one", "two"}} }

func TestTrades(t *testing.T) {
	old := schema.Credentials{AccessToken: "old", RefreshToken: "refresh", Scope: "one two", EntityID: "of it"}
	for name, tt := range map[string]struct {
		status           int
		body             string
		exchange, traded schema.ErrorKind // Internal: none
		says             string
	}{
		"all is granted":          {200, `{"access_token":"new","expires_in":3599,"refresh_token":"refresh","scope":"two one three"}`, schema.Internal, schema.Internal, ""},
		"and not said":            {200, `{"access_token":"new","expires_in":3599,"refresh_token":"refresh"}`, schema.Internal, schema.Internal, ""},
		"a part is granted":       {200, `{"access_token":"new","expires_in":3599,"scope":"two"}`, schema.Refused, schema.Internal, "one"},
		"nothing is granted":      {200, `{"access_token":"new","expires_in":3599,"scope":""}`, schema.Refused, schema.Internal, "one, two"},
		"no refresh token":        {200, `{"access_token":"new","expires_in":3599}`, schema.Retryable, schema.Internal, "no refresh token"},
		"no token":                {200, `{}`, schema.Retryable, schema.Retryable, "no token"},
		"it has ended":            {400, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`, schema.Refused, schema.TokenDead, "revoked"},
		"another callback":        {400, `{"error":"redirect_uri_mismatch","error_description":"Bad Request"}`, schema.Refused, schema.Refused, "Bad"},
		"crier's own app":         {401, `{"error":"invalid_client","error_description":"The OAuth client was not found."}`, schema.Retryable, schema.Retryable, "crier's own app"},
		"an outage":               {503, `{}`, schema.Retryable, schema.Retryable, ""},
		"a page of somebody else": {200, `<html>`, schema.Retryable, schema.Retryable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := endpoint(t, tt.status, tt.body)
			granted, err := o.Exchange(t.Context(), schema.Account{}, connectors.Grant{Code: "the-code"})
			wantKind(t, err, tt.exchange, tt.says)
			if err == nil && (granted.AccessToken != "new" || granted.RefreshToken != "refresh" || granted.Scope == "" ||
				granted.AppID != "app" || !granted.ExpiresAt.Equal(time.Date(2026, 3, 4, 6, 6, 6, 0, time.UTC))) {
				t.Error("the credentials are others")
			}
			traded, err := o.Refresh(t.Context(), schema.Account{}, old)
			wantKind(t, err, tt.traded, "")
			if err == nil && (traded.AccessToken != "new" || traded.RefreshToken != "refresh" || traded.EntityID != old.EntityID) {
				t.Error("the new credentials are others")
			}
		})
	}
}

func wantKind(t *testing.T, err error, kind schema.ErrorKind, says string) {
	t.Helper()
	if kind == schema.Internal && err == nil {
		return
	}
	if err == nil || schema.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want kind %d", err, kind)
	}
}

func TestWhereThePageIs(t *testing.T) {
	for want, p := range map[string]connectors.Parts{
		"https://accounts.google.com/o/oauth2/v2/auth?": {},
		"http://sim/o/oauth2/v2/auth?":                  {Base: "http://sim/"},
		"http://page/x/o/oauth2/v2/auth?":               {Base: "http://sim", Consent: "http://page/x/"},
	} {
		p.App = connectors.App{ID: "app", Secret: "secret"}
		page, _, err := oauth.New(Dialect(schema.YouTube), p, someScopes()).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{Callback: "http://back", State: "s", Verifier: "v"})
		if err != nil || !strings.HasPrefix(page, want) {
			t.Errorf("Authorize = %s, %v", page, err)
		}
		address, err := url.Parse(page)
		if q := address.Query(); err != nil || q.Get("access_type") != "offline" || q.Get("prompt") != "consent select_account" || q.Get("scope") != "one two" || q.Get("code_challenge_method") != "S256" {
			t.Errorf("asked with %v, %v", address, err)
		}
	}
	_, _, err := oauth.New(Dialect(schema.GoogleBusiness), connectors.Parts{}, someScopes()).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{})
	if err == nil || !strings.Contains(err.Error(), "CRIER_GOOGLE_BUSINESS_CLIENT_ID") {
		t.Errorf("without an app: %v", err)
	}
}
