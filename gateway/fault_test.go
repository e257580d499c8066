package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestAFaultShowsNothingOfItself(t *testing.T) {
	a := gatewaytest.New(t)
	a.Exec(`drop table webhooks cascade`)
	got := a.Request(http.MethodGet, "/webhooks", nil)
	e := got.WantError(http.StatusInternalServerError, "internal_error")
	if e.At("message").Text() != "internal error" {
		t.Errorf("message = %q", e.At("message"))
	}
	if got := e.At("documentation").Text(); got != "https://crier.example/docs/errors/internal_error" {
		t.Errorf("documentation = %q", got)
	}
	log := a.Logs.String()
	if id := got.Header.Get("X-Request-Id"); !strings.Contains(log, id) || !strings.Contains(log, "webhooks") {
		t.Errorf("the log does not say why request %s failed:\n%s", id, log)
	}
}

func TestAPanicIsAFault(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Analytics = gatewaytest.Analytics{PostCounter: broken{}, EventReader: gatewaytest.EventPages{}}
	})
	a.Request(http.MethodGet, "/analytics/posts", nil).WantError(http.StatusInternalServerError, "internal_error")
	if log := a.Logs.String(); !strings.Contains(log, "a panic for this test") {
		t.Errorf("the log does not say what panicked:\n%s", log)
	}
	a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK)
}

func TestADatabaseThatIsAwayIsUnavailable(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.Freeze() // the key stays known
	a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK)
	a.CloseStore()
	for _, got := range []*gatewaytest.Response{
		a.Request(http.MethodGet, "/posts", nil),
		a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`),
		a.RequestWith(otherKey(t), http.MethodGet, "/posts", nil),
	} {
		got.WantError(http.StatusServiceUnavailable, "unavailable")
		if got.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

// otherKey is of the right form and known to nobody.
func otherKey(t *testing.T) string {
	t.Helper()
	key, err := schema.NewAPIKey(strings.NewReader(strings.Repeat("k", 64)), false)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSecretsStayOutOfTheLog(t *testing.T) {
	a := gatewaytest.New(t)
	a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated)
	a.RequestWith(otherKey(t), http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
	for _, secret := range []string{a.Key, otherKey(t), "whsec_"} {
		if strings.Contains(a.Logs.String(), secret) {
			t.Errorf("%s stands in the log", secret)
		}
	}
}

func TestPostsAreCountedByDay(t *testing.T) {
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Analytics = gatewaytest.Analytics{PostCounter: gatewaytest.PostCounts{{Day: day, Platform: schema.Mastodon, Status: "posted", Count: 5}, {Day: day, Platform: schema.Bluesky, Status: "posted", Count: 2}, {Day: day, Platform: schema.GoogleBusiness, Status: "posted", Count: 9}, {Day: day, Platform: schema.Mastodon, Status: "failed", Count: 1}}, EventReader: gatewaytest.EventPages{}}
	})
	answer := a.Request(http.MethodGet, "/analytics/posts?from=2026-05-01&to=2026-05-31", nil).Want(http.StatusOK)
	if answer.At("counts").Len() != 3 || answer.At("totals", "posted").Value != 7.0 || answer.At("totals", "failed").Value != 1.0 {
		t.Errorf("answer = %v", answer)
	}
	if answer.At("from").Text() != "2026-05-01" || answer.At("to").Text() != "2026-05-31" || answer.At("counts", 0, "day").Text() != "2026-05-04" {
		t.Errorf("answer = %v", answer)
	}
	for _, query := range []string{"?from=2026-05-02&to=2026-05-01", "?from=2020-01-01", "?platform=google-business", "?accountId=x", "?from=x"} {
		a.Request(http.MethodGet, "/analytics/posts"+query, nil).WantError(http.StatusBadRequest, "validation_error")
	}
}

// broken panics, as a fault of ours would.
type broken struct{}

func (broken) PostCounts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostCount, error) {
	panic("a panic for this test")
}
