package billing_test

import (
	"net/http"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestUsageTellsWhatCounts(t *testing.T) {
	a := gatewaytest.New(t)
	workspace, key := a.CreateWorkspace("small", "free", schema.Admin)
	a.AddAccount(workspace, schema.Mastodon, "@small")
	const draft = `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`
	const thread = `{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"], "scheduledFor": "2026-01-01T00:00:00Z"}`
	later := a.In(2 * time.Hour)
	for _, step := range []struct {
		name, path, body, idempotency string
		status                        int
		used                          float64
	}{
		{"a draft", "/posts", draft, "k1", http.StatusCreated, 1},
		{"the same request again", "/posts", draft, "k1", http.StatusCreated, 1},
		{"a validation", "/posts/validate", `{"content": "x", "platforms": ["mastodon"]}`, "", http.StatusOK, 1},
		{"a dry run", "/posts/bulk", `{"dryRun": true, "posts": [` + draft + `]}`, "", http.StatusOK, 1},
		{"a thread that is refused", "/threads", thread, "", http.StatusBadRequest, 1},
		{"a thread of two entries", "/threads", `{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"], "scheduledFor": "` + later + `"}`, "", http.StatusCreated, 3},
		{"a thread that has no room", "/threads", `{"posts": [{"content": "3"}, {"content": "4"}], "platforms": ["mastodon"], "scheduledFor": "` + later + `"}`, "", http.StatusForbidden, 3},
		{"one more post", "/posts", draft, "k2", http.StatusCreated, 4},
		{"and one too many", "/posts", draft, "k3", http.StatusForbidden, 4},
	} {
		headers := []string{}
		if step.idempotency != "" {
			headers = []string{"Idempotency-Key", step.idempotency}
		}
		if got := a.RequestWith(key, http.MethodPost, step.path, step.body, headers...); got.Status != step.status {
			t.Fatalf("%s: %d %s, want %d", step.name, got.Status, got.Body, step.status)
		}
		posts := a.RequestWith(key, http.MethodGet, "/usage", nil).Want(http.StatusOK).At("usage", "posts")
		if posts.At("used").Value != step.used || posts.At("remaining").Value != 4-step.used {
			t.Errorf("after %s: posts = %v, want %v used", step.name, posts.Value, step.used)
		}
	}
	usage := a.RequestWith(key, http.MethodGet, "/usage", nil).Want(http.StatusOK).At("usage")
	if usage.At("accounts", "used").Value != 1.0 || usage.At("accounts", "limit").Value != 2.0 || usage.At("requests", "limit").Value != 30.0 {
		t.Errorf("usage = %v", usage.Value)
	}
}

func TestUsageWithoutLimitsIsNull(t *testing.T) {
	a := gatewaytest.New(t)
	usage := a.Request(http.MethodGet, "/usage", nil).Want(http.StatusOK).At("usage")
	for _, part := range []string{"posts", "accounts", "requests"} {
		if limit := usage.At(part, "limit").Value; limit != nil {
			t.Errorf("%s has the limit %v", part, limit)
		}
	}
	if usage.At("accounts", "used").Value != 0.0 || usage.At("posts", "used").Value != nil {
		t.Errorf("usage = %v", usage.Value)
	}
}
