package compose_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"crier/compose"
	"crier/schema"
	"crier/schema/postgres"
)

// A backup that is older than what the platforms have: all but one of its posts went out
// after it was made.
func TestARestoreRepeatsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	account := w.connect(schema.Mastodon, 1)[0]
	due := time.Now().Add(8 * time.Second)
	for range 5 {
		w.createFor(account, "mastodon", "out after the backup", due)
	}
	w.createFor(account, "mastodon", "never out", due.Add(12*time.Second))
	w.createFor(account, "mastodon", "not due for long", due.Add(time.Hour))

	file := filepath.Join(t.TempDir(), "crier.backup")
	dump, err := compose.Backup(t.Context(), w.operator(), file)
	if err != nil {
		t.Fatal(err)
	}
	if time.Now().After(due) || len(dump.Tables) == 0 {
		t.Fatalf("a backup of %d tables was made when the posts were due", len(dump.Tables))
	}
	w.eventually(time.Minute, "the posts are out", func() bool { return len(w.simulated()) == 5 })
	w.kill()
	if time.Now().After(due.Add(12 * time.Second)) {
		t.Fatal("crier was killed too late: the last post may be out")
	}

	w.config.Data = filepath.Join(openDir(t), "restored")
	if _, err := compose.Restore(t.Context(), w.operator(), file); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(due.Add(13 * time.Second)))
	w.config.HoldOverdue = true
	w.start()
	held := w.underReview()
	if len(held) != 6 {
		t.Fatalf("%d posts are under review, want the 6 that are overdue", len(held))
	}
	w.publishNow(account, "with the restored keyset")
	w.eventually(time.Minute, "a new post is out", func() bool { return len(w.simulated()) == 6 })

	w.decide(held)
	w.eventually(time.Minute, "the released post is out", func() bool { return len(w.simulated()) == 7 })
	time.Sleep(2 * time.Second) // for what should not come
	texts := map[string]int{}
	for _, post := range w.simulated() {
		texts[post.Text]++
	}
	if texts["out after the backup"] != 5 || texts["never out"] != 1 || texts["not due for long"] != 0 {
		t.Errorf("on the platform: %v", texts)
	}
}

// underReview returns the posts that wait for a person, by what they say.
func (w *world) underReview() map[schema.PostID]string {
	w.Helper()
	holds, err := compose.Held(w.Context(), w.operator())
	if err != nil {
		w.Fatal(err)
	}
	held := map[schema.PostID]string{}
	for _, h := range holds {
		if h.Kind != schema.UnderReview {
			continue
		}
		var answer postAnswer
		w.call(http.MethodGet, "/posts/"+h.Hold.Post.String(), nil, &answer)
		held[h.Hold.Post] = answer.Post.Content
	}
	return held
}

// decide releases the post that never went out and cancels the others.
func (w *world) decide(held map[schema.PostID]string) {
	w.Helper()
	for id, text := range held {
		of := compose.HeldSelection{HeldSelection: schema.HeldSelection{Posts: []schema.PostID{id}}}
		var n int
		var err error
		if text == "never out" {
			var d postgres.Decided
			d, err = compose.Release(w.Context(), w.operator(), of, schema.Release{Named: true})
			n = d.Posts
		} else {
			n, err = compose.CancelHeld(w.Context(), w.operator(), of)
		}
		if err != nil || n != 1 {
			w.Fatalf("deciding on %q: %d, %v", text, n, err)
		}
	}
}
