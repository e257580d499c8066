package gateway_test

import (
	"fmt"
	"net/http"
	"testing"

	"crier/schema"
)

func TestTheTimelineOfAPost(t *testing.T) {
	a := newAPI(t)
	account := a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	path := a.failed()
	a.exec(`insert into attempts (post_id, at, kind, n, code, message, next_at, attempts)
		select id, created_at + interval '1 second', 7, 0, 'platform_unavailable', 'is down', created_at + interval '3 seconds', 1 from posts`)
	a.exec(`update targets set error = '{"code": "platform_refused", "message": "too rude", "at": "2099-01-01T00:00:00Z"}' where n = 0`)
	a.exec(`update targets t set receipts = format('[{"entry": 0, "id": "n1", "url": "javascript:x", "at": "%s"}]', to_char(p.created_at + interval '2 seconds', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))::json
		from posts p where t.n = 1`)
	answer := a.call(http.MethodGet, path+"/attempts", nil).want(http.StatusOK)
	for field, want := range map[string]any{
		"attempts.0.event": "created", "attempts.0.platform": nil, "attempts.0.entry": nil,
		"attempts.1.event": "retrying", "attempts.1.platform": "mastodon", "attempts.1.accountId": account.String(),
		"attempts.1.code": "platform_unavailable", "attempts.1.message": "is down", "attempts.1.failedCalls": 1., "attempts.1.entry": 0.,
		"attempts.2.event": "published", "attempts.2.platform": "bluesky", "attempts.2.platformId": "n1", "attempts.2.url": nil,
		"attempts.3.event": "failed", "attempts.3.message": "too rude",
		"pagination.total": 4., "pagination.hasMore": false,
	} {
		if got := answer.dotted(field); got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	second := a.call(http.MethodGet, path+"/attempts?limit=3&page=2", nil).want(http.StatusOK)
	if second.at("attempts").size() != 1 || second.dotted("attempts.0.event") != "failed" || second.dotted("pagination.pages") != 2. {
		t.Errorf("second page %v", second)
	}
	if n := a.call(http.MethodGet, path+"/attempts?page=9", nil).want(http.StatusOK).at("attempts").size(); n != 0 {
		t.Errorf("a page past the end has %d lines", n)
	}
	a.call(http.MethodGet, path+"/attempts?limit=101", nil).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodGet, "/posts/post_01k9sr3q5wf2g8m7r4t0v1x2y3/attempts", nil).fails(http.StatusNotFound, "not_found")
}

func TestWhatUsersDoIsOnTheTimeline(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	path := a.post(a.inAnHour())
	a.call(http.MethodPatch, path, `{"content": "y"}`).want(http.StatusOK)
	a.call(http.MethodDelete, path, nil).want(http.StatusOK)
	answer := a.call(http.MethodGet, path+"/attempts", nil).want(http.StatusOK)
	for i, want := range []string{"created", "updated", "cancelled"} {
		if got := answer.dotted(fmt.Sprintf("attempts.%d.event", i)); got != want {
			t.Errorf("line %d is %v, want %s", i, got, want)
		}
	}
}
