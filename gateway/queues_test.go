package gateway_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/postgres"
)

// queued is a gateway with an account.
func queued(t testing.TB) *api {
	t.Helper()
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	return a
}

// everyHour is a queue's slots: each hour of every day.
func everyHour() string {
	var slots []string
	for _, day := range strings.Fields("monday tuesday wednesday thursday friday saturday sunday") {
		for hour := range 24 {
			slots = append(slots, fmt.Sprintf(`{"day": %q, "time": "%02d:00"}`, day, hour))
		}
	}
	return strings.Join(slots, ",")
}

func (a *api) queue(name, slots, more string) string {
	a.Helper()
	return a.call(http.MethodPost, "/queues", fmt.Sprintf(`{"name": %q, "slots": [%s]%s}`, name, slots, more)).
		want(http.StatusCreated).at("queue", "id").text()
}

func (a *api) slots(queue string) []any {
	a.Helper()
	slots, _ := a.call(http.MethodGet, "/queues/"+queue+"/slots", nil).want(http.StatusOK).at("slots").value.([]any)
	return slots
}

const toQueue = `{"content": "x", "platforms": ["mastodon"], "queue": true}`

func TestQueuesAreMadeReadChangedAndDeleted(t *testing.T) {
	a := queued(t)
	slot := `{"day": "monday", "time": "09:00"}`
	first := a.queue("Mornings", slot, `, "timezone": "Europe/Berlin"`)
	second := a.queue("Noons", `{"day": "friday", "time": "12:00"}`, "")
	read := func(id string) tree {
		return a.call(http.MethodGet, "/queues/"+id, nil).want(http.StatusOK).at("queue")
	}
	if q := read(first); q.at("isDefault").value != true || q.at("timezone").text() != "Europe/Berlin" || q.at("slots", 0, "day").text() != "monday" {
		t.Errorf("queue = %v, want the first as the default", q)
	}
	a.call(http.MethodPatch, "/queues/"+second, `{"isDefault": true, "name": "Fridays"}`).want(http.StatusOK)
	if read(first).at("isDefault").value != false || read(second).at("isDefault").value != true || read(second).at("name").text() != "Fridays" {
		t.Errorf("queues = %v, %v: one is the default", read(first), read(second))
	}
	if n := a.call(http.MethodGet, "/queues", nil).want(http.StatusOK).at("queues").size(); n != 2 {
		t.Errorf("%d queues, want 2", n)
	}
	_, stranger := a.tenant("other", "operator", schema.Admin)
	for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
		a.callWith(stranger, method, "/queues/"+first, `{}`).fails(http.StatusNotFound, "not_found")
		a.call(method, "/queues/x", `{}`).fails(http.StatusNotFound, "not_found")
	}
	a.callWith(stranger, http.MethodGet, "/queues/"+first+"/slots", nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodDelete, "/queues/"+first, nil).want(http.StatusOK)
	a.call(http.MethodGet, "/queues/"+first, nil).fails(http.StatusNotFound, "not_found")

	for body, field := range map[string]string{
		`{"slots": [` + slot + `]}`:  "name",
		`{"name": "x"}`:              "slots",
		`{"name": "x", "slots": []}`: "slots",
		`{"name": "x", "slots": [{"day": "someday", "time": "09:00"}]}`:      "slots[0].day",
		`{"name": "x", "slots": [{"day": "monday", "time": "9:00"}]}`:        "slots[0].time",
		`{"name": "x", "slots": [{"day": "monday", "time": "24:00"}]}`:       "slots[0].time",
		`{"name": "x", "slots": [` + slot + `,` + slot + `]}`:                "slots[1]",
		`{"name": "x", "slots": [` + slot + `], "timezone": "Mars/Base"}`:    "timezone",
		`{"name": "x", "slots": [` + slot + `], "brandId": "brand_unknown"}`: "brandId",
	} {
		e := a.call(http.MethodPost, "/queues", body).fails(http.StatusBadRequest, "validation_error")
		if got := e.at("details", 0, "field").text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.at("details"), field)
		}
	}
}

func TestAWorkspaceHasUpToAHundredQueues(t *testing.T) {
	a := queued(t)
	slot := `{"day": "monday", "time": "09:00"}`
	last := ""
	for n := range 100 {
		last = a.queue(fmt.Sprintf("Queue %d", n), slot, "")
	}
	one := `{"name": "One more", "slots": [` + slot + `]}`
	a.call(http.MethodPost, "/queues", one).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodDelete, "/queues/"+last, nil).want(http.StatusOK)
	a.call(http.MethodPost, "/queues", one).want(http.StatusCreated)
}

