package pipeline

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// notifying is the step of the notify stage on a database of its own, with a receiver.
type notifying struct {
	*testing.T
	stage    notify
	store    *postgres.Store
	database *pgx.Conn
	gateway  *postgres.Gateway
	account  schema.AccountID
	webhook  schema.Webhook
	answers  atomic.Int32 // status that the receiver answers with
	requests atomic.Int32

	mu     sync.Mutex
	events []schema.EventBatch
}

func newNotifying(t *testing.T) *notifying {
	t.Helper()
	n := &notifying{T: t}
	address := embeddedtest.PostgresWith(t, postgres.Migrate)
	store, err := postgres.Open(t.Context(), postgres.Config{
		URL: address, MaxConns: 8, Announce: n.announce, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if n.database, err = pgx.Connect(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.database.Close(context.Background()) }) // the database is dropped anyway
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.requests.Add(1)
		w.WriteHeader(int(n.answers.Load()))
	}))
	t.Cleanup(receiver.Close)
	n.store, n.gateway = store, postgres.NewGateway(store, securetest.PlainText{}, catalog.Constraints)
	n.stage = notify{
		notifyStore: postgres.NewNotify(store, securetest.PlainText{}), sender: NewSender(receiver.Client(), store.Now),
		metrics: NewMetrics(prometheus.NewRegistry()), receivers: newReceivers(),
	}
	admin := postgres.NewAdmin(store)
	workspace, err := admin.MakeWorkspace(t.Context(), "acme", "operator", false)
	if err != nil {
		t.Fatal(err)
	}
	account := schema.Account{Workspace: workspace.ID, Platform: schema.Mastodon, NativeID: "1", Name: "a", Sealed: []byte("x")}
	if account.ID, err = admin.AccountID(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	if err := admin.PutAccount(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	n.account = account.ID
	n.webhook = schema.Webhook{
		ID: schema.NewID[schema.WebhookID](store.Now()), Workspace: workspace.ID, URL: receiver.URL, Secret: "whsec_c2VjcmV0", Active: true,
		Events: []schema.EventType{schema.PostScheduled}, CreatedAt: store.Now(),
	}
	if err := n.gateway.CreateWebhook(t.Context(), n.webhook); err != nil {
		t.Fatal(err)
	}
	return n
}

// announce keeps the events that a commit tells of.
func (n *notifying) announce(announcement schema.Announcement) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, encoded := range announcement.Events {
		var batch schema.EventBatch
		if err := json.Unmarshal(encoded.Payload, &batch); err != nil {
			n.Error(err)
		}
		n.events = append(n.events, batch)
	}
}

// post makes a post for the account that is due in a while.
func (n *notifying) post(first schema.Step, in time.Duration) schema.Post {
	n.Helper()
	now := time.Now()
	post := schema.Post{
		ID: schema.NewID[schema.PostID](now), Workspace: n.webhook.Workspace, Version: 1, Status: schema.Scheduled, ScheduledFor: now.Add(in),
		Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now, Content: schema.Content{Entries: []schema.Entry{{Text: "hello"}}},
		Targets: []schema.Target{{Account: n.account, Platform: schema.Mastodon, FirstStep: first}},
	}
	if _, err := n.gateway.Create(n.Context(), schema.Creation{Posts: []schema.Post{post}}); err != nil {
		n.Fatal(err)
	}
	return post
}

// delivery makes an event and the delivery it asks for.
func (n *notifying) delivery() schema.DeliveryID {
	n.Helper()
	n.post(schema.StepPublish, time.Hour)
	n.mu.Lock()
	defer n.mu.Unlock()
	messages, err := n.stage.notifyStore.(*postgres.Notify).Expand(n.Context(), n.events)
	if err != nil || len(messages) != 1 {
		n.Fatalf("%d deliveries, %v", len(messages), err)
	}
	return messages[0].Delivery
}

// try makes one try of a delivery, whatever its time, and returns when the next is due
// after it; ok is false where none is.
func (n *notifying) try(id schema.DeliveryID) (wait time.Duration, ok bool) {
	n.Helper()
	if _, err := n.database.Exec(n.Context(), `update deliveries set next_at = null where id = $1`, id); err != nil {
		n.Fatal(err)
	}
	claimed, err := n.stage.Claim(n.Context(), []schema.DeliveryID{id})
	if err != nil || len(claimed) != 1 {
		n.Fatalf("claimed %d, %v", len(claimed), err)
	}
	out, err := n.stage.Do(n.Context(), claimed[0], nil)
	if err != nil || out.Again || out.GivenBack {
		n.Fatalf("step = %+v, %v", out, err)
	}
	if err := out.Store(n.Context()); err != nil {
		n.Fatal(err)
	}
	var seconds *float64
	err = n.database.QueryRow(n.Context(), `
		select extract(epoch from d.next_at - d.delivered_at)::float8 from deliveries d join jobs j on j.id = d.id
		where d.id = $1 and d.state = 0 and abs(extract(epoch from j.due_at - d.next_at)) < 0.001`, id).Scan(&seconds)
	if err != nil || seconds == nil {
		return 0, false
	}
	return time.Duration(*seconds * float64(time.Second)), true
}

