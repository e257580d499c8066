package media_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// An upload has a week from when it is seen that its last post has ended. One that is retried
// by then needs it again.
func TestMediaGoesAfterItsPostsHaveEnded(t *testing.T) {
	a, s := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	cleanup := s.Cleanup(a, time.Now)
	media := a.Upload(gatewaytest.PNG(t, 8, 8)).At("id").Text()
	post := a.Request(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"mastodon"}, "scheduledFor": a.In(time.Hour), "mediaItems": []any{map[string]any{"mediaId": media}},
	}).Want(http.StatusCreated).At("post", "id").Text()
	end := func() {
		t.Helper()
		a.Exec(`update posts set status = 6, left_n = 0, failed_n = 1`)
		a.Exec(`update targets set state = 3, error = '{"code": "platform_refused", "message": "too rude"}'`)
	}
	// look makes its time come, and returns how far off it is after that; 0: a post needs it.
	look := func() time.Duration {
		t.Helper()
		a.Exec(`update media set expires_at = now() - interval '1 second', deleted_at = deleted_at - interval '1 hour'`)
		if err := cleanup.Remove(context.Background()); err != nil {
			t.Fatal(err)
		}
		text, ok := a.Request(http.MethodGet, "/media/"+media, nil).Want(http.StatusOK).At("media", "expiresAt").Value.(string)
		if !ok {
			return 0
		}
		expires, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return time.Until(expires).Round(time.Hour)
	}
	if left := look(); left != 0 {
		t.Errorf("a scheduled post's has %v", left)
	}
	end()
	if left := look(); left != 7*24*time.Hour {
		t.Errorf("a failed post's has %v", left)
	}
	a.Request(http.MethodPost, "/posts/"+post+"/retry", nil).Want(http.StatusOK)
	if left := look(); left != 0 {
		t.Errorf("a retried post's has %v", left)
	}
	end()
	if left := look(); left != 7*24*time.Hour {
		t.Errorf("of a post that failed again it has %v", left)
	}
	for range 2 { // it is marked, and a minute later it goes
		a.Exec(`update media set expires_at = now() - interval '1 second', deleted_at = deleted_at - interval '1 hour'`)
		if err := cleanup.Remove(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	a.Request(http.MethodGet, "/media/"+media, nil).WantError(http.StatusNotFound, "not_found")
	if files := s.Files(t); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
	a.Request(http.MethodGet, "/posts/"+post, nil).Want(http.StatusOK)
}
