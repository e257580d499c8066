package posts_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

// versions returns the versions of a post at which the log was asked to publish it at once.
func versions(a *gatewaytest.API, post string) (found []int32) {
	for _, announcement := range a.Announcements() {
		for _, m := range announcement.Publish {
			if "/posts/"+m.Post.String() == post {
				found = append(found, m.Version)
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestADraftAndAScheduledPostArePublishedAtOnce(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	for name, tt := range map[string]struct {
		made, body string
		want       schema.EventType
	}{
		"a draft":               {`"status": "draft"`, `{"publishNow": true}`, schema.PostScheduled},
		"a draft with a change": {`"status": "draft"`, `{"publishNow": true, "content": "z"}`, schema.PostScheduled},
		"a scheduled post":      {a.InAnHour(), `{"publishNow": true}`, schema.PostUpdated},
		"and no queue":          {a.InAnHour(), `{"publishNow": true, "queue": false}`, schema.PostUpdated},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			path := a.CreatePost(tt.made)
			before := len(a.Events())
			asked := a.Now().Add(-time.Millisecond)
			post := a.Request(http.MethodPatch, path, tt.body).Want(http.StatusOK).At("post")
			at, err := time.Parse(time.RFC3339, post.At("scheduledFor").Text())
			if err != nil || at.Before(asked) || at.After(a.Now()) || post.At("status").Text() != "scheduled" {
				t.Errorf("the post is %s at %v, asked at %v", post.At("status"), at, asked)
			}
			if got := versions(a, path); !slices.Equal(got, []int32{2}) {
				t.Errorf("published at once at versions %v, want the second", got)
			}
			a.WantSentEvents(before, tt.want)
			attempts := a.Request(http.MethodGet, path+"/attempts", nil).Want(http.StatusOK).At("attempts")
			if got := attempts.At(1, "event").Text(); attempts.Len() != 2 || got != "updated" {
				t.Errorf("attempts = %v", attempts)
			}
		})
	}
}

// A dry run judges and leaves all as it is.
func TestADryRunOfAModeChangesNothing(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	free := a.QueueSlots(queue)
	path := a.CreatePost(`"status": "draft"`)
	for _, mode := range []string{"publishNow", "queue"} {
		judged := a.Request(http.MethodPatch, path, `{"`+mode+`": true, "dryRun": true}`).Want(http.StatusOK).At("post")
		if judged.At("status").Text() != "scheduled" || judged.At("scheduledFor").Value == nil {
			t.Errorf("%s: judged %v", mode, judged)
		}
	}
	if post := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("post"); post.At("status").Text() != "draft" {
		t.Errorf("post = %v", post)
	}
	if now := a.QueueSlots(queue); now[0] != free[0] || len(versions(a, path)) > 0 {
		t.Errorf("free = %v of %v", now, free)
	}
}

func TestAPostThatIsAskedForAtOnceByManyIsPublishedOnce(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	path := a.CreatePost(`"status": "draft"`)
	const many = 8
	var taken atomic.Int32
	var wait sync.WaitGroup
	for range many {
		wait.Go(func() {
			a.Request(http.MethodPatch, path, `{"publishNow": true}`).Want(http.StatusOK)
			taken.Add(1)
		})
	}
	wait.Wait()
	post, err := schema.ParseID[schema.PostID](path[len("/posts/"):])
	if err != nil {
		t.Fatal(err)
	}
	publish := postgres.NewPublish(a.Store, catalog.Constraints)
	claimed := 0
	for _, version := range versions(a, path) {
		deliveries, err := publish.Claim(t.Context(), []schema.TargetRef{{Post: post, N: 0, Version: version}})
		if err != nil {
			t.Fatal(err)
		}
		claimed += len(deliveries)
	}
	if claimed != 1 || taken.Load() != many {
		t.Errorf("%d messages of %d answers could publish the post, want 1", claimed, taken.Load())
	}
	e := a.Request(http.MethodPatch, path, `{"publishNow": true}`).WantError(http.StatusBadRequest, "invalid_state")
	if got := e.At("message").Text(); got != "a post that is processing cannot be updated; only a draft or scheduled post can" {
		t.Errorf("message = %q", got)
	}
}

func TestAPostMovesToTheNextFreeSlot(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	other := a.CreateQueue("Others", gatewaytest.EveryHour(), "")
	free := a.QueueSlots(queue)
	move := func(path, body string) gatewaytest.JSON {
		return a.Request(http.MethodPatch, path, body).Want(http.StatusOK).At("post")
	}
	draft, scheduled := a.CreatePost(`"status": "draft"`), a.CreatePost(a.InAnHour())
	for range 2 { // asked again it stays where it is
		if post := move(draft, `{"queue": true}`); post.At("status").Text() != "scheduled" || post.At("scheduledFor").Value != free[0] || post.At("queueId").Text() != queue {
			t.Fatalf("post = %v, want it at %v", post, free[0])
		}
	}
	if post := move(scheduled, `{"queue": true, "status": "scheduled"}`); post.At("scheduledFor").Value != free[1] {
		t.Errorf("the second is at %v, want %v", post.At("scheduledFor"), free[1])
	}
	move(draft, `{"publishNow": true}`)
	if post := move(scheduled, `{"queue": true}`); post.At("scheduledFor").Value != free[0] {
		t.Errorf("once the first has gone it is at %v, want %v", post.At("scheduledFor"), free[0])
	}
	if post := move(scheduled, `{"queueId": "`+other+`"}`); post.At("scheduledFor").Value != free[0] || post.At("queueId").Text() != other {
		t.Errorf("post = %v, want it in the other queue at the same time", post)
	}
	if now := a.QueueSlots(queue); now[0] != free[0] {
		t.Errorf("free = %v, want %v again", now[0], free[0])
	}
	if now := a.QueueSlots(other); now[0] != free[1] {
		t.Errorf("free in the other = %v, want %v", now[0], free[1])
	}
	thread := a.Request(http.MethodPost, "/threads", `{"posts": [{"content": "a"}, {"content": "b"}], "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated).At("thread")
	moved := a.Request(http.MethodPatch, "/threads/"+thread.At("id").Text(), `{"queue": true, "title": "Two"}`).Want(http.StatusOK).At("thread")
	if moved.At("scheduledFor").Value != free[0] || moved.At("title").Text() != "Two" {
		t.Errorf("thread = %v, want it at %v", moved, free[0])
	}
}

func TestDraftsThatAreQueuedTogetherGetSlotsOfTheirOwn(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	queue := a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	free := a.QueueSlots(queue)
	const many = 6
	var paths []string
	for range many {
		paths = append(paths, a.CreatePost(`"status": "draft"`))
	}
	var wait sync.WaitGroup
	for _, path := range paths {
		for range 2 {
			wait.Go(func() { a.Request(http.MethodPatch, path, `{"queue": true}`).Want(http.StatusOK) })
		}
		wait.Go(func() {
			a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "queue": true}`).Want(http.StatusCreated)
		})
	}
	wait.Wait()
	at := map[string]bool{}
	for _, path := range paths {
		at[a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("post", "scheduledFor").Text()] = true
	}
	if taken := a.QueryInt(`select count(*) from queue_slots`); len(at) != many || taken != 2*many {
		t.Errorf("%d posts have %d times of %d slots: %v of %v", many, len(at), taken, at, free)
	}
}

