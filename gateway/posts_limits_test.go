package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// full fills the mastodon day that posts of body are for, except some units.
func (a *api) full(body string, left int) {
	a.Helper()
	for n := 50 - left; n > 0; n -= 25 {
		posts := strings.TrimSuffix(strings.Repeat(body+",", min(n, 25)), ",")
		a.call(http.MethodPost, "/posts/bulk", `{"posts": [`+posts+`]}`).want(http.StatusCreated)
	}
}

// noon is the middle of a day ahead. Who asks for it twice stops the clock, for a test may run over
// midnight.
func (a *api) noon(daysAhead int) time.Time {
	return schema.DayOf(a.now()).AddDate(0, 0, daysAhead).Add(12 * time.Hour)
}

func (a *api) mastodonAt(at time.Time) string {
	return fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "scheduledFor": %q}`, at.Format(time.RFC3339))
}

func TestAFullDayIsRefused(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	account := a.connect(a.workspace, schema.Mastodon, "@a")
	body := a.mastodonAt(a.noon(1))
	a.full(body, 0)
	for range 2 {
		refused := a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
		failure := refused.fails(http.StatusTooManyRequests, "daily_limit_reached")
		for path, want := range map[string]any{
			"details.0.field": "platforms[0]", "details.0.platform": "mastodon", "details.0.code": "daily_limit_reached",
			"details.0.limit": 50.0, "details.0.nextFreeDay": a.noon(2).Format(time.DateOnly),
		} {
			if got := failure.dotted(path); got != want {
				t.Errorf("%s = %v, want %v: %s", path, got, want, refused.body)
			}
		}
		if after := refused.header.Get("Retry-After"); after != "" {
			t.Errorf("Retry-After = %s for a day to come", after)
		}
	}
	id := a.call(http.MethodPost, "/posts", a.mastodonAt(a.noon(2))).want(http.StatusCreated).at("post", "id").text()
	a.call(http.MethodPatch, "/posts/"+id, fmt.Sprintf(`{"scheduledFor": %q}`, a.noon(1).Format(time.RFC3339))).
		fails(http.StatusTooManyRequests, "daily_limit_reached")
	draft := fmt.Sprintf(`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q}], "status": "draft"}`, account)
	a.call(http.MethodPost, "/posts", draft).want(http.StatusCreated)
}

func TestAFullTodayNamesWhenToComeAgain(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	a.connect(a.workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.full(body, 0)
	got := a.call(http.MethodPost, "/posts", body)
	got.fails(http.StatusTooManyRequests, "daily_limit_reached")
	if got.header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to come again")
	}
}

func TestABulkFailsOnlyWhatIsOverTheDay(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.full(a.mastodonAt(a.noon(1)), 1)
	full, free := a.mastodonAt(a.noon(1)), a.mastodonAt(a.noon(2))
	bulk := `{"posts": [` + strings.Join([]string{free, full, full, `{}`, free}, ",") + `]}`
	first := a.call(http.MethodPost, "/posts/bulk", bulk, "Idempotency-Key", "k")
	answer := first.want(http.StatusCreated)
	for i, want := range []string{"", "", "daily_limit_reached", "validation_error", ""} {
		result := answer.at("results", i)
		if got := result.at("error", "code").text(); got != want || result.at("success").value != (want == "") || result.at("index").value != float64(i) {
			t.Errorf("result %d = %v, want %q", i, result.value, want)
		}
	}
	if s := answer.at("summary"); s.at("succeeded").value != 3.0 || s.at("failed").value != 2.0 {
		t.Errorf("summary = %v", s.value)
	}
	again := a.call(http.MethodPost, "/posts/bulk", bulk, "Idempotency-Key", "k")
	again.want(http.StatusCreated)
	if !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("answer:\n%s\nfirst:\n%s", again.body, first.body)
	}
	if n := a.call(http.MethodGet, "/posts?limit=100", nil).want(http.StatusOK).at("pagination", "total").value; n != 52.0 {
		t.Errorf("%v posts, want 52", n)
	}
}

func TestAPlanBoundsPosts(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	workspace, key := a.tenant("small", "free", schema.Admin)
	a.connect(workspace, schema.Mastodon, "@a")
	bulk := `{"posts": [` + strings.TrimSuffix(strings.Repeat(a.mastodonAt(a.noon(1))+",", 5), ",") + `]}`
	answer := a.callWith(key, http.MethodPost, "/posts/bulk", bulk).want(http.StatusCreated)
	if got := answer.at("results", 4, "error", "code").text(); got != "plan_limit_reached" {
		t.Errorf("the fifth result = %v", answer.at("results", 4).value)
	}
	refused := a.callWith(key, http.MethodPost, "/posts", a.mastodonAt(a.noon(1))).fails(http.StatusForbidden, "plan_limit_reached")
	if got := refused.dotted("details.0.limit"); got != 4.0 {
		t.Errorf("limit = %v, want 4", got)
	}
}
