package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/gateway"
	"crier/schema"
	"crier/schema/postgres"
)

// checkEvent holds an event, as a receiver gets it, against its description.
func (d *description) checkEvent(t testing.TB, e schema.WebhookPayload) {
	t.Helper()
	body, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	d.validate(t, "webhooks/"+string(e.Event)+"/post/requestBody/content/application~1json/schema", body)
}

// sent returns the events that can be subscribed to and were announced after n others, by
// type; each is as openapi.yaml describes it.
func (a *api) sent(n int) map[schema.EventType]tree {
	a.Helper()
	sent := map[schema.EventType]tree{}
	for _, batch := range a.events()[n:] {
		for _, e := range batch.Events {
			if !e.Type.Subscribable() {
				continue
			}
			a.description.checkEvent(a.TB, schema.WebhookPayload{ID: e.ID, Event: e.Type, CreatedAt: e.At, Data: e.Data})
			if _, twice := sent[e.Type]; twice {
				a.Errorf("%s was sent twice", e.Type)
			}
			var data any
			if err := json.Unmarshal(e.Data, &data); err != nil {
				a.Fatal(err)
			}
			sent[e.Type] = tree{data}
		}
	}
	return sent
}

// wantSent fails the test unless just these events were sent after n others.
func (a *api) wantSent(n int, want ...schema.EventType) map[schema.EventType]tree {
	a.Helper()
	sent := a.sent(n)
	for _, e := range want {
		if _, ok := sent[e]; !ok {
			a.Errorf("%s was not sent", e)
		}
	}
	for e := range sent {
		if !slices.Contains(want, e) {
			a.Errorf("%s was sent", e)
		}
	}
	return sent
}

