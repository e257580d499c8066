package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

func TestUsageTellsWhatCounts(t *testing.T) {
	a := newAPI(t)
	workspace, key := a.tenant("small", "free", schema.Admin)
	a.connect(workspace, schema.Mastodon, "@small")
	const draft = `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`
	const thread = `{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"], "scheduledFor": "2026-01-01T00:00:00Z"}`
	later := a.in(2 * time.Hour)
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
		if got := a.callWith(key, http.MethodPost, step.path, step.body, headers...); got.status != step.status {
			t.Fatalf("%s: %d %s, want %d", step.name, got.status, got.body, step.status)
		}
		posts := a.callWith(key, http.MethodGet, "/usage", nil).want(http.StatusOK).at("usage", "posts")
		if posts.at("used").value != step.used || posts.at("remaining").value != 4-step.used {
			t.Errorf("after %s: posts = %v, want %v used", step.name, posts.value, step.used)
		}
	}
	usage := a.callWith(key, http.MethodGet, "/usage", nil).want(http.StatusOK).at("usage")
	if usage.at("accounts", "used").value != 1.0 || usage.at("accounts", "limit").value != 2.0 || usage.at("requests", "limit").value != 30.0 {
		t.Errorf("usage = %v", usage.value)
	}
}

func TestUsageWithoutLimitsIsNull(t *testing.T) {
	a := newAPI(t)
	usage := a.call(http.MethodGet, "/usage", nil).want(http.StatusOK).at("usage")
	for _, part := range []string{"posts", "accounts", "requests"} {
		if limit := usage.at(part, "limit").value; limit != nil {
			t.Errorf("%s has the limit %v", part, limit)
		}
	}
	if usage.at("accounts", "used").value != 0.0 || usage.at("posts", "used").value != nil {
		t.Errorf("usage = %v", usage.value)
	}
}
