package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

func TestAKeyIsRequired(t *testing.T) {
	a := newAPI(t)
	unknown := a.newKey(a.workspace, schema.Read)
	a.exec(`delete from api_keys where hash = $1`, hashOf(unknown))
	expired := a.newKey(a.workspace, schema.Read)
	a.exec(`update api_keys set expires_at = now() - interval '1 second' where hash = $1`, hashOf(expired))
	const invalid = "the API key is not valid"
	for name, tt := range map[string]struct{ key, message string }{
		"none":           {"", "no API key was sent"},
		"no key at all":  {"hello", invalid},
		"a typo":         {a.key[:len(a.key)-1] + "!", invalid},
		"unknown":        {unknown, invalid},
		"expired":        {expired, invalid},
		"with more text": {a.key + " x", invalid},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			e := a.callWith(tt.key, http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
			if message := e.at("message").text(); !strings.HasPrefix(message, tt.message) {
				t.Errorf("message = %q, want %q", message, tt.message)
			}
			a.callWith(tt.key, http.MethodPost, "/posts", `{"content": 5}`).fails(http.StatusUnauthorized, "unauthorized")
		})
	}
	a.call(http.MethodGet, "/posts", nil).want(http.StatusOK)
}

func TestARevokedKeyStopsWithinASecond(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	a.call(http.MethodGet, "/posts", nil).want(http.StatusOK)
	if err := a.admin.RevokeKey(t.Context(), schema.HashAPIKey(a.key)); err != nil {
		t.Fatal(err)
	}
	later := a.frozen.Load().Add(time.Second)
	a.frozen.Store(&later)
	a.call(http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
}

func TestAPlanLimitsTheRequestsOfAMinute(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	_, key := a.tenant("small", "free", schema.Read)
	for i := range 30 {
		got := a.callWith(key, http.MethodGet, "/posts", nil)
		got.want(http.StatusOK)
		if limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining"); limit != "30" || left != fmt.Sprint(29-i) {
			t.Fatalf("request %d: limit %s, remaining %s", i, limit, left)
		}
	}
	got := a.callWith(key, http.MethodGet, "/posts", nil)
	got.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	if wait := got.header.Get("Retry-After"); wait != "30" {
		t.Errorf("Retry-After = %s, want 30", wait)
	}
	reset := a.now().Add(30 * time.Second).UnixMilli()
	if got := got.header.Get("X-RateLimit-Reset"); got != fmt.Sprint(reset) {
		t.Errorf("X-RateLimit-Reset = %s, want %d", got, reset)
	}
	a.callWith(a.key, http.MethodGet, "/posts", nil).want(http.StatusOK)
	next := a.now().Add(30 * time.Second)
	a.frozen.Store(&next)
	a.callWith(key, http.MethodGet, "/posts", nil).want(http.StatusOK)
}

func TestAPlanWithoutALimitShowsAMillion(t *testing.T) {
	a := newAPI(t)
	for _, path := range []string{"/posts", "/nowhere", "/openapi.json", "/posts/none"} {
		got := a.call(http.MethodGet, path, nil)
		if limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining"); limit != "1000000" || left != "1000000" {
			t.Errorf("%s: limit %s, remaining %s", path, limit, left)
		}
	}
}

func TestRequestsWithoutAKeyCountAgainstTheirAddress(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	a.call(http.MethodGet, "/posts", nil).want(http.StatusOK)
	for range 600 {
		a.callWith("", http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
	}
	got := a.callWith("", http.MethodGet, "/openapi.json", nil)
	got.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	if got.header.Get("Retry-After") != "30" || got.header.Get("X-RateLimit-Limit") != "600" || got.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("headers = %v", got.header)
	}
	a.call(http.MethodGet, "/posts", nil).want(http.StatusOK) // others at that address go on
}

func TestUnknownEndpointsAreNotFound(t *testing.T) {
	a := newAPI(t)
	a.call(http.MethodGet, "/nowhere", nil).fails(http.StatusNotFound, "not_found")
	a.callWith("", http.MethodGet, "/nowhere", nil).fails(http.StatusNotFound, "not_found")
}

func hashOf(key string) []byte {
	hash := schema.HashAPIKey(key)
	return hash[:]
}
