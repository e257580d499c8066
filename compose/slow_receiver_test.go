package compose_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
)

// A receiver that takes its time gets all, several at once but no more than 16. How fast that is, and
// how soon after a request, is what crier bench webhooks measures.
func TestASlowReceiverGetsSeveralEventsAtOnce(t *testing.T) {
	t.Parallel()
	const events = 300
	w := newWorld(t, testKafka())
	account := w.connect(schema.Mastodon, 1)[0]
	slow := w.receiveSlowly("post.scheduled")
	w.createHerd(account, events)
	w.eventually(2*time.Minute, "the slow receiver has all", func() bool { return slow.received() == events })
	if n := slow.most.Load(); n < 5 || n > 16 {
		t.Errorf("it has had at most %d requests at once, want 5 to 16", n)
	}
}

// slowReceiver is a webhook's receiver that takes its time, and counts requests.
type slowReceiver struct {
	now, most atomic.Int32 // requests at once

	mu   sync.Mutex
	seen map[string]bool
}

func (w *world) receiveSlowly(event string) *slowReceiver {
	w.Helper()
	r := &slowReceiver{seen: map[string]bool{}}
	w.receiveBy(r, event)
	return r
}

func (r *slowReceiver) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	now := r.now.Add(1)
	defer r.now.Add(-1)
	for most := r.most.Load(); now > most && !r.most.CompareAndSwap(most, now); most = r.most.Load() {
	}
	var payload struct{ ID string }
	err := json.NewDecoder(request.Body).Decode(&payload)
	time.Sleep(50 * time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.seen[payload.ID] = true
	}
}

func (r *slowReceiver) received() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}
