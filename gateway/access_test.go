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

func TestNoTenantSeesAnothers(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@mine")
	theirs, key := a.tenant("rival", "operator", schema.Admin)
	account := a.connect(theirs, schema.Mastodon, "@theirs")
	post := a.callWith(key, http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "scheduledFor": %q}`, a.in(time.Hour))).
		want(http.StatusCreated).at("post", "id").text()
	webhook := a.callWith(key, http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": ["post.failed"]}`).
		want(http.StatusCreated).at("webhook", "id").text()

	for _, operation := range []struct{ method, path, body string }{
		{http.MethodGet, "/posts/" + post, ""},
		{http.MethodPatch, "/posts/" + post, `{"content": "stolen"}`},
		{http.MethodPatch, "/posts/" + post, `{"scheduledFor": "` + strings.TrimSuffix(a.in(2*time.Hour), "Z") + `"}`},
		{http.MethodDelete, "/posts/" + post, ""},
		{http.MethodGet, "/posts/" + post + "/attempts", ""},
		{http.MethodGet, "/accounts/" + account.String(), ""},
		{http.MethodGet, "/webhooks/" + webhook, ""},
		{http.MethodPatch, "/webhooks/" + webhook, `{"isActive": false}`},
		{http.MethodPost, "/webhooks/" + webhook + "/test", `{"event": "post.failed"}`},
		{http.MethodPost, "/webhooks/" + webhook + "/rotate-secret", ""},
		{http.MethodPost, "/webhooks/" + webhook + "/redeliver", `{"since": "2026-01-01T00:00:00Z"}`},
		{http.MethodGet, "/webhooks/" + webhook + "/deliveries", ""},
		{http.MethodGet, "/webhooks/" + webhook + "/deliveries/dlv_01k9sr3q5wf2g8m7r4t0v1x2y3", ""},
		{http.MethodPost, "/webhooks/" + webhook + "/deliveries/dlv_01k9sr3q5wf2g8m7r4t0v1x2y3/redeliver", ""},
		{http.MethodDelete, "/webhooks/" + webhook, ""},
	} {
		t.Run(operation.method+operation.path, func(t *testing.T) {
			a.under(t)
			a.call(operation.method, operation.path, operation.body).fails(http.StatusNotFound, "not_found")
		})
	}
	for path, list := range map[string]string{"/posts": "posts", "/webhooks": "webhooks"} {
		if n := a.call(http.MethodGet, path, nil).want(http.StatusOK).at(list).size(); n != 0 {
			t.Errorf("%s shows %d of another tenant's", path, n)
		}
	}
	create := `{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q}], "publishNow": true}`
	there := a.call(http.MethodPost, "/posts", fmt.Sprintf(create, account)).fails(http.StatusBadRequest, "validation_error")
	nowhere := a.call(http.MethodPost, "/posts", fmt.Sprintf(create, schema.NewAccountID(a.now()))).fails(http.StatusBadRequest, "validation_error")
	if got, want := there.at("details", 0, "code"), nowhere.at("details", 0, "code"); got != want {
		t.Errorf("another tenant's account is %v, one that does not exist %v", got, want)
	}
	a.callWith(key, http.MethodGet, "/posts/"+post, nil).want(http.StatusOK)
	a.callWith(key, http.MethodGet, "/webhooks/"+webhook, nil).want(http.StatusOK)
}

func hashOf(key string) []byte {
	hash := schema.HashAPIKey(key)
	return hash[:]
}
