package gateway_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

func TestAKeyIsRequired(t *testing.T) {
	a := newAPI(t)
	unknown := a.newKey(a.workspace, schema.Read)
	a.exec(`delete from api_keys where hash = $1`, hashOf(unknown))
	expired := a.newKey(a.workspace, schema.Read)
	a.exec(`update api_keys set expires_at = now() where hash = $1`, hashOf(expired))
	for name, key := range map[string]string{
		"none":           "",
		"no key at all":  "hello",
		"a typo":         a.key[:len(a.key)-1] + "!",
		"unknown":        unknown,
		"expired":        expired,
		"with more text": a.key + " x",
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			a.callWith(key, http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
			a.callWith(key, http.MethodPost, "/posts", `{"content": 5}`).fails(http.StatusUnauthorized, "unauthorized")
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

func TestAKeyMayDoWhatItsPermissionSays(t *testing.T) {
	a := newAPI(t)
	reader, writer := a.newKey(a.workspace, schema.Read), a.newKey(a.workspace, schema.Write)
	for _, operation := range []struct{ method, path string }{
		{http.MethodPost, "/posts"},
		{http.MethodPost, "/posts/bulk"},
		{http.MethodPatch, "/posts/x"},
		{http.MethodDelete, "/posts/x"},
		{http.MethodPost, "/webhooks"},
		{http.MethodPatch, "/webhooks/x"},
		{http.MethodDelete, "/webhooks/x"},
		{http.MethodPost, "/webhooks/x/test"},
		{http.MethodPatch, "/accounts/x"},
		{http.MethodPost, "/brands"},
		{http.MethodPatch, "/brands/x"},
		{http.MethodDelete, "/brands/x"},
		{http.MethodPost, "/webhooks/x/rotate-secret"},
		{http.MethodPost, "/webhooks/x/redeliver"},
		{http.MethodPost, "/webhooks/x/deliveries/x/redeliver"},
	} {
		t.Run(operation.method+operation.path, func(t *testing.T) {
			a.under(t)
			a.callWith(reader, operation.method, operation.path, `{}`).fails(http.StatusForbidden, "forbidden")
			if got := a.callWith(writer, operation.method, operation.path, `{}`); got.status == http.StatusForbidden {
				t.Errorf("a key that may write gets %s", got.body)
			}
		})
	}
	for _, path := range []string{"/connect/bluesky", "/connect/mastodon", "/connect/telegram/channels"} {
		a.callWith(writer, http.MethodPost, path, `{}`).fails(http.StatusForbidden, "forbidden")
	}
	a.callWith(writer, http.MethodDelete, "/accounts/x", nil).fails(http.StatusForbidden, "forbidden")
	for _, path := range []string{"/posts", "/accounts", "/brands", "/webhooks", "/analytics/posts"} {
		a.callWith(reader, http.MethodGet, path, nil).want(http.StatusOK)
	}
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
	a.call(http.MethodPut, "/posts", `{}`).fails(http.StatusNotFound, "not_found")
}

func hashOf(key string) []byte {
	hash := schema.HashAPIKey(key)
	return hash[:]
}
