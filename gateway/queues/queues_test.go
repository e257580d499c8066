package queues_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// queued is a gateway with an account.
func queued(t testing.TB) *gatewaytest.API {
	t.Helper()
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	return a
}

const toQueue = `{"content": "x", "platforms": ["mastodon"], "queue": true}`

func TestQueuesAreMadeReadChangedAndDeleted(t *testing.T) {
	a := queued(t)
	slot := `{"day": "monday", "time": "09:00"}`
	first := a.CreateQueue("Mornings", slot, `, "timezone": "Europe/Berlin"`)
	second := a.CreateQueue("Noons", `{"day": "friday", "time": "12:00"}`, "")
	read := func(id string) gatewaytest.JSON {
		return a.Request(http.MethodGet, "/queues/"+id, nil).Want(http.StatusOK).At("queue")
	}
	if q := read(first); q.At("isDefault").Value != true || q.At("timezone").Text() != "Europe/Berlin" || q.At("slots", 0, "day").Text() != "monday" {
		t.Errorf("queue = %v, want the first as the default", q)
	}
	a.Request(http.MethodPatch, "/queues/"+second, `{"isDefault": true, "name": "Fridays"}`).Want(http.StatusOK)
	if read(first).At("isDefault").Value != false || read(second).At("isDefault").Value != true || read(second).At("name").Text() != "Fridays" {
		t.Errorf("queues = %v, %v: one is the default", read(first), read(second))
	}
	if n := a.Request(http.MethodGet, "/queues", nil).Want(http.StatusOK).At("queues").Len(); n != 2 {
		t.Errorf("%d queues, want 2", n)
	}
	_, stranger := a.CreateWorkspace("other", "operator", schema.Admin)
	for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
		a.RequestWith(stranger, method, "/queues/"+first, `{}`).WantError(http.StatusNotFound, "not_found")
		a.Request(method, "/queues/x", `{}`).WantError(http.StatusNotFound, "not_found")
	}
	a.RequestWith(stranger, http.MethodGet, "/queues/"+first+"/slots", nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodDelete, "/queues/"+first, nil).Want(http.StatusOK)
	a.Request(http.MethodGet, "/queues/"+first, nil).WantError(http.StatusNotFound, "not_found")

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
		e := a.Request(http.MethodPost, "/queues", body).WantError(http.StatusBadRequest, "validation_error")
		if got := e.At("details", 0, "field").Text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.At("details"), field)
		}
	}
}

func TestAWorkspaceHasUpToAHundredQueues(t *testing.T) {
	a := queued(t)
	slot := `{"day": "monday", "time": "09:00"}`
	last := ""
	for n := range 100 {
		last = a.CreateQueue(fmt.Sprintf("Queue %d", n), slot, "")
	}
	another := `{"name": "One more", "slots": [` + slot + `]}`
	a.Request(http.MethodPost, "/queues", another).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodDelete, "/queues/"+last, nil).Want(http.StatusOK)
	a.Request(http.MethodPost, "/queues", another).Want(http.StatusCreated)
}

