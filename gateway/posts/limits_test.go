package posts_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestAFullDayIsRefused(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	account := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	body := a.MastodonPostAt(a.Noon(1))
	a.FillDay(body, 0)
	for range 2 {
		refused := a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
		failure := refused.WantError(http.StatusTooManyRequests, "daily_limit_reached")
		for path, want := range map[string]any{
			"details.0.field": "platforms[0]", "details.0.platform": "mastodon", "details.0.code": "daily_limit_reached",
			"details.0.limit": 50.0, "details.0.nextFreeDay": a.Noon(2).Format(time.DateOnly),
		} {
			if got := failure.Dotted(path); got != want {
				t.Errorf("%s = %v, want %v: %s", path, got, want, refused.Body)
			}
		}
		if after := refused.Header.Get("Retry-After"); after != "" {
			t.Errorf("Retry-After = %s for a day to come", after)
		}
	}
	id := a.Request(http.MethodPost, "/posts", a.MastodonPostAt(a.Noon(2))).Want(http.StatusCreated).At("post", "id").Text()
	a.Request(http.MethodPatch, "/posts/"+id, fmt.Sprintf(`{"scheduledFor": %q}`, a.Noon(1).Format(time.RFC3339))).
		WantError(http.StatusTooManyRequests, "daily_limit_reached")
	draft := fmt.Sprintf(`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q}], "status": "draft"}`, account)
	a.Request(http.MethodPost, "/posts", draft).Want(http.StatusCreated)
}

func TestAFullTodayNamesWhenToComeAgain(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.FillDay(body, 0)
	got := a.Request(http.MethodPost, "/posts", body)
	got.WantError(http.StatusTooManyRequests, "daily_limit_reached")
	if got.Header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to come again")
	}
}

func TestABulkFailsOnlyWhatIsOverTheDay(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.FillDay(a.MastodonPostAt(a.Noon(1)), 1)
	full, free := a.MastodonPostAt(a.Noon(1)), a.MastodonPostAt(a.Noon(2))
	bulk := `{"posts": [` + strings.Join([]string{free, full, full, `{}`, free}, ",") + `]}`
	first := a.Request(http.MethodPost, "/posts/bulk", bulk, "Idempotency-Key", "k")
	answer := first.Want(http.StatusCreated)
	for i, want := range []string{"", "", "daily_limit_reached", "validation_error", ""} {
		result := answer.At("results", i)
		if got := result.At("error", "code").Text(); got != want || result.At("success").Value != (want == "") || result.At("index").Value != float64(i) {
			t.Errorf("result %d = %v, want %q", i, result.Value, want)
		}
	}
	if s := answer.At("summary"); s.At("succeeded").Value != 3.0 || s.At("failed").Value != 2.0 {
		t.Errorf("summary = %v", s.Value)
	}
	again := a.Request(http.MethodPost, "/posts/bulk", bulk, "Idempotency-Key", "k")
	again.Want(http.StatusCreated)
	if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("answer:\n%s\nfirst:\n%s", again.Body, first.Body)
	}
	if n := a.Request(http.MethodGet, "/posts?limit=100", nil).Want(http.StatusOK).At("pagination", "total").Value; n != 52.0 {
		t.Errorf("%v posts, want 52", n)
	}
}

func TestAPlanBoundsPosts(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	workspace, key := a.CreateWorkspace("small", "free", schema.Admin)
	a.AddAccount(workspace, schema.Mastodon, "@a")
	bulk := `{"posts": [` + strings.TrimSuffix(strings.Repeat(a.MastodonPostAt(a.Noon(1))+",", 5), ",") + `]}`
	answer := a.RequestWith(key, http.MethodPost, "/posts/bulk", bulk).Want(http.StatusCreated)
	if got := answer.At("results", 4, "error", "code").Text(); got != "plan_limit_reached" {
		t.Errorf("the fifth result = %v", answer.At("results", 4).Value)
	}
	refused := a.RequestWith(key, http.MethodPost, "/posts", a.MastodonPostAt(a.Noon(1))).WantError(http.StatusForbidden, "plan_limit_reached")
	if got := refused.Dotted("details.0.limit"); got != 4.0 {
		t.Errorf("limit = %v, want 4", got)
	}
}
