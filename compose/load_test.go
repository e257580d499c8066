package compose_test

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"crier/schema"
)

// platformsInTests are those with simulators.
var platformsInTests = []schema.Platform{schema.Mastodon, schema.Bluesky, schema.Telegram}

// client of an agency: it sends posts and sends each again, under its key, until it has
// an answer.
type agency struct {
	*world
	accounts [][]schema.AccountID // by platform, as platformsInTests

	mu  sync.Mutex
	ids []string // of acknowledged posts
}

// postsPerAccount stays below the platforms' daily caps of 50.
const postsPerAccount = 48

func (w *world) newAgency(posts int) *agency {
	w.Helper()
	a := &agency{world: w}
	for _, p := range platformsInTests {
		a.accounts = append(a.accounts, w.connect(p, posts/postsPerAccount+1))
	}
	return a
}

// post has one post to every platform acknowledged, due some time after it is sent.
func (a *agency) post(n int, in time.Duration) {
	for try := 0; ; try++ {
		text := fmt.Sprintf("post %05d.%d", n, try)
		body := map[string]any{
			"content": text, "platforms": a.targets(n),
			"scheduledFor": time.Now().Add(in).Format(time.RFC3339Nano),
		}
		id, status := a.acknowledge(text, body)
		switch status {
		case http.StatusCreated:
			a.mu.Lock()
			a.ids = append(a.ids, id)
			a.mu.Unlock()
			return
		case http.StatusBadRequest: // it was away for so long that the time has passed
		default:
			a.Errorf("creating %q: %d", text, status)
			return
		}
	}
}

func (a *agency) targets(n int) []map[string]any {
	var targets []map[string]any
	for i, p := range platformsInTests {
		account := a.accounts[i][n%len(a.accounts[i])]
		targets = append(targets, map[string]any{"platform": p.String(), "accountId": account.String()})
	}
	return targets
}

// acknowledge sends a request until it is answered by more than "not now".
func (w *world) acknowledge(key string, body any) (id string, status int) {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var answer postAnswer
		status, err := w.tryKeyed(key, body, &answer)
		if err != nil || status == http.StatusServiceUnavailable {
			continue
		}
		return answer.Post.ID, status
	}
	return "", 0
}

// batch sends posts first to last, a few at a time, evenly over a while; each is due up
// to ahead later.
func (a *agency) batch(first, last int, over, ahead time.Duration) *sync.WaitGroup {
	const senders = 8
	var sending sync.WaitGroup
	numbers := make(chan int)
	sending.Go(func() {
		defer close(numbers)
		for n := first; n < last; n++ {
			time.Sleep(over / time.Duration(last-first))
			numbers <- n
		}
	})
	for range senders {
		sending.Go(func() {
			for n := range numbers {
				a.post(n, time.Duration(n%10+1)*ahead/10)
			}
		})
	}
	return &sending
}

// awaitDone waits until every acknowledged post has come to its end.
func (a *agency) awaitDone(within time.Duration) {
	a.Helper()
	open := a.ids
	a.eventually(within, "every post is done", func() bool {
		for len(open) > 0 && a.done(open[:1]) {
			open = open[1:]
		}
		return len(open) == 0
	})
}