func TestPostsTakeTheNextFreeSlots(t *testing.T) {
	a := queued(t)
	a.Request(http.MethodPost, "/posts", toQueue).WantError(http.StatusBadRequest, "validation_error")
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	other := a.CreateQueue("Others", gatewaytest.EveryHour(), "")
	free := a.QueueSlots(queue)
	take := func(body string) gatewaytest.JSON {
		return a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post")
	}
	first := take(toQueue)
	if first.At("scheduledFor").Value != free[0] || first.At("queueId").Text() != queue || first.At("status").Text() != "scheduled" {
		t.Fatalf("post = %v, want it at %v", first, free[0])
	}
	second := take(toQueue)
	named := take(`{"content": "x", "platforms": ["mastodon"], "queueId": "` + other + `"}`)
	if second.At("scheduledFor").Value != free[1] || named.At("scheduledFor").Value != free[0] || named.At("queueId").Text() != other {
		t.Errorf("second at %v, named at %v; slots %v", second.At("scheduledFor"), named.At("scheduledFor"), free)
	}
	entry := `{"content": "%d", "platforms": ["mastodon"], "queue": true}`
	bulk := a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+fmt.Sprintf(entry, 1)+`, {"content": "", "platforms": ["mastodon"], "queue": true}, `+fmt.Sprintf(entry, 2)+`]}`).Want(http.StatusCreated)
	if bulk.At("results", 0, "post", "scheduledFor").Value != free[2] || bulk.At("results", 1, "success").Value != false || bulk.At("results", 2, "post", "scheduledFor").Value != free[3] {
		t.Errorf("bulk = %v, want slots %v", bulk, free[2:4])
	}
	a.Request(http.MethodDelete, "/posts/"+first.At("id").Text(), nil).Want(http.StatusOK)
	moved := a.Request(http.MethodPatch, "/posts/"+second.At("id").Text(), `{"scheduledFor": "`+a.In(40*24*time.Hour)+`"}`).Want(http.StatusOK).At("post")
	if moved.At("queueId").Value != nil {
		t.Errorf("post = %v: it has left its queue", moved)
	}
	if now := a.QueueSlots(queue); now[0] != free[0] || now[1] != free[1] || now[2] != free[4] {
		t.Errorf("free = %v, want those of the post that was cancelled and of the one that moved, of %v", now, free)
	}
	thread := a.Request(http.MethodPost, "/threads", `{"posts": [{"content": "a"}, {"content": "b"}], "platforms": ["mastodon"], "queue": true}`).Want(http.StatusCreated).At("thread")
	if thread.At("scheduledFor").Value != free[0] || thread.At("queueId").Text() != queue {
		t.Errorf("thread = %v, want it at %v", thread, free[0])
	}
	for body, field := range map[string]string{
		`{"content": "x", "platforms": ["mastodon"], "queueId": "queue_01k9sr3q5wf2g8m7r4t0v1x2y3"}`: "queueId",
		`{"content": "x", "platforms": ["mastodon"], "queueId": "x"}`:                                "queueId",
		`{"content": "x", "platforms": ["mastodon"], "queue": true, "publishNow": true}`:             "queue",
	} {
		e := a.Request(http.MethodPost, "/posts", body).WantError(http.StatusBadRequest, "validation_error")
		if got := e.At("details", 0, "field").Text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.At("details"), field)
		}
	}
}

