package posts_test

import (
	"fmt"
	"net/http"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestTheTimelineOfAPost(t *testing.T) {
	a := gatewaytest.New(t)
	account := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	path := createFailedPost(a)
	a.Exec(`insert into attempts (post_id, at, kind, n, code, message, next_at, attempts)
		select id, created_at + interval '1 second', 7, 0, 'platform_unavailable', 'is down', created_at + interval '3 seconds', 1 from posts`)
	a.Exec(`update targets set error = '{"code": "platform_refused", "message": "too rude", "at": "2099-01-01T00:00:00Z"}' where n = 0`)
	a.Exec(`update targets t set receipts = format('[{"entry": 0, "id": "n1", "url": "javascript:x", "at": "%s"}]', to_char(p.created_at + interval '2 seconds', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))::json
		from posts p where t.n = 1`)
	answer := a.Request(http.MethodGet, path+"/attempts", nil).Want(http.StatusOK)
	for field, want := range map[string]any{
		"attempts.0.event": "created", "attempts.0.platform": nil, "attempts.0.entry": nil,
		"attempts.1.event": "retrying", "attempts.1.platform": "mastodon", "attempts.1.accountId": account.String(),
		"attempts.1.code": "platform_unavailable", "attempts.1.message": "is down", "attempts.1.failedCalls": 1., "attempts.1.entry": 0.,
		"attempts.2.event": "published", "attempts.2.platform": "bluesky", "attempts.2.platformId": "n1", "attempts.2.url": nil,
		"attempts.3.event": "failed", "attempts.3.message": "too rude",
		"pagination.total": 4., "pagination.hasMore": false,
	} {
		if got := answer.Dotted(field); got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	second := a.Request(http.MethodGet, path+"/attempts?limit=3&page=2", nil).Want(http.StatusOK)
	if second.At("attempts").Len() != 1 || second.Dotted("attempts.0.event") != "failed" || second.Dotted("pagination.pages") != 2. {
		t.Errorf("second page %v", second)
	}
	if n := a.Request(http.MethodGet, path+"/attempts?page=9", nil).Want(http.StatusOK).At("attempts").Len(); n != 0 {
		t.Errorf("a page past the end has %d lines", n)
	}
	a.Request(http.MethodGet, path+"/attempts?limit=101", nil).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodGet, "/posts/post_01k9sr3q5wf2g8m7r4t0v1x2y3/attempts", nil).WantError(http.StatusNotFound, "not_found")
}

func TestWhatUsersDoIsOnTheTimeline(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	path := a.CreatePost(a.InAnHour())
	a.Request(http.MethodPatch, path, `{"content": "y"}`).Want(http.StatusOK)
	a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	answer := a.Request(http.MethodGet, path+"/attempts", nil).Want(http.StatusOK)
	for i, want := range []string{"created", "updated", "cancelled"} {
		if got := answer.Dotted(fmt.Sprintf("attempts.%d.event", i)); got != want {
			t.Errorf("line %d is %v, want %s", i, got, want)
		}
	}
}