func TestPostsTakeTheNextFreeSlots(t *testing.T) {
	a := queued(t)
	a.call(http.MethodPost, "/posts", toQueue).fails(http.StatusBadRequest, "validation_error")
	queue := a.queue("Hours", everyHour(), "")
	other := a.queue("Others", everyHour(), "")
	free := a.slots(queue)
	take := func(body string) tree {
		return a.call(http.MethodPost, "/posts", body).want(http.StatusCreated).at("post")
	}
	first := take(toQueue)
	if first.at("scheduledFor").value != free[0] || first.at("queueId").text() != queue || first.at("status").text() != "scheduled" {
		t.Fatalf("post = %v, want it at %v", first, free[0])
	}
	second := take(toQueue)
	named := take(`{"content": "x", "platforms": ["mastodon"], "queueId": "` + other + `"}`)
	if second.at("scheduledFor").value != free[1] || named.at("scheduledFor").value != free[0] || named.at("queueId").text() != other {
		t.Errorf("second at %v, named at %v; slots %v", second.at("scheduledFor"), named.at("scheduledFor"), free)
	}
	entry := `{"content": "%d", "platforms": ["mastodon"], "queue": true}`
	bulk := a.call(http.MethodPost, "/posts/bulk", `{"posts": [`+fmt.Sprintf(entry, 1)+`, {"content": "", "platforms": ["mastodon"], "queue": true}, `+fmt.Sprintf(entry, 2)+`]}`).want(http.StatusCreated)
	if bulk.at("results", 0, "post", "scheduledFor").value != free[2] || bulk.at("results", 1, "success").value != false || bulk.at("results", 2, "post", "scheduledFor").value != free[3] {
		t.Errorf("bulk = %v, want slots %v", bulk, free[2:4])
	}
	a.call(http.MethodDelete, "/posts/"+first.at("id").text(), nil).want(http.StatusOK)
	moved := a.call(http.MethodPatch, "/posts/"+second.at("id").text(), `{"scheduledFor": "`+a.in(40*24*time.Hour)+`"}`).want(http.StatusOK).at("post")
	if moved.at("queueId").value != nil {
		t.Errorf("post = %v: it has left its queue", moved)
	}
	if now := a.slots(queue); now[0] != free[0] || now[1] != free[1] || now[2] != free[4] {
		t.Errorf("free = %v, want those of the post that was cancelled and of the one that moved, of %v", now, free)
	}
	thread := a.call(http.MethodPost, "/threads", `{"posts": [{"content": "a"}, {"content": "b"}], "platforms": ["mastodon"], "queue": true}`).want(http.StatusCreated).at("thread")
	if thread.at("scheduledFor").value != free[0] || thread.at("queueId").text() != queue {
		t.Errorf("thread = %v, want it at %v", thread, free[0])
	}
	for body, field := range map[string]string{
		`{"content": "x", "platforms": ["mastodon"], "queueId": "queue_01k9sr3q5wf2g8m7r4t0v1x2y3"}`: "queueId",
		`{"content": "x", "platforms": ["mastodon"], "queueId": "x"}`:                                "queueId",
		`{"content": "x", "platforms": ["mastodon"], "queue": true, "publishNow": true}`:             "queue",
	} {
		e := a.call(http.MethodPost, "/posts", body).fails(http.StatusBadRequest, "validation_error")
		if got := e.at("details", 0, "field").text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.at("details"), field)
		}
	}
}

