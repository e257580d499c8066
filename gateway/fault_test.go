package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/schema"
)

func TestAFaultShowsNothingOfItself(t *testing.T) {
	a := newAPI(t)
	a.exec(`drop table webhooks cascade`)
	got := a.call(http.MethodGet, "/webhooks", nil)
	e := got.fails(http.StatusInternalServerError, "internal_error")
	if e.at("message").text() != "internal error" {
		t.Errorf("message = %q", e.at("message"))
	}
	if got := e.at("documentation").text(); got != "https://crier.example/docs/errors/internal_error" {
		t.Errorf("documentation = %q", got)
	}
	log := a.log.String()
	if id := got.header.Get("X-Request-Id"); !strings.Contains(log, id) || !strings.Contains(log, "webhooks") {
		t.Errorf("the log does not say why request %s failed:\n%s", id, log)
	}
}

func TestAPanicIsAFault(t *testing.T) {
	a := newAPI(t, func(c *gateway.Config) { c.Analytics = figures{counter: broken{}, eventReader: pages{}} })
	a.call(http.MethodGet, "/analytics/posts", nil).fails(http.StatusInternalServerError, "internal_error")
	if log := a.log.String(); !strings.Contains(log, "a panic for this test") {
		t.Errorf("the log does not say what panicked:\n%s", log)
	}
	a.call(http.MethodGet, "/posts", nil).want(http.StatusOK)
}

func TestADatabaseThatIsAwayIsUnavailable(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.freeze() // the key stays known
	a.call(http.MethodGet, "/posts", nil).want(http.StatusOK)
	a.closeStore()
	for _, got := range []*answer{
		a.call(http.MethodGet, "/posts", nil),
		a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`),
		a.callWith(a.otherKey(t), http.MethodGet, "/posts", nil),
	} {
		got.fails(http.StatusServiceUnavailable, "unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

// otherKey is of the right form and known to nobody.
func (a *api) otherKey(t *testing.T) string {
	t.Helper()
	key, err := schema.NewAPIKey(strings.NewReader(strings.Repeat("k", 64)), false)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSecretsStayOutOfTheLog(t *testing.T) {
	a := newAPI(t)
	a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated)
	a.callWith(a.otherKey(t), http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
	for _, secret := range []string{a.key, a.otherKey(t), "whsec_"} {
		if strings.Contains(a.log.String(), secret) {
			t.Errorf("%s stands in the log", secret)
		}
	}
}

func TestPostsAreCountedByDay(t *testing.T) {
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	a := newAPI(t, func(c *gateway.Config) {
		c.Analytics = figures{counter: counts{{Day: day, Platform: schema.Mastodon, Status: "posted", Count: 5}, {Day: day, Platform: schema.Bluesky, Status: "posted", Count: 2}, {Day: day, Platform: schema.GoogleBusiness, Status: "posted", Count: 9}, {Day: day, Platform: schema.Mastodon, Status: "failed", Count: 1}}, eventReader: pages{}}
	})
	answer := a.call(http.MethodGet, "/analytics/posts?from=2026-05-01&to=2026-05-31", nil).want(http.StatusOK)
	if answer.at("counts").size() != 3 || answer.at("totals", "posted").value != 7.0 || answer.at("totals", "failed").value != 1.0 {
		t.Errorf("answer = %v", answer)
	}
	if answer.at("from").text() != "2026-05-01" || answer.at("to").text() != "2026-05-31" || answer.at("counts", 0, "day").text() != "2026-05-04" {
		t.Errorf("answer = %v", answer)
	}
	for _, query := range []string{"?from=2026-05-02&to=2026-05-01", "?from=2020-01-01", "?platform=google-business", "?accountId=x", "?from=x"} {
		a.call(http.MethodGet, "/analytics/posts"+query, nil).fails(http.StatusBadRequest, "validation_error")
	}
}

// broken panics, as a fault of ours would.
type broken struct{}

func (broken) PostCounts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostCount, error) {
	panic("a panic for this test")
}
