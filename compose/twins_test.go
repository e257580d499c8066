package compose_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// identicalPosts are posts of one text to one account, and how many of them a kill cuts
// off from their answers.
var (
	identicalPosts = bySize(4, 10)
	identicalKills = bySize(2, 5)
)

// TestTwinsOfOneProfileKeepTheirOwn publishes one text again and again from two workspaces
// to the same profile, on a server that ignores Idempotency-Key, and kills crier while one
// of them waits for the answer to a call that arrived. Each post is there once, and no two
// are the same status.
func TestTwinsOfOneProfileKeepTheirOwn(t *testing.T) {
	t.Parallel()
	first := newWorld(t, nil)
	first.stop()
	first.config.Bases[schema.Mastodon], _ = relay(t, first.config.Bases[schema.Mastodon], true)
	first.start()
	worlds := []*world{first, first.in("twin")}
	var accounts []schema.AccountID
	for _, w := range worlds {
		accounts = append(accounts, w.connect(schema.Mastodon, 1)[0])
	}
	ids := make([][]string, len(worlds))
	for n := range identicalPosts {
		for turn := range worlds {
			i := (n + turn) % len(worlds)
			there := len(first.simulated())
			if turn == 0 && n < identicalKills {
				first.inject(map[string]any{"platform": "mastodon", "operation": visibleCalls[schema.Mastodon], "delay": 20_000})
			}
			ids[i] = append(ids[i], worlds[i].publishOnce(schema.Mastodon, accounts[i], "the same text every time", fmt.Sprint(n)))
			first.eventually(time.Minute, "the post arrived", func() bool { return len(first.simulated()) > there })
		}
		if n < identicalKills {
			first.kill()
			first.start()
		}
	}
	native := map[string]bool{}
	for i, w := range worlds {
		(&agency{world: w, ids: ids[i]}).awaitDone(3 * time.Minute)
		for _, id := range ids[i] {
			native[w.posted(id)] = true
		}
	}
	if n := len(first.simulated()); n != 2*identicalPosts || len(native) != n {
		t.Errorf("%d statuses are there, of which the posts name %d, want %d", n, len(native), 2*identicalPosts)
	}
}

// posted returns the native id of a post's only target, which must be posted.
func (w *world) posted(id string) string {
	w.Helper()
	var answer struct {
		Post struct {
			Platforms []struct {
				Status, PostID string
				Error          struct{ Code string }
			}
		}
	}
	w.call(http.MethodGet, "/posts/"+id, nil, &answer)
	p := answer.Post.Platforms[0]
	if p.Status != "posted" {
		w.Errorf("%s: %s (%s)", id, p.Status, p.Error.Code)
	}
	return p.PostID
}
