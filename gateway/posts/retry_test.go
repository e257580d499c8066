package posts_test

import (
	"net/http"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// createFailedPost makes a post to mastodon and bluesky of which mastodon's target has failed.
func createFailedPost(a *gatewaytest.API) string {
	a.Helper()
	body := `{"content": "x", "platforms": ["mastodon", "bluesky"], ` + a.InAnHour() + `}`
	post := a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post", "id").Text()
	a.Exec(`update posts set status = 5, left_n = 0, posted_n = 1, failed_n = 1`)
	a.Exec(`update targets set state = 3, error = '{"code": "platform_refused", "message": "too rude"}' where n = 0`)
	a.Exec(`update targets set state = 2, receipts = '[{"entry": 0, "id": "n1", "url": "https://bsky.example/n1"}]' where n = 1`)
	return "/posts/" + post
}

func TestARetrySetsFailedPlatformsGoingAgain(t *testing.T) {
	for name, body := range map[string]any{
		"without a body":     nil,
		"an empty body":      `{}`,
		"the platform named": `{"platforms": ["mastodon"], "delay": 60.0}`,
	} {
		t.Run(name, func(t *testing.T) {
			a := gatewaytest.New(t)
			a.AddAccount(a.Workspace, schema.Mastodon, "@a")
			a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
			path := createFailedPost(a)
			answer := a.Request(http.MethodPost, path+"/retry", body).Want(http.StatusOK)
			if got := answer.At("retriedPlatforms").Len(); got != 1 || answer.Dotted("retriedPlatforms.0") != "mastodon" {
				t.Errorf("retried %v", answer.At("retriedPlatforms"))
			}
			post := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("post")
			for field, want := range map[string]any{
				"status": "scheduled", "platforms.0.status": "pending", "platforms.0.previousError": "too rude",
				"platforms.1.status": "posted", "platforms.1.postId": "n1",
			} {
				if got := post.Dotted(field); got != want {
					t.Errorf("%s = %v, want %v", field, got, want)
				}
			}
			again := a.Request(http.MethodPost, path+"/retry", `{"acceptDuplicates": true}`).Want(http.StatusBadRequest)
			if got := again.Dotted("error.details.0.field"); got != "acceptDuplicates" {
				t.Errorf("of what is wrong the first is %v, want the field that is not known", got)
			}
			a.Request(http.MethodPatch, path, `{"content": "y"}`).Want(http.StatusBadRequest)
		})
	}
}

func TestARetryIsRefused(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	path := createFailedPost(a)
	for name, tt := range map[string]struct {
		path, body string
		status     int
	}{
		"a post that is not there": {"/posts/post_01k9sr3q5wf2g8m7r4t0v1x2y3", `{}`, http.StatusNotFound},
		"a platform that posted":   {path, `{"platforms": ["bluesky"]}`, http.StatusBadRequest},
		"no platform at all":       {path, `{"platforms": ["myspace"]}`, http.StatusBadRequest},
		"a delay below zero":       {path, `{"delay": -1}`, http.StatusBadRequest},
		"a delay over 90 days":     {path, `{"delay": 7776001}`, http.StatusBadRequest},
		"a delay that is a text":   {path, `{"delay": "1"}`, http.StatusBadRequest},
		"a delay with a fraction":  {path, `{"delay": 1.5}`, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			a.Request(http.MethodPost, tt.path+"/retry", tt.body).Want(tt.status)
		})
	}
}

// TestARetryLeavesOutWhatNobodyCanLookFor has a post fail as unknown on a platform where
// crier can look, and on one where it cannot.
func TestARetryLeavesOutWhatNobodyCanLookFor(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Telegram, "@channel")
	body := `{"content": "x", "platforms": ["mastodon", "telegram"], ` + a.InAnHour() + `}`
	fail := func() string {
		id := a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post", "id").Text()
		a.Exec(`update posts set status = 6, left_n = 0, failed_n = 2 where status = 2`)
		a.Exec(`update targets set state = 3, step = 2, since = now(), unsettled = 1, error = '{"code": "outcome_unknown", "message": "nobody knows"}' where state = 0`)
		return "/posts/" + id
	}
	path := fail()
	answer := a.Request(http.MethodPost, path+"/retry", nil).Want(http.StatusOK)
	for field, want := range map[string]any{
		"retriedPlatforms.0": "mastodon", "warnings.0.platform": "telegram", "warnings.0.code": "outcome_unknown", "warnings.0.field": "platforms",
		"post.platforms.0.status": "pending", "post.platforms.0.error.code": "outcome_unknown", "post.platforms.1.status": "failed",
	} {
		if got := answer.Dotted(field); got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	if n := answer.At("retriedPlatforms").Len(); n != 1 {
		t.Errorf("%d platforms are retried", n)
	}
	path = fail()
	refused := a.Request(http.MethodPost, path+"/retry", `{"platforms": ["telegram"]}`).Want(http.StatusBadRequest)
	if code, detail := refused.Dotted("error.code"), refused.Dotted("error.details.0.code"); code != "invalid_state" || detail != "outcome_unknown" {
		t.Errorf("a retry of what nobody can look for is refused as %v, %v", code, detail)
	}
	a.Request(http.MethodPost, path+"/retry", `{"acceptDuplicate": "yes"}`).Want(http.StatusBadRequest)
	if n := a.Request(http.MethodPost, path+"/retry", `{"acceptDuplicate": true}`).Want(http.StatusOK).At("retriedPlatforms").Len(); n != 2 {
		t.Errorf("%d platforms are retried where a second post is accepted", n)
	}
}