func TestChangesOfAPostAreSent(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).want(http.StatusCreated)
	a.wantSent(0)

	scheduled := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "externalId": "mine", "metadata": {"k": "v"}, `+a.inAnHour()+`}`).
		want(http.StatusCreated).at("post")
	post := a.wantSent(0, schema.PostScheduled)[schema.PostScheduled].at("post")
	if post.at("id") != scheduled.at("id") || post.at("externalId").text() != "mine" || post.at("metadata", "k").text() != "v" {
		t.Errorf("post = %v", post)
	}
	path := "/posts/" + scheduled.at("id").text()

	n := len(a.events())
	for _, nothing := range []string{`{}`, `{"note": "y"}`} {
		left := a.call(http.MethodPatch, path, nothing).want(http.StatusOK).at("post")
		if before, after := scheduled.at("updatedAt").text(), left.at("updatedAt").text(); after != before {
			t.Errorf("updated at %s by %s, want %s as before", after, nothing, before)
		}
	}
	a.call(http.MethodPatch, path, `{"content": "y"}`).want(http.StatusOK)
	if got := a.wantSent(n, schema.PostUpdated)[schema.PostUpdated].at("post", "content").text(); got != "y" {
		t.Errorf("content = %q", got)
	}

	n = len(a.events())
	a.call(http.MethodDelete, path, nil).want(http.StatusOK)
	if got := a.wantSent(n, schema.PostCancelled)[schema.PostCancelled].at("post", "platforms", 0, "status").text(); got != "cancelled" {
		t.Errorf("status of the platform = %q", got)
	}
	a.call(http.MethodPatch, path, `{}`).fails(http.StatusBadRequest, "invalid_state")
}

func TestADraftThatGetsItsTimeIsScheduled(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	draft := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).want(http.StatusCreated)
	path := "/posts/" + draft.at("post", "id").text()
	a.call(http.MethodPatch, path, `{"content": "y"}`).want(http.StatusOK)
	a.wantSent(0, schema.PostUpdated)
	n := len(a.events())
	a.call(http.MethodPatch, path, `{"status": "scheduled", `+a.inAnHour()+`}`).want(http.StatusOK)
	a.wantSent(n, schema.PostScheduled)
}

var (
	taken   = schema.Outcome{Receipt: schema.Receipt{NativeID: "n", URL: "https://platform.example/n"}}
	refused = schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "too rude"}}
)

func TestWhatBecameOfAPostIsSent(t *testing.T) {
	for name, tt := range map[string]struct {
		outcomes [2]schema.Outcome
		event    schema.EventType
		status   string
		each     [2]string
	}{
		"all posted":  {[2]schema.Outcome{taken, taken}, schema.PostPublished, "published", [2]string{"posted", "posted"}},
		"some posted": {[2]schema.Outcome{refused, taken}, schema.PostPublished, "published", [2]string{"failed", "posted"}},
		"none posted": {[2]schema.Outcome{refused, refused}, schema.PostFailed, "failed", [2]string{"failed", "failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			a.connect(a.workspace, schema.Mastodon, "@a")
			a.connect(a.workspace, schema.Bluesky, "b")
			id := a.publishNow()
			publish := postgres.NewPublish(a.store, noComments)
			n := len(a.events())
			a.step(publish, id, 0, tt.outcomes[0])
			a.wantSent(n)
			a.step(publish, id, 1, tt.outcomes[1])
			post := a.wantSent(n, tt.event)[tt.event].at("post")
			if got := post.at("status").text(); got != tt.status {
				t.Errorf("status = %q, want %q", got, tt.status)
			}
			for i, want := range tt.each {
				platform := post.at("platforms", i)
				if platform.at("status").text() != want || (platform.at("url").value != nil) != (want == "posted") || (platform.at("error").value != nil) != (want == "failed") {
					t.Errorf("platform %d = %v, want it %s", i, platform, want)
				}
			}
			if tt.event == schema.PostPublished && post.at("publishedAt").text() == "" {
				t.Error("publishedAt is missing")
			}
			n = len(a.events())
			if tt.each[0] == "failed" {
				a.call(http.MethodPost, "/posts/"+id.String()+"/retry", nil).want(http.StatusOK)
				a.wantSent(n, schema.PostScheduled)
			}
		})
	}
}

func (a *api) publishNow() schema.PostID {
	a.Helper()
	body := `{"content": "x", "platforms": ["mastodon", "bluesky"], "publishNow": true}`
	id, err := schema.ParsePostID(a.call(http.MethodPost, "/posts", body).want(http.StatusCreated).at("post", "id").text())
	if err != nil {
		a.Fatal(err)
	}
	return id
}

func TestWhatBecameOfAThreadIsSentBesideItsPost(t *testing.T) {
	for name, tt := range map[string]struct {
		outcomes [2][]schema.Outcome // of each target, by entry
		events   []schema.EventType
		entries  [2]string
		goesOn   bool
	}{
		"every entry everywhere": {
			outcomes: [2][]schema.Outcome{{taken, taken}, {taken, taken}},
			events:   []schema.EventType{schema.PostPublished, schema.ThreadPublished}, entries: [2]string{"posted", "posted"},
		},
		"one platform refused": {
			outcomes: [2][]schema.Outcome{{taken, taken}, {refused}},
			events:   []schema.EventType{schema.PostPublished, schema.ThreadPartiallyPublished}, entries: [2]string{"partially_failed", "partially_failed"},
		},
		"broken off on both": {
			outcomes: [2][]schema.Outcome{{taken, refused}, {taken, refused}},
			events:   []schema.EventType{schema.PostFailed, schema.ThreadPartiallyPublished}, entries: [2]string{"posted", "failed"},
		},
		"with a hole": {
			outcomes: [2][]schema.Outcome{{refused, taken}, {refused, taken}}, goesOn: true,
			events: []schema.EventType{schema.PostFailed, schema.ThreadPartiallyPublished}, entries: [2]string{"failed", "posted"},
		},
		"nothing anywhere": {
			outcomes: [2][]schema.Outcome{{refused}, {refused}},
			events:   []schema.EventType{schema.PostFailed, schema.ThreadFailed}, entries: [2]string{"failed", "failed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			post := a.thread(tt.goesOn)
			scheduled := a.wantSent(0, schema.PostScheduled, schema.ThreadScheduled)[schema.ThreadScheduled].at("thread")
			if scheduled.at("postId").text() != post.ID.String() || scheduled.at("entries", 1, "content").text() != "two" {
				t.Errorf("thread = %v", scheduled)
			}
			n := len(a.events())
			publish := postgres.NewPublish(a.store, noComments)
			for target, outcomes := range tt.outcomes {
				for _, outcome := range outcomes {
					a.exec(`update targets set next_at = now(), step = 1 where state = 0`)
					a.step(publish, post.ID, int16(target), outcome)
				}
			}
			sent := a.wantSent(n, tt.events...)
			thread := sent[tt.events[1]].at("thread")
			for i, want := range tt.entries {
				entry := thread.at("entries", i)
				if entry.at("status").text() != want || (entry.at("platformPostIds").value != nil) != (want != "failed") {
					t.Errorf("entry %d = %v, want it %s", i+1, entry, want)
				}
			}
			if thread.at("id").text() != post.ThreadID().String() {
				t.Errorf("id = %v", thread.at("id"))
			}
		})
	}
}

// thread makes a thread of two entries on two platforms, due now.
func (a *api) thread(goesOn bool) schema.Post {
	a.Helper()
	now := a.store.Now()
	post := schema.Post{
		ID: schema.NewPostID(now), Workspace: a.workspace, Version: 1, Status: schema.Scheduled, ScheduledFor: now,
		Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now,
		Content: schema.Content{
			Entries: []schema.Entry{{Text: "one"}, {Text: "two"}},
			Thread:  &schema.ThreadConfig{Title: "t", ContinueOnError: goesOn},
		},
	}
	for i, p := range []schema.Platform{schema.Mastodon, schema.Bluesky} {
		account := a.connect(a.workspace, p, "a")
		post.Targets = append(post.Targets, schema.Target{N: int16(i), Account: account, Platform: p, FirstStep: schema.StepPublish})
	}
	gateway := postgres.NewGateway(a.store, plain{}, catalog.Constraints)
	if _, err := gateway.Create(context.Background(), schema.Creation{Posts: []schema.Post{post}}); err != nil {
		a.Fatal(err)
	}
	return post
}

func TestADraftsThreadIsScheduledWithItsPost(t *testing.T) {
	a := newAPI(t)
	post := a.thread(false)
	a.exec(`update posts set status = 1, scheduled_for = null`)
	a.exec(`delete from jobs`)
	n := len(a.events())
	gateway := postgres.NewGateway(a.store, plain{}, catalog.Constraints)
	_, err := gateway.Update(context.Background(), a.workspace, post.ID, func(p *schema.Post) error {
		p.Status, p.ScheduledFor = schema.Scheduled, a.now().Add(time.Hour)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.wantSent(n, schema.PostScheduled, schema.ThreadScheduled)
}

func TestEventsAreReadAsWebhooksDeliverThem(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 123456000, time.UTC)
	post := schema.PostSummary{ID: schema.NewPostID(at), Status: "scheduled", Platforms: []schema.PlatformSummary{}}
	data, err := json.Marshal(schema.PostData{Post: post})
	if err != nil {
		t.Fatal(err)
	}
	event := schema.Event{ID: schema.NewEventID(at), Type: schema.PostScheduled, At: at, Data: data}
	page := pages{schema.EventPage{Events: []schema.Event{event}, CompleteUntil: at}}
	a := newAPI(t, func(c *gateway.Config) { c.Analytics = figures{counter: counts{}, eventReader: page} })
	answer := a.call(http.MethodGet, "/events", nil).want(http.StatusOK)
	body, err := json.Marshal(event.Payload())
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(body, &want); err != nil || !reflect.DeepEqual(answer.at("events", 0).value, want) {
		t.Errorf("event = %v, want %v (%v)", answer.at("events", 0), want, err)
	}
	if answer.at("nextCursor").text() != event.ID.String() || answer.at("hasMore").value != false || answer.at("completeUntil").text() != "2026-05-04T10:00:00.123Z" {
		t.Errorf("answer = %v", answer)
	}
}

func TestWhereEventsGoOn(t *testing.T) {
	a := newAPI(t)
	if answer := a.call(http.MethodGet, "/events", nil).want(http.StatusOK); answer.at("nextCursor").value != nil {
		t.Errorf("nextCursor = %v before the first event", answer.at("nextCursor"))
	}
	const last = "evt_01k9sr3q5wf2g8m7r4t0v1x2y3"
	answer := a.call(http.MethodGet, "/events?type=post.failed,thread.failed&limit=100&after="+last, nil).want(http.StatusOK)
	if got := answer.at("nextCursor").text(); got != last {
		t.Errorf("nextCursor = %q after nothing new, want the same", got)
	}
	for _, query := range []string{"after=x", "after=post_01k9sr3q5wf2g8m7r4t0v1x2y3", "type=post.lost", "type=target.posted", "limit=101", "limit=0"} {
		a.call(http.MethodGet, "/events?"+query, nil).fails(http.StatusBadRequest, "validation_error")
	}
}
