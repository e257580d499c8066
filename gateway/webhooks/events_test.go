package webhooks_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

func TestChangesOfAPostAreSent(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated)
	a.WantSentEvents(0)

	scheduled := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "externalId": "mine", "metadata": {"k": "v"}, `+a.InAnHour()+`}`).
		Want(http.StatusCreated).At("post")
	post := a.WantSentEvents(0, schema.PostScheduled)[schema.PostScheduled].At("post")
	if post.At("id") != scheduled.At("id") || post.At("externalId").Text() != "mine" || post.At("metadata", "k").Text() != "v" {
		t.Errorf("post = %v", post)
	}
	path := "/posts/" + scheduled.At("id").Text()

	n := len(a.Events())
	for _, nothing := range []string{`{}`, `{"note": "y"}`} {
		left := a.Request(http.MethodPatch, path, nothing).Want(http.StatusOK).At("post")
		if before, after := scheduled.At("updatedAt").Text(), left.At("updatedAt").Text(); after != before {
			t.Errorf("updated at %s by %s, want %s as before", after, nothing, before)
		}
	}
	a.Request(http.MethodPatch, path, `{"content": "y"}`).Want(http.StatusOK)
	if got := a.WantSentEvents(n, schema.PostUpdated)[schema.PostUpdated].At("post", "content").Text(); got != "y" {
		t.Errorf("content = %q", got)
	}

	n = len(a.Events())
	a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	if got := a.WantSentEvents(n, schema.PostCancelled)[schema.PostCancelled].At("post", "platforms", 0, "status").Text(); got != "cancelled" {
		t.Errorf("status of the platform = %q", got)
	}
	a.Request(http.MethodPatch, path, `{}`).WantError(http.StatusBadRequest, "invalid_state")
}

func TestADraftThatGetsItsTimeIsScheduled(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	draft := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated)
	path := "/posts/" + draft.At("post", "id").Text()
	a.Request(http.MethodPatch, path, `{"content": "y"}`).Want(http.StatusOK)
	a.WantSentEvents(0, schema.PostUpdated)
	n := len(a.Events())
	a.Request(http.MethodPatch, path, `{"status": "scheduled", `+a.InAnHour()+`}`).Want(http.StatusOK)
	a.WantSentEvents(n, schema.PostScheduled)
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
			a := gatewaytest.New(t)
			a.AddAccount(a.Workspace, schema.Mastodon, "@a")
			a.AddAccount(a.Workspace, schema.Bluesky, "b")
			id := publishNow(a)
			publish := postgres.NewPublish(a.Store, gatewaytest.NoComments)
			n := len(a.Events())
			a.FinishTarget(publish, id, 0, tt.outcomes[0])
			a.WantSentEvents(n)
			a.FinishTarget(publish, id, 1, tt.outcomes[1])
			post := a.WantSentEvents(n, tt.event)[tt.event].At("post")
			if got := post.At("status").Text(); got != tt.status {
				t.Errorf("status = %q, want %q", got, tt.status)
			}
			for i, want := range tt.each {
				platform := post.At("platforms", i)
				if platform.At("status").Text() != want || (platform.At("url").Value != nil) != (want == "posted") || (platform.At("error").Value != nil) != (want == "failed") {
					t.Errorf("platform %d = %v, want it %s", i, platform, want)
				}
			}
			if tt.event == schema.PostPublished && post.At("publishedAt").Text() == "" {
				t.Error("publishedAt is missing")
			}
			n = len(a.Events())
			if tt.each[0] == "failed" {
				a.Request(http.MethodPost, "/posts/"+id.String()+"/retry", nil).Want(http.StatusOK)
				a.WantSentEvents(n, schema.PostScheduled)
			}
		})
	}
}

func publishNow(a *gatewaytest.API) schema.PostID {
	a.Helper()
	body := `{"content": "x", "platforms": ["mastodon", "bluesky"], "publishNow": true}`
	id, err := schema.ParseID[schema.PostID](a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post", "id").Text())
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
			a := gatewaytest.New(t)
			post := createThread(a, tt.goesOn)
			scheduled := a.WantSentEvents(0, schema.PostScheduled, schema.ThreadScheduled)[schema.ThreadScheduled].At("thread")
			if scheduled.At("postId").Text() != post.ID.String() || scheduled.At("entries", 1, "content").Text() != "two" {
				t.Errorf("thread = %v", scheduled)
			}
			n := len(a.Events())
			publish := postgres.NewPublish(a.Store, gatewaytest.NoComments)
			for target, outcomes := range tt.outcomes {
				for _, outcome := range outcomes {
					a.Exec(`update targets set next_at = now(), step = 1 where state = 0`)
					a.FinishTarget(publish, post.ID, int16(target), outcome)
				}
			}
			sent := a.WantSentEvents(n, tt.events...)
			thread := sent[tt.events[1]].At("thread")
			for i, want := range tt.entries {
				entry := thread.At("entries", i)
				if entry.At("status").Text() != want || (entry.At("platformPostIds").Value != nil) != (want != "failed") {
					t.Errorf("entry %d = %v, want it %s", i+1, entry, want)
				}
			}
			if thread.At("id").Text() != post.ThreadID().String() {
				t.Errorf("id = %v", thread.At("id"))
			}
		})
	}
}

// createThread makes a thread of two entries on two platforms, due now.
func createThread(a *gatewaytest.API, goesOn bool) schema.Post {
	a.Helper()
	now := a.Store.Now()
	post := schema.Post{
		ID: schema.NewID[schema.PostID](now), Workspace: a.Workspace, Version: 1, Status: schema.Scheduled, ScheduledFor: now,
		Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now,
		Content: schema.Content{
			Entries: []schema.Entry{{Text: "one"}, {Text: "two"}},
			Thread:  &schema.ThreadConfig{Title: "t", ContinueOnError: goesOn},
		},
	}
	for i, p := range []schema.Platform{schema.Mastodon, schema.Bluesky} {
		account := a.AddAccount(a.Workspace, p, "a")
		post.Targets = append(post.Targets, schema.Target{N: int16(i), Account: account, Platform: p, FirstStep: schema.StepPublish})
	}
	gateway := postgres.NewGateway(a.Store, securetest.PlainText{}, catalog.Constraints)
	if _, err := gateway.Create(context.Background(), schema.Creation{Posts: []schema.Post{post}}); err != nil {
		a.Fatal(err)
	}
	return post
}

func TestADraftsThreadIsScheduledWithItsPost(t *testing.T) {
	a := gatewaytest.New(t)
	post := createThread(a, false)
	a.Exec(`update posts set status = 1, scheduled_for = null`)
	a.Exec(`delete from jobs`)
	n := len(a.Events())
	gateway := postgres.NewGateway(a.Store, securetest.PlainText{}, catalog.Constraints)
	_, err := gateway.Update(context.Background(), a.Workspace, post.ID, func(p *schema.Post, _ schema.QueueReader) error {
		p.Status, p.ScheduledFor = schema.Scheduled, a.Now().Add(time.Hour)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.WantSentEvents(n, schema.PostScheduled, schema.ThreadScheduled)
}

func TestEventsAreReadAsWebhooksDeliverThem(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 123456000, time.UTC)
	post := schema.PostSummary{ID: schema.NewID[schema.PostID](at), Status: "scheduled", Platforms: []schema.PlatformSummary{}}
	data, err := json.Marshal(schema.PostData{Post: post})
	if err != nil {
		t.Fatal(err)
	}
	event := schema.Event{ID: schema.NewID[schema.EventID](at), Type: schema.PostScheduled, At: at, Data: data}
	page := gatewaytest.EventPages{Page: schema.EventPage{Events: []schema.Event{event}, CompleteUntil: at}}
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Analytics = gatewaytest.Analytics{PostCounter: gatewaytest.PostCounts{}, EventReader: page}
	})
	answer := a.Request(http.MethodGet, "/events", nil).Want(http.StatusOK)
	body, err := json.Marshal(event.Payload())
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(body, &want); err != nil || !reflect.DeepEqual(answer.At("events", 0).Value, want) {
		t.Errorf("event = %v, want %v (%v)", answer.At("events", 0), want, err)
	}
	if answer.At("nextCursor").Text() != event.ID.String() || answer.At("hasMore").Value != false || answer.At("completeUntil").Text() != "2026-05-04T10:00:00.123Z" {
		t.Errorf("answer = %v", answer)
	}
}

func TestWhereEventsGoOn(t *testing.T) {
	a := gatewaytest.New(t)
	if answer := a.Request(http.MethodGet, "/events", nil).Want(http.StatusOK); answer.At("nextCursor").Value != nil {
		t.Errorf("nextCursor = %v before the first event", answer.At("nextCursor"))
	}
	const last = "evt_01k9sr3q5wf2g8m7r4t0v1x2y3"
	answer := a.Request(http.MethodGet, "/events?type=post.failed,thread.failed&limit=100&after="+last, nil).Want(http.StatusOK)
	if got := answer.At("nextCursor").Text(); got != last {
		t.Errorf("nextCursor = %q after nothing new, want the same", got)
	}
	for _, query := range []string{"after=x", "after=post_01k9sr3q5wf2g8m7r4t0v1x2y3", "type=post.lost", "type=target.posted", "limit=101", "limit=0"} {
		a.Request(http.MethodGet, "/events?"+query, nil).WantError(http.StatusBadRequest, "validation_error")
	}
}
