package compose_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
)

// What is published at once and evenly while one receiver listens, and for how long.
var (
	publishRate = bySize(40, 200)
	publishFor  = bySize(2*time.Second, time.Minute)
	// slowBacklog are the events that a receiver of slowAnswer gets at once.
	slowBacklog = bySize(300, 4000)
)

const slowAnswer = 50 * time.Millisecond

func TestAReceiverKeepsUpWithWhatIsPublished(t *testing.T) {
	w := newWorld(t, testKafka())
	defer w.kill() // rather than wait for requests that hang
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	phases := bySize(1, 3)
	accounts := w.connect(schema.Mastodon, phases*(publishRate*int(publishFor/time.Second)/postsPerAccount+1)+slowBacklog/postsPerAccount+1)
	arrivals := w.receiveArrivals("post.published")

	alone := w.publishDelay("alone", accounts, arrivals)
	if limit := bySize(2*time.Second, 150*time.Millisecond); alone > limit {
		t.Errorf("p99 from a request to its webhook is %v at %d a second, want at most %v", alone, publishRate, limit)
	}
	if full() {
		again := w.publishDelay("again", accounts, arrivals)
		w.subscribeDeadReceiver()
		beside := w.publishDelay("beside", accounts, arrivals)
		if limit := max(alone, again) * 6 / 5; beside > limit {
			t.Errorf("p99 is %v beside a receiver that does not answer, want at most %v", beside, limit)
		}
	}
	slow := w.receiveSlowly("post.scheduled")
	w.createHerd(accounts[0], slowBacklog)
	w.eventually(2*time.Minute, "the slow receiver has all", func() bool { return slow.received() == slowBacklog })
	if rate, least := slow.rate(), bySize(100.0, 200.0); rate < least {
		t.Errorf("a receiver of %v gets %.0f deliveries a second, want at least %.0f", slowAnswer, rate, least)
	} else {
		t.Logf("a receiver of %v gets %.0f deliveries a second, at most %d at once", slowAnswer, rate, slow.most.Load())
	}
	if n := slow.most.Load(); n > 16 {
		t.Errorf("it has %d requests at once, want at most 16", n)
	}
}

// publishDelay publishes posts at once, evenly, and returns the p99 of how long after the
// request its event is received.
func (w *world) publishDelay(label string, accounts []schema.AccountID, arrivals *arrivals) time.Duration {
	w.Helper()
	const senders = 32
	n := publishRate * int(publishFor/time.Second)
	var mu sync.Mutex
	sent := map[string]time.Time{}
	began := time.Now()
	var next atomic.Int64
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(publishRate))))
				text := fmt.Sprintf("%s %05d", label, i)
				mu.Lock()
				sent[text] = time.Now()
				mu.Unlock()
				w.publishAtOnce(accounts[i%len(accounts)], text)
			}
		})
	}
	sending.Wait()
	var took []time.Duration
	w.eventually(2*time.Minute, "every event is received", func() bool {
		took = arrivals.since(sent)
		return len(took) == n
	})
	slices.Sort(took)
	load, _ := os.ReadFile("/proc/loadavg")
	w.Logf("%s: %d posts at %d/s, from request to webhook p50 %v, p99 %v, at most %v; load %s",
		label, n, publishRate, took[n/2], took[n*99/100], took[n-1], strings.TrimSpace(string(load)))
	return took[n*99/100]
}

func (w *world) publishAtOnce(account schema.AccountID, text string) {
	status, err := w.tryCall(http.MethodPost, "/posts", map[string]any{
		"content": text, "publishNow": true,
		"platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
	}, nil)
	if err != nil || status != http.StatusCreated {
		w.Errorf("creating %q: %d, %v", text, status, err)
	}
}

// slowReceiver is a webhook's receiver that takes its time, and notes when requests came.
type slowReceiver struct {
	now, most atomic.Int32 // requests at once

	mu          sync.Mutex
	seen        map[string]bool
	first, last time.Time
}

func (w *world) receiveSlowly(event string) *slowReceiver {
	w.Helper()
	r := &slowReceiver{seen: map[string]bool{}}
	server := httptest.NewServer(r)
	w.Cleanup(server.Close)
	status := w.call(http.MethodPost, "/webhooks", map[string]any{"url": server.URL, "events": []string{event}}, nil)
	if status != http.StatusCreated && status != http.StatusOK {
		w.Fatalf("creating the webhook: %d", status)
	}
	return r
}

func (r *slowReceiver) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	now := r.now.Add(1)
	defer r.now.Add(-1)
	for most := r.most.Load(); now > most && !r.most.CompareAndSwap(most, now); most = r.most.Load() {
	}
	var payload struct{ ID string }
	err := json.NewDecoder(request.Body).Decode(&payload)
	time.Sleep(slowAnswer)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = time.Now()
	if r.first.IsZero() {
		r.first = r.last
	}
	if err == nil {
		r.seen[payload.ID] = true
	}
}

func (r *slowReceiver) received() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// rate returns how many events came in a second.
func (r *slowReceiver) rate() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return float64(len(r.seen)) / r.last.Sub(r.first).Seconds()
}