func TestARepetitionTakesNoSlot(t *testing.T) {
	a := queued(t)
	queue := a.queue("Hours", everyHour(), "")
	free := a.slots(queue)
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() { a.call(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").want(http.StatusCreated) })
	}
	wait.Wait()
	if now := a.slots(queue); now[0] != free[0] && now[0] != free[1] || len(now) != 10 {
		t.Errorf("free = %v of %v", now, free)
	}
	a.call(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").want(http.StatusCreated)
	if n := a.number(`select count(*) from queue_slots`); n != 1 {
		t.Errorf("%d slots are taken, want 1", n)
	}
}

func TestADryRunJudgesQueuesAndTakesNoSlot(t *testing.T) {
	a := queued(t)
	const dry = `{"dryRun": true, "posts": [` + toQueue + `, ` + toQueue + `]}`
	judge := func() tree { return a.call(http.MethodPost, "/posts/bulk", dry).want(http.StatusOK).at("results") }
	if got := judge().at(1, "error", "details", 0, "code").text(); got != "queue_missing" {
		t.Errorf("without a queue: code %q, want queue_missing", got)
	}
	a.queue("Hours", everyHour(), "")
	if got := judge(); got.at(0, "success").value != true || got.at(1, "success").value != true {
		t.Errorf("with a queue: %v", got)
	}
	if n := a.number(`select count(*) from queue_slots`); n != 0 {
		t.Errorf("%d slots are taken, want none", n)
	}
}

func TestAQueueCanBeFull(t *testing.T) {
	a := queued(t)
	a.queue("Mondays", `{"day": "monday", "time": "09:00"}`, "")
	for {
		answer := a.call(http.MethodPost, "/posts", toQueue)
		if answer.status == http.StatusCreated {
			continue
		}
		if e := answer.fails(http.StatusBadRequest, "validation_error"); e.at("details", 0, "code").text() != "queue_full" {
			t.Errorf("error = %v, want queue_full", e)
		}
		break
	}
	if n := a.number(`select count(*) from posts`); n < 12 || n > 13 {
		t.Errorf("%d posts on the Mondays of 90 days", n)
	}
}

func TestNoTwoRequestsGetOneSlot(t *testing.T) {
	a := queued(t)
	queue := a.queue("Hours", everyHour(), "")
	b := a.another()
	const requests = 50
	taken := make([]string, requests)
	var wait sync.WaitGroup
	for i := range taken {
		wait.Go(func() {
			to := []*api{a, b}[i%2]
			taken[i] = to.call(http.MethodPost, "/posts", toQueue).want(http.StatusCreated).at("post", "scheduledFor").text()
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	for _, at := range taken {
		seen[at] = true
	}
	if len(seen) != requests {
		t.Errorf("%d requests got %d slots", requests, len(seen))
	}
	if n := a.number(`select count(distinct scheduled_for) from posts`); n != requests {
		t.Errorf("%d slots hold a post, want %d of %s", n, requests, queue)
	}
}

// another is a second gateway with a store of its own on the same database.
func (a *api) another() *api {
	a.Helper()
	b := &api{TB: a.TB, databaseURL: a.databaseURL, admin: a.admin, description: a.description, log: a.log, key: a.key, workspace: a.workspace, platforms: a.platforms}
	logger := slog.New(slog.NewJSONHandler(a.log, nil))
	store, err := postgres.Open(context.Background(), postgres.Config{
		URL: a.databaseURL, MaxConns: 8, Logger: logger, Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(store.Close)
	b.store = store
	b.serve(logger, nil)
	return b
}

// A queue goes on where the day of its next slot is full for an account.
func TestAQueuePassesOverDaysThatAreFull(t *testing.T) {
	a := queued(t)
	now := a.noon(1)
	a.frozen.Store(&now)
	queue := a.queue("Hours", everyHour(), "")
	a.full(a.mastodonAt(now.Add(time.Hour)), 0)
	a.full(a.mastodonAt(a.noon(1)), 0)
	a.full(a.mastodonAt(a.noon(2)), 1)
	first := a.noon(2).Add(-12 * time.Hour)
	at := func(got tree, want time.Time) {
		t.Helper()
		if got.text() != want.Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("scheduledFor = %v, want %v", got, want)
		}
	}
	made := a.call(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").want(http.StatusCreated)
	at(made.at("post", "scheduledFor"), first)
	again := a.call(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").want(http.StatusCreated)
	at(again.at("post", "scheduledFor"), first)
	if n := a.number(`select count(*) from queue_slots`); n != 1 {
		t.Errorf("%d slots are taken, want one", n)
	}
	a.call(http.MethodDelete, "/posts/"+made.at("post", "id").text(), nil).want(http.StatusOK)

	entry := `{"content": "%d", "platforms": ["mastodon"], "queue": true}`
	full := a.mastodonAt(a.noon(1))
	bulk := `{"posts": [` + fmt.Sprintf(entry, 1) + `,` + full + `,` + fmt.Sprintf(entry, 2) + `]}`
	for range 2 {
		answer := a.call(http.MethodPost, "/posts/bulk", bulk, "Idempotency-Key", "b").want(http.StatusCreated)
		at(answer.at("results", 0, "post", "scheduledFor"), first)
		at(answer.at("results", 2, "post", "scheduledFor"), first.Add(24*time.Hour))
		if got := answer.at("results", 1, "error", "code").text(); got != "daily_limit_reached" {
			t.Errorf("results[1] = %v, want its day full", answer.at("results", 1))
		}
	}
	if n := a.number(`select count(*) from queue_slots`); n != 2 {
		t.Errorf("%d slots of %s are taken, want two", n, queue)
	}
}

func TestAQueuedPostHasTheTimezoneOfItsQueue(t *testing.T) {
	a := queued(t)
	a.queue("Mornings", everyHour(), `, "timezone": "Europe/Berlin"`)
	for body, want := range map[string]string{
		toQueue: "Europe/Berlin",
		`{"content": "y", "platforms": ["mastodon"], "queue": true, "timezone": "Asia/Tokyo"}`: "Asia/Tokyo",
	} {
		post := a.call(http.MethodPost, "/posts", body).want(http.StatusCreated).at("post")
		read := a.call(http.MethodGet, "/posts/"+post.at("id").text(), nil).want(http.StatusOK).at("post")
		if post.at("timezone").text() != want || read.at("timezone").text() != want {
			t.Errorf("%s: timezone = %s, then %s; want %s", body, post.at("timezone").text(), read.at("timezone").text(), want)
		}
	}
	bulk := a.call(http.MethodPost, "/posts/bulk", `{"posts": [`+toQueue+`]}`).want(http.StatusCreated)
	if got := bulk.at("results", 0, "post", "timezone").text(); got != "Europe/Berlin" {
		t.Errorf("of a bulk request: timezone = %s", got)
	}
}
