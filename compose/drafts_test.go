package compose_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// A draft that several processes ask to publish at once is published once, live and in the sandbox.
func TestADraftIsPublishedOnceHoweverOftenThatIsAskedFor(t *testing.T) {
	t.Parallel()
	live := newWorldWith(t, childConfig{OwnSandbox: true})
	test := *live
	test.key = live.createKey(true)
	for name, w := range map[string]*world{"live": live, "test": &test} {
		text := "of the drafts of " + name
		var draft postAnswer
		body := map[string]any{"content": text, "status": "draft", "platforms": []any{map[string]any{"platform": "mastodon", "accountId": w.connect(schema.Mastodon, 1)[0]}}}
		if status := w.call(http.MethodPost, "/posts", body, &draft); status != http.StatusCreated {
			t.Fatalf("%s: creating the draft: %d %+v", name, status, draft.Error)
		}
		var asking sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			asking.Go(func() {
				statuses[i], _ = w.tryCall(http.MethodPatch, "/posts/"+draft.Post.ID, map[string]any{"publishNow": true}, nil)
			})
		}
		asking.Wait()
		for _, status := range statuses {
			if status != http.StatusOK && status != http.StatusBadRequest { // it was being published already
				t.Errorf("%s: answered %v", name, statuses)
				break
			}
		}
		w.eventually(time.Minute, "the draft is published", func() bool { return w.done([]string{draft.Post.ID}) })
		w.posted(draft.Post.ID)
		there := 0
		for _, s := range w.simulated() {
			if s.Text == text {
				there++
			}
		}
		var again postAnswer
		status := w.call(http.MethodPatch, "/posts/"+draft.Post.ID, map[string]any{"publishNow": true}, &again)
		if got := fmt.Sprintf("%d %d %s", there, status, again.Error.Code); got != "1 400 invalid_state" {
			t.Errorf("%s: statuses that are there, and the answer to one more request: %s", name, got)
		}
	}
}