func TestAFailedDeliveryIsTriedAgainAfter2And4And8Seconds(t *testing.T) {
	n := newNotifying(t)
	n.answers.Store(http.StatusBadGateway)
	id := n.delivery()
	for i, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if wait, ok := n.try(id); !ok || wait != want {
			t.Errorf("after try %d: the next in %v (%t), want %v", i+1, wait, ok, want)
		}
	}
	if wait, ok := n.try(id); ok {
		t.Errorf("after the last try: another in %v", wait)
	}
	n.wantHistory(schema.DeliveryFailed, 4)
	n.wantTries(schema.TryRetried, schema.TryRetried, schema.TryRetried, schema.TryFailed)
	claimed, err := n.stage.Claim(t.Context(), []schema.DeliveryID{id})
	if err != nil || len(claimed) != 0 || n.requests.Load() != 4 {
		t.Errorf("a failed delivery is claimed: %v, %v; %d requests", claimed, err, n.requests.Load())
	}
}

func TestADeliveryThatSucceedsIsNotTriedAgain(t *testing.T) {
	n := newNotifying(t)
	n.answers.Store(http.StatusInternalServerError)
	id := n.delivery()
	n.try(id)
	n.answers.Store(http.StatusNoContent)
	if wait, ok := n.try(id); ok {
		t.Errorf("another try in %v", wait)
	}
	n.wantHistory(schema.DeliveryDelivered, 2)
}

func TestADeliveryThatAStopKeepsFromItsReceiverIsGivenBack(t *testing.T) {
	n := newNotifying(t)
	n.answers.Store(http.StatusNoContent)
	id := n.delivery()
	claimed, err := n.stage.Claim(t.Context(), []schema.DeliveryID{id})
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	out, err := n.stage.Do(stopped, claimed[0], nil)
	if err != nil || !out.GivenBack {
		t.Fatalf("step = %+v, %v, want the claim given back", out, err)
	}
	if err := out.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	var attempts int
	var due bool
	err = n.database.QueryRow(t.Context(), `
		select d.attempts, j.due_at <= now() and d.next_at <= now() from deliveries d join jobs j on j.id = d.id where d.state = 0`).Scan(&attempts, &due)
	if err != nil || attempts != 0 || !due || n.requests.Load() != 0 {
		t.Errorf("after %d tries due %t, %v; want it due, without a try", attempts, due, err)
	}
	if _, ok := n.try(id); ok || n.requests.Load() != 1 {
		t.Errorf("%d requests after the next try", n.requests.Load())
	}
}

// wantTries checks what analytics is told of the deliveries.
func (n *notifying) wantTries(outcomes ...string) {
	n.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	var got []string
	claims := map[int32]bool{}
	for _, b := range n.events {
		for _, e := range b.Events {
			if e.Type != schema.FactDelivery {
				continue
			}
			var try schema.DeliveryFact
			if err := json.Unmarshal(e.Data, &try); err != nil || e.Workspace != n.webhook.Workspace || try.Webhook != n.webhook.ID || try.Attempt != len(got)+1 {
				n.Errorf("fact = %+v, %v", e, err)
			}
			got, claims[try.Claim] = append(got, try.Outcome), true
		}
	}
	if !slices.Equal(got, outcomes) || len(claims) != len(outcomes) {
		n.Errorf("tries = %v under %d claims, want %v", got, len(claims), outcomes)
	}
}

func (n *notifying) exec(sql string) {
	n.Helper()
	if _, err := n.database.Exec(n.Context(), sql); err != nil {
		n.Fatal(err)
	}
}

// wantHistory checks what the API shows of the one delivery, and that its job is gone.
func (n *notifying) wantHistory(state schema.DeliveryState, tries int) {
	n.Helper()
	var got schema.DeliveryState
	var attempts, jobs int
	err := n.database.QueryRow(n.Context(), `
		select d.state, d.attempts, (select count(*) from jobs j where j.id = d.id) from deliveries d`).Scan((*int16)(&got), &attempts, &jobs)
	if err != nil || got != state || attempts != tries || jobs != 0 {
		n.Errorf("state %d after %d tries, %d jobs, %v; want %d after %d, none", got, attempts, jobs, err, state, tries)
	}
}
