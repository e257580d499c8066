package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestAKeyIsRequired(t *testing.T) {
	a := gatewaytest.New(t)
	unknown := a.NewKey(a.Workspace, schema.Read)
	a.Exec(`delete from api_keys where hash = $1`, gatewaytest.KeyHash(unknown))
	expired := a.NewKey(a.Workspace, schema.Read)
	a.Exec(`update api_keys set expires_at = now() - interval '1 second' where hash = $1`, gatewaytest.KeyHash(expired))
	const invalid = "the API key is not valid"
	for name, tt := range map[string]struct{ key, message string }{
		"none":           {"", "no API key was sent"},
		"no key at all":  {"hello", invalid},
		"a typo":         {a.Key[:len(a.Key)-1] + "!", invalid},
		"unknown":        {unknown, invalid},
		"expired":        {expired, invalid},
		"with more text": {a.Key + " x", invalid},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			e := a.RequestWith(tt.key, http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
			if message := e.At("message").Text(); !strings.HasPrefix(message, tt.message) {
				t.Errorf("message = %q, want %q", message, tt.message)
			}
			a.RequestWith(tt.key, http.MethodPost, "/posts", `{"content": 5}`).WantError(http.StatusUnauthorized, "unauthorized")
		})
	}
	a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK)
}

func TestARevokedKeyStopsWithinASecond(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK)
	if err := a.Admin.RevokeKey(t.Context(), schema.HashAPIKey(a.Key)); err != nil {
		t.Fatal(err)
	}
	later := a.Frozen.Load().Add(time.Second)
	a.Frozen.Store(&later)
	a.Request(http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
}

func TestAPlanLimitsTheRequestsOfAMinute(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	_, key := a.CreateWorkspace("small", "free", schema.Read)
	for i := range 30 {
		got := a.RequestWith(key, http.MethodGet, "/posts", nil)
		got.Want(http.StatusOK)
		if limit, left := got.Header.Get("X-RateLimit-Limit"), got.Header.Get("X-RateLimit-Remaining"); limit != "30" || left != fmt.Sprint(29-i) {
			t.Fatalf("request %d: limit %s, remaining %s", i, limit, left)
		}
	}
	got := a.RequestWith(key, http.MethodGet, "/posts", nil)
	got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	if wait := got.Header.Get("Retry-After"); wait != "30" {
		t.Errorf("Retry-After = %s, want 30", wait)
	}
	reset := a.Now().Add(30 * time.Second).UnixMilli()
	if got := got.Header.Get("X-RateLimit-Reset"); got != fmt.Sprint(reset) {
		t.Errorf("X-RateLimit-Reset = %s, want %d", got, reset)
	}
	a.RequestWith(a.Key, http.MethodGet, "/posts", nil).Want(http.StatusOK)
	next := a.Now().Add(30 * time.Second)
	a.Frozen.Store(&next)
	a.RequestWith(key, http.MethodGet, "/posts", nil).Want(http.StatusOK)
}

func TestAPlanWithoutALimitShowsAMillion(t *testing.T) {
	a := gatewaytest.New(t)
	for _, path := range []string{"/posts", "/nowhere", "/openapi.json", "/posts/none"} {
		got := a.Request(http.MethodGet, path, nil)
		if limit, left := got.Header.Get("X-RateLimit-Limit"), got.Header.Get("X-RateLimit-Remaining"); limit != "1000000" || left != "1000000" {
			t.Errorf("%s: limit %s, remaining %s", path, limit, left)
		}
	}
}

func TestRequestsWithoutAKeyCountAgainstTheirAddress(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK)
	for range 600 {
		a.RequestWith("", http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
	}
	got := a.RequestWith("", http.MethodGet, "/openapi.json", nil)
	got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	if got.Header.Get("Retry-After") != "30" || got.Header.Get("X-RateLimit-Limit") != "600" || got.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("headers = %v", got.Header)
	}
	a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK) // others at that address go on
}

func TestUnknownEndpointsAreNotFound(t *testing.T) {
	a := gatewaytest.New(t)
	a.Request(http.MethodGet, "/nowhere", nil).WantError(http.StatusNotFound, "not_found")
	a.RequestWith("", http.MethodGet, "/nowhere", nil).WantError(http.StatusNotFound, "not_found")
}
