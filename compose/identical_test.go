package compose_test

import (
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// Ten posts of one text to one mastodon account, which crier is killed among again and
// again: ten statuses, and every post knows its own.
func TestIdenticalTextsSurviveKills(t *testing.T) {
	t.Parallel()
	const posts, killed, text = 10, 3, "the same every time"
	w := newWorld(t, testKafka(t))
	account := w.connect(schema.Mastodon, 1)[0]
	w.inject(map[string]any{"platform": "mastodon", "operation": "POST /api/v1/statuses", "delay": 400, "times": posts})
	var ids []string
	for range posts {
		var answer postAnswer
		body := map[string]any{"content": text, "publishNow": true, "platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}}}
		if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
			t.Fatalf("creating a post: %d", status)
		}
		ids = append(ids, answer.Post.ID)
	}
	for range killed {
		time.Sleep(900 * time.Millisecond)
		w.kill()
		w.start()
	}
	w.eventually(2*time.Minute, "every post is done", func() bool { return w.done(ids) })
	own := map[string]string{}
	for _, id := range ids {
		var read struct {
			Post struct {
				Status    string
				Platforms []struct{ PostID string }
			}
		}
		w.call(http.MethodGet, "/posts/"+id, nil, &read)
		if read.Post.Status != "posted" {
			t.Errorf("post %s is %s: %v", id, read.Post.Status, w.timeline(id).events("mastodon"))
			continue
		}
		native := read.Post.Platforms[0].PostID
		if other, taken := own[native]; taken || native == "" {
			t.Errorf("posts %s and %s are both status %q", id, other, native)
		}
		own[native] = id
	}
	if there := len(w.simulated()); there != posts {
		t.Errorf("%d statuses are there, want %d", there, posts)
	}
}