// A draft takes nothing of a day: what has become full since is refused, or passed over by a queue.
func TestADraftIsHeldToTheDayItGoesOutOn(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	path := a.CreatePost(`"status": "draft"`)
	a.FillDay(`{"content": "x", "platforms": ["mastodon"], "publishNow": true}`, 0)
	before := a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
	for _, body := range []string{`{"publishNow": true, "dryRun": true}`, `{"publishNow": true}`} {
		a.Request(http.MethodPatch, path, body).WantError(http.StatusTooManyRequests, "daily_limit_reached")
	}
	if after := a.Request(http.MethodGet, path, nil).Want(http.StatusOK); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the post was changed:\n%v\n%v", before, after)
	}
	a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	a.FillDay(a.MastodonPostAt(a.Noon(1)), 0)
	for _, body := range []string{`{"queue": true, "dryRun": true}`, `{"queue": true}`} {
		at, err := time.Parse(time.RFC3339, a.Request(http.MethodPatch, path, body).Want(http.StatusOK).At("post", "scheduledFor").Text())
		if want := schema.DayOf(a.Noon(2)); err != nil || !schema.DayOf(at).Equal(want) {
			t.Errorf("%s: the post is at %v, want it on %v", body, at, want)
		}
	}
}

func TestAuthorsGiveNoDraftAMode(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.CreateQueue("Hours", gatewaytest.EveryHour(), "")
	path := a.CreatePost(`"status": "draft"`)
	author := a.SignInMember(a.Workspace, people.Author, "anna")
	for _, mode := range []string{"publishNow", "queue"} {
		author.Do(http.MethodPatch, path, `{"`+mode+`": true}`).WantError(http.StatusForbidden, "forbidden")
	}
	_, stranger := a.CreateWorkspace("other", "operator", schema.Admin)
	a.RequestWith(stranger, http.MethodPatch, path, `{"publishNow": true}`).WantError(http.StatusNotFound, "not_found")
}
