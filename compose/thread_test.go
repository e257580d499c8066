package compose_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier/schema"
)

// threadAnswer is what these tests read of a thread.
type threadAnswer struct {
	Thread struct {
		ID     string
		PostID string
		Status string
		Posts  []struct {
			Status          string
			PlatformPostIDs map[string]struct{ PostID, URL string }
		}
	}
}

// visibleCall is the operation of a platform's simulator that makes an entry visible.
var visibleCall = map[schema.Platform]string{
	schema.Mastodon: "POST /api/v1/statuses", schema.Bluesky: "com.atproto.repo.putRecord",
}

// createThread publishes a thread of five whose third entry every platform refuses.
// Faults are suffered in their order: those of the entries before only delay an answer.
func (w *world) createThread(name string, config map[string]any) threadAnswer {
	w.Helper()
	var entries, platforms []any
	for i := range 5 {
		entries = append(entries, map[string]any{"content": fmt.Sprintf("%s %d", name, i+1)})
	}
	for p, operation := range visibleCall {
		platforms = append(platforms, p.String())
		w.inject(map[string]any{"platform": p.String(), "operation": operation, "delay": 1, "times": 2})
		w.inject(map[string]any{"platform": p.String(), "operation": operation, "status": http.StatusUnprocessableEntity})
	}
	var answer threadAnswer
	body := map[string]any{"posts": entries, "platforms": platforms, "publishNow": true, "config": config}
	if status := w.call(http.MethodPost, "/threads", body, &answer); status != http.StatusCreated {
		w.Fatalf("creating the thread: %d", status)
	}
	return answer
}

// endOfThread waits until nothing moves a thread any more.
func (w *world) endOfThread(id string) threadAnswer {
	w.Helper()
	var answer threadAnswer
	w.eventually(120*time.Second, "the thread is done", func() bool {
		answer = threadAnswer{}
		w.call(http.MethodGet, "/threads/"+id, nil, &answer)
		return slices.Contains([]string{"posted", "partially_failed", "failed"}, answer.Thread.Status)
	})
	return answer
}

// checkChain fails the test unless a platform has just the wanted texts, each an answer
// to the one before it.
func (w *world) checkChain(p schema.Platform, want ...string) {
	w.Helper()
	var texts []string
	previous := ""
	for _, post := range w.simulated() {
		if post.Platform != p.String() {
			continue
		}
		texts = append(texts, post.Text)
		if post.ReplyTo != previous {
			w.Errorf("%s: %q answers %q, want %q", p, post.Text, post.ReplyTo, previous)
		}
		previous = post.ID
	}
	if !slices.Equal(texts, want) {
		w.Errorf("%s has %q, want %q", p, texts, want)
	}
}

func TestAThreadThatFailsGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for p := range visibleCall {
		w.connect(p, 1)
	}
	thread := w.createThread("chain", map[string]any{"maxRetries": 0}).Thread
	w.checkEntries(thread.ID, "posted", "posted", "failed", "skipped", "skipped")
	for p, operation := range visibleCall {
		w.checkChain(p, "chain 1", "chain 2")
		w.inject(map[string]any{"platform": p.String(), "operation": operation, "status": http.StatusServiceUnavailable})
	}
	w.retry(thread.PostID, http.StatusOK)
	w.checkEntries(thread.ID, "posted", "posted", "failed", "skipped", "skipped")
	for p := range visibleCall {
		w.checkChain(p, "chain 1", "chain 2")
	}
	w.retry(thread.PostID, http.StatusOK)
	w.checkEntries(thread.ID, "posted", "posted", "posted", "posted", "posted")
	for p := range visibleCall {
		w.checkChain(p, "chain 1", "chain 2", "chain 3", "chain 4", "chain 5")
	}
	w.retry(thread.PostID, http.StatusBadRequest)
}

func TestAThreadThatGoesOnLeavesAHole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for p := range visibleCall {
		w.connect(p, 1)
	}
	thread := w.createThread("hole", map[string]any{"maxRetries": 0, "continueOnError": true}).Thread
	w.checkEntries(thread.ID, "posted", "posted", "failed", "posted", "posted")
	w.retry(thread.PostID, http.StatusBadRequest) // something followed the hole: it stays
	for p := range visibleCall {
		w.checkChain(p, "hole 1", "hole 2", "hole 4", "hole 5")
	}
}

// checkEntries waits for the end of a thread and fails the test unless its entries have
// the statuses, and those posted an id of their own on every platform.
func (w *world) checkEntries(id string, statuses ...string) {
	w.Helper()
	thread := w.endOfThread(id).Thread
	native := map[string]bool{}
	for i, entry := range thread.Posts {
		if entry.Status != statuses[i] {
			w.Fatalf("entry %d is %s, want %s: %+v", i+1, entry.Status, statuses[i], thread)
		}
		for p := range visibleCall {
			id := entry.PlatformPostIDs[p.String()].PostID
			if (id != "") != (entry.Status == "posted") || native[id] {
				w.Errorf("entry %d is %q on %s", i+1, id, p)
			}
			native[id] = id != ""
		}
	}
}

// retry sets a post going again.
func (w *world) retry(post string, want int) {
	w.Helper()
	if status := w.call(http.MethodPost, "/posts/"+post+"/retry", nil, nil); status != want {
		w.Fatalf("retrying the post: %d, want %d", status, want)
	}
}
