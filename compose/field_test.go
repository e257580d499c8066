package compose_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// What servers do in the field, by markers of the sandbox: how a post ends, what it says, and that nothing
// of it is there twice.
func TestFaultsOfTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	picture := w.smallestMedia(schema.Instagram)
	album := []map[string]any{picture[0], picture[0]}
	type fieldPost struct {
		platform schema.Platform
		text     string
		media    []map[string]any
		status   string
		says     string // of its error
		id       string
	}
	posts := []*fieldPost{
		{schema.Telegram, "an album [crier:partial]", album, "failed", "failed to send message #2", ""},
		{schema.Telegram, "another [crier:album-rate-limit]", album, "failed", "Too Many Requests", ""},
		{schema.Threads, "a text [crier:error-after]", nil, "posted", "", ""},
		{schema.Threads, "a text [crier:container-unknown]", nil, "posted", "", ""},
		{schema.Threads, "a text [crier:account-scope-withdrawn]", nil, "failed", "permission", ""},
		{schema.Instagram, "a picture [crier:error-after]", picture, "posted", "", ""},
		{schema.Facebook, "a text [crier:empty-answer]", nil, "posted", "", ""},
	}
	accounts := map[schema.Platform]schema.AccountID{}
	for _, p := range posts {
		if accounts[p.platform].IsZero() {
			accounts[p.platform] = w.connect(p.platform, 1)[0]
		}
		var answer postAnswer
		if status := w.call(http.MethodPost, "/posts", map[string]any{
			"content": p.text, "publishNow": true, "mediaItems": append([]map[string]any{}, p.media...),
			"platforms": []map[string]any{{"platform": p.platform.String(), "accountId": accounts[p.platform].String()}},
		}, &answer); status != http.StatusCreated {
			t.Fatalf("creating %q: %d %+v", p.text, status, answer.Error)
		}
		p.id = answer.Post.ID
	}
	texts := map[string]int{}
	for _, p := range posts {
		w.eventually(3*time.Minute, p.text+" is done", func() bool { return w.done([]string{p.id}) })
		var read struct {
			Post struct {
				Platforms []struct {
					Status string
					Error  struct{ Code, Message string }
				}
			}
		}
		w.call(http.MethodGet, "/posts/"+p.id, nil, &read)
		if got := read.Post.Platforms[0]; got.Status != p.status || !strings.Contains(got.Error.Message, p.says) {
			t.Errorf("%s, %s: %+v, want %s with %q", p.platform, p.text, got, p.status, p.says)
		}
	}
	for _, there := range w.simulated() {
		if texts[there.Text]++; texts[there.Text] > 1 {
			t.Errorf("%q is there twice", there.Text)
		}
	}
	for platform, account := range accounts {
		var health struct{ Health struct{ Status string } }
		if w.call(http.MethodGet, "/accounts/"+account.String()+"/health", nil, &health); health.Health.Status != "healthy" {
			t.Errorf("%s is %s", platform, health.Health.Status)
		}
	}
}
