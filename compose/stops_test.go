package compose_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"crier/schema"
)

// gracefulStops is how often crier is told to stop, and soonAgain how soon after the
// restart is ready everything that the stop interrupted is out.
var (
	gracefulStops = bySize(4, 40)
	soonAgain     = bySize(10*time.Second, 2*time.Second)
)

const (
	stopWithin   = 100 * time.Millisecond // of the bulk's answer
	stoppedPosts = 40                     // each time: below the daily caps over all stops
)

// TestStopsFinishWhatTheyClaimedOrGiveItBack stops crier in the middle of bulks of posts
// to every platform, one post an account. A stop is no death: no outcome is unknown that
// the platform never saw, and nothing waits for a lease.
func TestStopsFinishWhatTheyClaimedOrGiveItBack(t *testing.T) {
	w := newWorld(t, testKafka(t))
	accounts := map[schema.Platform][]schema.AccountID{}
	for _, p := range platformsInTests {
		accounts[p] = w.connect(p, stoppedPosts)
	}
	moments := rand.New(rand.NewPCG(seedOfTest(t), 0))
	var ids []string
	ready := map[string]time.Time{} // of the crier that had to finish a post, by its text
	for stop := range gracefulStops {
		sent := w.sendBulks(stop, accounts)
		time.Sleep(time.Duration(moments.Int64N(int64(stopWithin))))
		w.stop()
		w.start()
		back := time.Now()
		for text, id := range sent.wait() {
			ids, ready[text] = append(ids, id), back
		}
	}
	(&agency{world: w, ids: ids}).awaitDone(3 * time.Minute)
	if unknown := w.checkOnce(ids); unknown > 0 {
		t.Errorf("%d telegram targets ended as outcome_unknown", unknown)
	}
	w.checkNoStrays()
	worst := time.Duration(0)
	for _, s := range w.simulated() {
		worst = max(worst, s.CreatedAt.Sub(ready[s.Text]))
	}
	t.Logf("%d posts to three platforms, %d stops: the last one went out %v after the restart was ready", len(ids), gracefulStops, worst.Round(time.Millisecond))
	if worst > soonAgain {
		t.Errorf("a post went out %v after the restart was ready, want %v", worst, soonAgain)
	}
}

// stop tells crier to stop and waits until it has.
func (w *world) stop() {
	w.Helper()
	if err := w.crier.Process.Signal(syscall.SIGTERM); err != nil {
		w.Fatal(err)
	}
	if err := w.crier.Wait(); err != nil {
		w.Fatalf("crier stopped: %v", err)
	}
}

// bulks are requests on their way; each is repeated until it is answered.
type bulks struct {
	sending sync.WaitGroup
	mu      sync.Mutex
	ids     map[string]string // of acknowledged posts, by text
}

// sendBulks begins to send a post for each account, and returns once the first bulk is
// answered.
func (w *world) sendBulks(round int, accounts map[schema.Platform][]schema.AccountID) *bulks {
	w.Helper()
	const each = 20
	b := &bulks{ids: map[string]string{}}
	first := make(chan struct{})
	answered := sync.OnceFunc(func() { close(first) })
	for from := 0; from < stoppedPosts; from += each {
		var posts []map[string]any
		var texts []string
		for n := from; n < from+each; n++ {
			text := fmt.Sprintf("stop %02d post %02d", round, n)
			var targets []map[string]any
			for _, p := range platformsInTests {
				targets = append(targets, map[string]any{"platform": p.String(), "accountId": accounts[p][n].String()})
			}
			texts, posts = append(texts, text), append(posts, map[string]any{"content": text, "publishNow": true, "platforms": targets})
		}
		b.sending.Go(func() {
			defer answered()
			b.add(texts, w.sendBulk(fmt.Sprintf("bulk %d %d", round, from), posts))
		})
	}
	<-first
	return b
}

func (b *bulks) add(texts, ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, id := range ids {
		b.ids[texts[i]] = id
	}
}

func (b *bulks) wait() map[string]string {
	b.sending.Wait()
	return b.ids
}

// sendBulk sends posts until they are acknowledged and returns their ids.
func (w *world) sendBulk(key string, posts []map[string]any) []string {
	w.Helper()
	var answer struct {
		Results []struct{ Post struct{ ID string } }
	}
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		status, err := w.tryRequest(http.MethodPost, "/posts/bulk", key, map[string]any{"posts": posts}, &answer)
		if err == nil && status == http.StatusCreated {
			break
		}
	}
	ids := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		ids[i] = r.Post.ID
	}
	if len(ids) != len(posts) {
		w.Errorf("%s: %d of %d posts were acknowledged", key, len(ids), len(posts))
	}
	return ids
}