func TestARepetitionTakesNoSlot(t *testing.T) {
	a := queued(t)
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	free := a.QueueSlots(queue)
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() { a.Request(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").Want(http.StatusCreated) })
	}
	wait.Wait()
	if now := a.QueueSlots(queue); now[0] != free[0] && now[0] != free[1] || len(now) != 10 {
		t.Errorf("free = %v of %v", now, free)
	}
	a.Request(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").Want(http.StatusCreated)
	if n := a.QueryInt(`select count(*) from queue_slots`); n != 1 {
		t.Errorf("%d slots are taken, want 1", n)
	}
}

func TestADryRunJudgesQueuesAndTakesNoSlot(t *testing.T) {
	a := queued(t)
	const dry = `{"dryRun": true, "posts": [` + toQueue + `, ` + toQueue + `]}`
	judge := func() gatewaytest.JSON {
		return a.Request(http.MethodPost, "/posts/bulk", dry).Want(http.StatusOK).At("results")
	}
	if got := judge().At(1, "error", "details", 0, "code").Text(); got != "queue_missing" {
		t.Errorf("without a queue: code %q, want queue_missing", got)
	}
	a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	if got := judge(); got.At(0, "success").Value != true || got.At(1, "success").Value != true {
		t.Errorf("with a queue: %v", got)
	}
	if n := a.QueryInt(`select count(*) from queue_slots`); n != 0 {
		t.Errorf("%d slots are taken, want none", n)
	}
}

func TestAQueueCanBeFull(t *testing.T) {
	a := queued(t)
	a.CreateQueue("Mondays", `{"day": "monday", "time": "09:00"}`, "")
	for {
		answer := a.Request(http.MethodPost, "/posts", toQueue)
		if answer.Status == http.StatusCreated {
			continue
		}
		if e := answer.WantError(http.StatusBadRequest, "validation_error"); e.At("details", 0, "code").Text() != "queue_full" {
			t.Errorf("error = %v, want queue_full", e)
		}
		break
	}
	if n := a.QueryInt(`select count(*) from posts`); n < 12 || n > 13 {
		t.Errorf("%d posts on the Mondays of 90 days", n)
	}
}

func TestNoTwoRequestsGetOneSlot(t *testing.T) {
	a := queued(t)
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	b := a.Replica()
	const requests = 50
	taken := make([]string, requests)
	var wait sync.WaitGroup
	for i := range taken {
		wait.Go(func() {
			to := []*gatewaytest.API{a, b}[i%2]
			taken[i] = to.Request(http.MethodPost, "/posts", toQueue).Want(http.StatusCreated).At("post", "scheduledFor").Text()
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
	if n := a.QueryInt(`select count(distinct scheduled_for) from posts`); n != requests {
		t.Errorf("%d slots hold a post, want %d of %s", n, requests, queue)
	}
}

// A queue goes on where the day of its next slot is full for an account.
func TestAQueuePassesOverDaysThatAreFull(t *testing.T) {
	a := queued(t)
	now := a.Noon(1)
	a.Frozen.Store(&now)
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	a.FillDay(a.MastodonPostAt(now.Add(time.Hour)), 0)
	a.FillDay(a.MastodonPostAt(a.Noon(1)), 0)
	a.FillDay(a.MastodonPostAt(a.Noon(2)), 1)
	first := a.Noon(2).Add(-12 * time.Hour)
	at := func(got gatewaytest.JSON, want time.Time) {
		t.Helper()
		if got.Text() != want.Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("scheduledFor = %v, want %v", got, want)
		}
	}
	created := a.Request(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").Want(http.StatusCreated)
	at(created.At("post", "scheduledFor"), first)
	again := a.Request(http.MethodPost, "/posts", toQueue, "Idempotency-Key", "k").Want(http.StatusCreated)
	at(again.At("post", "scheduledFor"), first)
	if n := a.QueryInt(`select count(*) from queue_slots`); n != 1 {
		t.Errorf("%d slots are taken, want one", n)
	}
	a.Request(http.MethodDelete, "/posts/"+created.At("post", "id").Text(), nil).Want(http.StatusOK)

	entry := `{"content": "%d", "platforms": ["mastodon"], "queue": true}`
	full := a.MastodonPostAt(a.Noon(1))
	bulk := `{"posts": [` + fmt.Sprintf(entry, 1) + `,` + full + `,` + fmt.Sprintf(entry, 2) + `]}`
	for range 2 {
		answer := a.Request(http.MethodPost, "/posts/bulk", bulk, "Idempotency-Key", "b").Want(http.StatusCreated)
		at(answer.At("results", 0, "post", "scheduledFor"), first)
		at(answer.At("results", 2, "post", "scheduledFor"), first.Add(24*time.Hour))
		if got := answer.At("results", 1, "error", "code").Text(); got != "daily_limit_reached" {
			t.Errorf("results[1] = %v, want its day full", answer.At("results", 1))
		}
	}
	if n := a.QueryInt(`select count(*) from queue_slots`); n != 2 {
		t.Errorf("%d slots of %s are taken, want two", n, queue)
	}
}

func TestAQueuedPostHasTheTimezoneOfItsQueue(t *testing.T) {
	a := queued(t)
	a.CreateQueue("Mornings", gatewaytest.EveryHour(), `, "timezone": "Europe/Berlin"`)
	for body, want := range map[string]string{
		toQueue: "Europe/Berlin",
		`{"content": "y", "platforms": ["mastodon"], "queue": true, "timezone": "Asia/Tokyo"}`: "Asia/Tokyo",
	} {
		post := a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post")
		read := a.Request(http.MethodGet, "/posts/"+post.At("id").Text(), nil).Want(http.StatusOK).At("post")
		if post.At("timezone").Text() != want || read.At("timezone").Text() != want {
			t.Errorf("%s: timezone = %s, then %s; want %s", body, post.At("timezone").Text(), read.At("timezone").Text(), want)
		}
	}
	bulk := a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+toQueue+`]}`).Want(http.StatusCreated)
	if got := bulk.At("results", 0, "post", "timezone").Text(); got != "Europe/Berlin" {
		t.Errorf("of a bulk request: timezone = %s", got)
	}
}
