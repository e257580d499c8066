package compose_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// Receivers that take connections and never answer, and posts whose events wait for them:
// as many deliveries as overfill each partition of the log.
var (
	deadReceivers = bySize(20, 50)
	deadBacklog   = bySize(100, 500)
)

func TestDeadReceiversDelayNoOther(t *testing.T) {
	w := newWorld(t, testKafka(t))
	defer w.kill() // rather than wait for requests that hang
	account := w.connect(schema.Mastodon, 1)[0]
	arrivals := w.receiveArrivals("post.scheduled")

	alone := w.notifyDelay("alone", account, 30, arrivals)
	for range deadReceivers {
		w.subscribeDeadReceiver()
	}
	w.createHerd(account, deadBacklog)
	w.eventually(2*time.Minute, "the backlog is delivered", func() bool { return arrivals.count("herd ") == deadBacklog })
	crowded := w.notifyDelay("crowded", account, 60, arrivals)
	// Each event is now a delivery to every dead receiver too: work for the same cores.
	if limit := 2*alone + bySize(time.Second, 100*time.Millisecond); crowded > limit {
		t.Errorf("p99 until an event is delivered is %v beside %d receivers that do not answer, want at most %v",
			crowded, deadReceivers, limit)
	}
}

// notifyDelay creates posts evenly, due from a day ahead on, and returns the p99 of how
// long after the request the event of one is received.
func (w *world) notifyDelay(label string, account schema.AccountID, day int, arrivals *arrivals) time.Duration {
	w.Helper()
	const perSecond, perDay = 5, 50
	n := bySize(50, 300)
	sent := map[string]time.Time{}
	began := time.Now()
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / perSecond)))
		text := fmt.Sprintf("%s %04d", label, i)
		sent[text] = time.Now()
		w.createFor(account, "mastodon", text, time.Now().Add(time.Duration(day+i/perDay)*24*time.Hour))
	}
	var took []time.Duration
	w.eventually(2*time.Minute, "every event is received", func() bool {
		took = arrivals.since(sent)
		return len(took) == n
	})
	slices.Sort(took)
	w.Logf("%s: an event is delivered after p50 %v, p99 %v, at most %v", label, took[n/2], took[n*99/100], took[n-1])
	return took[n*99/100]
}

// arrivals is a webhook's receiver that notes when the first event of a post came, by the
// post's text.
type arrivals struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (w *world) receiveArrivals(event string) *arrivals {
	w.Helper()
	a := &arrivals{at: map[string]time.Time{}}
	w.receiveBy(a, event)
	return a
}

func (a *arrivals) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	now := time.Now()
	var payload struct {
		Data struct{ Post struct{ Content string } }
	}
	if json.NewDecoder(request.Body).Decode(&payload) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if text := payload.Data.Post.Content; a.at[text].IsZero() {
		a.at[text] = now
	}
}

// count returns how many texts with a prefix have come.
func (a *arrivals) count(prefix string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for text := range a.at {
		if strings.HasPrefix(text, prefix) {
			n++
		}
	}
	return n
}

// since returns how long after its time each text came, of those that have.
func (a *arrivals) since(sent map[string]time.Time) []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	var took []time.Duration
	for text, at := range sent {
		if came, ok := a.at[text]; ok {
			took = append(took, came.Sub(at))
		}
	}
	return took
}
