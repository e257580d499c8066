package compose_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

// A receiver that takes its time gets all, several at once but no more than 16. How fast that is, and
// how soon after a request, is what crier bench webhooks measures.
func TestASlowReceiverGetsSeveralEventsAtOnce(t *testing.T) {
	t.Parallel()
	const events = 300
	w := newWorld(t, testKafka(t))
	account := w.connect(schema.Mastodon, 1)[0]
	slow := w.receiveSlowly("post.scheduled")
	w.createHerd(account, events)
	w.eventually(2*time.Minute, "the slow receiver has all", func() bool { return slow.received() == events })
	if n := slow.max.Load(); n < 5 || n > 16 {
		t.Errorf("it has had at most %d requests at once, want 5 to 16", n)
	}
	w.deleteBesideBacklog(slow)
}

// deletedDeliveries are those that wait for a webhook when it is deleted, and deletedWithin is how long
// that may take.
var (
	deletedDeliveries = bySize(50_000, 200_000)
	deletedWithin     = bySize(time.Second, 100*time.Millisecond)
)

// deleteBesideBacklog deletes a webhook while its deliveries are claimed, sent and stored.
func (w *world) deleteBesideBacklog(slow *slowReceiver) {
	w.Helper()
	var listed struct{ Webhooks []struct{ ID string } }
	w.call(http.MethodGet, "/webhooks", nil, &listed)
	if len(listed.Webhooks) != 1 {
		w.Fatalf("%d webhooks", len(listed.Webhooks))
	}
	path := "/webhooks/" + listed.Webhooks[0].ID
	before := slow.received()
	w.addDeliveries(deletedDeliveries)
	w.eventually(time.Minute, "the backlog is worked on", func() bool { return slow.received() > before+100 })
	ran := sleeptest.Stopwatch(w)
	status := w.call(http.MethodDelete, path, nil, nil)
	took := ran()
	w.Logf("a webhook is deleted %v after the request, beside %d deliveries", took, deletedDeliveries)
	if status != http.StatusOK || took > deletedWithin {
		w.Errorf("deleting it: %d after %v, want %v at most", status, took, deletedWithin)
	}
	if status := w.call(http.MethodGet, path, nil, nil); status != http.StatusNotFound {
		w.Errorf("reading it then: %d", status)
	}
}

// addDeliveries makes deliveries to the one webhook that there is, all of them due.
func (w *world) addDeliveries(n int) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.running().Postgres)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(w.Context()))
	m := schema.NotifyMessage{}
	if err := conn.QueryRow(w.Context(), `select id, workspace_id from webhooks`).Scan((*[16]byte)(&m.Webhook), (*[16]byte)(&m.Workspace)); err != nil {
		w.Fatal(err)
	}
	ids, payloads := make([][16]byte, n), make([]string, n)
	for i := range ids {
		m.Delivery = schema.NewID[schema.DeliveryID](time.Now())
		ids[i], payloads[i] = m.Delivery, string(worker.Encode(m))
	}
	_, err = conn.Exec(w.Context(), `
		with made as (
			insert into deliveries (id, webhook_id, workspace_id, event_id, event, body)
			select id, $3, $4, id, 'post.scheduled', convert_to('{"id":"' || id || '"}', 'UTF8') from unnest($1::uuid[]) u (id)
		)
		insert into jobs (id, kind, shard, due_at, payload) select id, $5, $6, now(), payload::json from unnest($1::uuid[], $2::text[]) u (id, payload)`,
		ids, payloads, [16]byte(m.Webhook), [16]byte(m.Workspace), int16(schema.JobNotify), schema.ShardOf(m.Webhook))
	if err != nil {
		w.Fatal(err)
	}
}

// slowReceiver is a webhook's receiver that takes its time, and counts requests.
type slowReceiver struct {
	now, max atomic.Int32 // requests at once

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
	for maximum := r.max.Load(); now > maximum && !r.max.CompareAndSwap(maximum, now); maximum = r.max.Load() {
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
