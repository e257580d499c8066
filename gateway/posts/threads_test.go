package posts_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
)

// onThreads connects an account of two platforms that take threads and one that does not.
func onThreads(t testing.TB) *gatewaytest.API {
	t.Helper()
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	a.AddAccount(a.Workspace, schema.Telegram, "@channel")
	return a
}

func threadOfThree(a *gatewaytest.API, more string) gatewaytest.JSON {
	a.Helper()
	body := `{"posts": [{"content": "one"}, {"content": "two"}, {"content": "three"}], "platforms": ["mastodon", "bluesky"], ` + more + `}`
	return a.Request(http.MethodPost, "/threads", body).Want(http.StatusCreated).At("thread")
}

func TestAThreadIsOnePostOfItsEntries(t *testing.T) {
	a := onThreads(t)
	account := a.AddAccount(a.Workspace, schema.Mastodon, "@b")
	answer := a.Request(http.MethodPost, "/threads", `{
		"posts": [
			{"content": "one", "platformContent": {"bluesky": "sky"}},
			{"content": "two", "mediaItems": [{"type": "image", "url": "https://media.example/a.png", "altText": "an a"}]}],
		"platforms": [{"platform": "mastodon", "accountId": "`+account.String()+`"}, "bluesky"],
		"title": "Launch", "config": {"continueOnError": true, "postDelay": 2.5}, `+a.InAnHour()+`,
		"firstComments": [{"target": 0, "text": "a"}, {"target": 1, "text": "b"}], "externalId": "e1", "typo": 1}`).
		Want(http.StatusCreated)
	thread := answer.At("thread")
	for field, want := range map[string]any{
		"title": "Launch", "status": "scheduled", "entryCount": 2.0, "isApiPost": true, "externalId": "e1",
		"platforms": []any{"mastodon", "bluesky"}, "config": map[string]any{"postDelay": 2.5, "continueOnError": true, "maxRetries": 3.0},
		"posts.0.position": 1.0, "posts.0.content": "one", "posts.0.status": "pending", "posts.0.platformContent.bluesky": "sky",
		"posts.1.position": 2.0, "posts.1.mediaItems.0.altText": "an a", "posts.1.platformPostIds": nil,
		"posts.1.postId": thread.Dotted("postId"), "targets.0.accountId": account.String(),
	} {
		if got := thread.Dotted(field); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	warned := map[string]string{}
	for i := range answer.At("warnings").Len() {
		w := answer.At("warnings", i)
		warned[w.At("code").Text()] = w.At("field").Text()
	}
	for code, field := range map[string]string{
		"no_effect": "config.postDelay", "first_comment_skipped": "firstComments[1]", "unknown_field": "typo",
	} {
		if warned[code] != field {
			t.Errorf("warnings = %v, want %s of %s", warned, code, field)
		}
	}
	if read := a.Request(http.MethodGet, "/threads/"+thread.At("id").Text(), nil).Want(http.StatusOK).At("thread"); fmt.Sprint(read) != fmt.Sprint(thread) {
		t.Errorf("read:\n%v\nanswered:\n%v", read, thread)
	}
	post := a.Request(http.MethodGet, "/posts/"+thread.At("postId").Text(), nil).Want(http.StatusOK).At("post")
	if post.At("threadId").Text() != thread.At("id").Text() || post.At("content").Text() != "one" {
		t.Errorf("post = %v, want that of the thread", post)
	}
}

func TestThreadsOutsideTheirBoundsAreRefused(t *testing.T) {
	a := onThreads(t)
	entries := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{"content": "x"},`, n), ",") }
	body := func(posts, more string) string {
		return `{"posts": [` + posts + `], "platforms": ["mastodon", "bluesky"], "publishNow": true` + more + `}`
	}
	image := `{"type": "image", "url": "https://media.example/a.png"}`
	for name, tt := range map[string]struct{ body, field, code string }{
		"no posts":               {`{"platforms": ["mastodon"], "publishNow": true}`, "posts", "required"},
		"none":                   {body("", ""), "posts", "thread_length"},
		"one":                    {body(entries(1), ""), "posts", "thread_length"},
		"26":                     {body(entries(26), ""), "posts", "too_many"},
		"an entry that is text":  {body(`"x", {"content": "y"}`, ""), "posts[0]", "invalid_type"},
		"an empty entry":         {body(`{"content": "x"}, {}`, ""), "posts[1].content", "content_required"},
		"an entry too long":      {body(`{"content": "x"}, {"content": "`+gatewaytest.Zeros(501)+`"}`, ""), "posts[1].content", "text_too_long"},
		"two media":              {body(`{"content": "x"}, {"content": "x", "mediaItems": [`+image+`,`+image+`]}`, ""), "posts[1].mediaItems", "too_many_media"},
		"a media without a url":  {body(`{"content": "x"}, {"content": "x", "mediaItems": [{"type": "image"}]}`, ""), "posts[1].mediaItems[0].url", "required"},
		"a private address":      {body(`{"content": "x"}, {"content": "x", "mediaItems": [{"type": "image", "url": "http://10.0.0.1/a"}]}`, ""), "posts[1].mediaItems[0].url", "url_invalid"},
		"a text of a wrong type": {body(`{"content": "x"}, {"content": "x", "platformContent": {"mastodon": 1}}`, ""), "posts[1].platformContent.mastodon", "invalid_type"},
		"too long on bluesky":    {body(`{"content": "x"}, {"content": "x", "platformContent": {"bluesky": "`+gatewaytest.Zeros(301)+`"}}`, ""), "posts[1].platformContent.bluesky", "text_too_long"},
		"no platforms":           {`{"posts": [` + entries(2) + `], "publishNow": true}`, "platforms", "required"},
		"telegram":               {`{"posts": [` + entries(2) + `], "platforms": ["telegram"], "publishNow": true}`, "platforms[0]", "thread_unsupported"},
		"a target's own text":    {`{"posts": [` + entries(2) + `], "platforms": [{"platform": "bluesky", "content": "y"}], "publishNow": true}`, "platforms[0].content", "conflict"},
		"no time":                {`{"posts": [` + entries(2) + `], "platforms": ["bluesky"]}`, "scheduledFor", "required"},
		"two times":              {body(entries(2), `, "status": "draft"`), "publishNow", "conflict"},
		"retries below zero":     {body(entries(2), `, "config": {"maxRetries": -1}`), "config.maxRetries", "invalid_value"},
		"11 retries":             {body(entries(2), `, "config": {"maxRetries": 11}`), "config.maxRetries", "invalid_value"},
		"half a retry":           {body(entries(2), `, "config": {"maxRetries": 0.5}`), "config.maxRetries", "invalid_value"},
		"a delay below zero":     {body(entries(2), `, "config": {"postDelay": -0.5}`), "config.postDelay", "invalid_value"},
		"a config that is text":  {body(entries(2), `, "config": "fast"`), "config", "invalid_type"},
		"a comment out of range": {body(entries(2), `, "firstComments": [{"target": 2, "text": "x"}]`), "firstComments[0].target", "first_comment_target_invalid"},
		"a comment no one takes": {`{"posts": [` + entries(2) + `], "platforms": ["mastodon"], "publishNow": true, "firstComments": [{"target": 1, "text": "x"}]}`, "firstComments[0]", "first_comment_unsupported"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			e := a.Request(http.MethodPost, "/threads", tt.body).WantError(http.StatusBadRequest, "validation_error")
			if got := e.At("details", 0); got.At("field").Text() != tt.field || got.At("code").Text() != tt.code {
				t.Errorf("details = %v, want %s of %s", e.At("details"), tt.code, tt.field)
			}
		})
	}
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 0 {
		t.Errorf("%d posts were made of invalid threads", n)
	}
	a.Request(http.MethodPost, "/threads", body(entries(25), "")).Want(http.StatusCreated)
}

func TestARepeatedThreadIsMadeOnce(t *testing.T) {
	a := onThreads(t)
	body := `{"posts": [{"content": "x"}, {"content": "y"}], "platforms": ["bluesky"], "publishNow": true}`
	first := a.Request(http.MethodPost, "/threads", body, "Idempotency-Key", "k")
	again := a.Request(http.MethodPost, "/threads", body, "Idempotency-Key", "k")
	first.Want(http.StatusCreated)
	if again.Want(http.StatusCreated); string(again.Body) != string(first.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("answers differ:\n%s\n%s", first.Body, again.Body)
	}
	a.Request(http.MethodPost, "/threads", strings.Replace(body, "y", "z", 1), "Idempotency-Key", "k").WantError(http.StatusConflict, "idempotency_conflict")
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

func TestAThreadIsChangedButForItsEntries(t *testing.T) {
	a := onThreads(t)
	at := a.Now().Truncate(time.Second).Add(2 * time.Hour).UTC()
	for name, tt := range map[string]struct {
		body, field string
		want        any
	}{
		"nothing":             {`{}`, "title", "t"},
		"title":               {`{"title": "u"}`, "title", "u"},
		"no title":            {`{"title": ""}`, "title", nil},
		"time":                {`{"scheduledFor": "` + at.Format(time.RFC3339) + `"}`, "scheduledFor", at.Format("2006-01-02T15:04:05.000Z")},
		"config is merged":    {`{"config": {"continueOnError": true}}`, "config", map[string]any{"postDelay": 0.0, "continueOnError": true, "maxRetries": 5.0}},
		"draft":               {`{"status": "draft"}`, "status", "draft"},
		"entries are ignored": {`{"posts": []}`, "entryCount", 3.0},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			path := "/threads/" + threadOfThree(a, `"title": "t", "config": {"maxRetries": 5}, `+a.InAnHour()).At("id").Text()
			changed := a.Request(http.MethodPatch, path, tt.body).Want(http.StatusOK).At("thread")
			if got := changed.Dotted(tt.field); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s = %v, want %v", tt.field, got, tt.want)
			}
			if read := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("thread"); fmt.Sprint(read) != fmt.Sprint(changed) {
				t.Errorf("read:\n%v\nanswered:\n%v", read, changed)
			}
		})
	}
	draft := "/threads/" + threadOfThree(a, `"status": "draft"`).At("id").Text()
	a.Request(http.MethodPatch, draft, `{"status": "scheduled"}`).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodPatch, draft, `{"status": "posted"}`).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodPatch, draft, `{"config": {"maxRetries": 11}}`).WantError(http.StatusBadRequest, "validation_error")
	if got := a.Request(http.MethodPatch, draft, `{"status": "scheduled", `+a.InAnHour()+`}`).Want(http.StatusOK).At("thread", "status").Text(); got != "scheduled" {
		t.Errorf("status = %s, want scheduled", got)
	}
}

func TestAThreadStaysAsItIsWhereNothingOfItIsNamed(t *testing.T) {
	a := onThreads(t)
	thread := threadOfThree(a, a.InAnHour())
	path := "/threads/" + thread.At("id").Text()
	n := len(a.Events())
	for _, nothing := range []string{`{}`, `{"titel": "y"}`, `{"config": {}}`} {
		left := a.Request(http.MethodPatch, path, nothing).Want(http.StatusOK).At("thread")
		if before, after := thread.At("updatedAt").Text(), left.At("updatedAt").Text(); after != before {
			t.Errorf("updated at %s by %s, want %s as before", after, nothing, before)
		}
	}
	if sent := a.Events()[n:]; len(sent) != 0 {
		t.Errorf("%d events tell of it", len(sent))
	}
}

func TestThePostOfAThreadKeepsItsEntries(t *testing.T) {
	a := onThreads(t)
	thread := threadOfThree(a, a.InAnHour())
	path := "/posts/" + thread.At("postId").Text()
	for body, field := range map[string]string{
		`{"content": "x"}`:   "content",
		`{"mediaItems": []}`: "mediaItems",
		`{"platforms": [{"platform": "mastodon", "content": "own"}]}`: "platforms[0].content",
		`{"platforms": ["telegram"]}`:                                 "platforms[0]",
	} {
		e := a.Request(http.MethodPatch, path, body).WantError(http.StatusBadRequest, "validation_error")
		if got := e.At("details", 0, "field").Text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.At("details"), field)
		}
	}
	a.Request(http.MethodPatch, path, `{"platforms": ["bluesky"], "firstComment": "c"}`).Want(http.StatusOK)
	read := a.Request(http.MethodGet, "/threads/"+thread.At("id").Text(), nil).Want(http.StatusOK).At("thread")
	if read.At("entryCount").Value != 3.0 || read.At("posts", 2, "content").Text() != "three" || read.At("targets").Len() != 1 {
		t.Errorf("thread = %v", read)
	}
}

func TestDeleteRemovesDraftThreadsAndCancelsScheduledOnes(t *testing.T) {
	a := onThreads(t)
	draft, scheduled := threadOfThree(a, `"status": "draft"`), threadOfThree(a, a.InAnHour())
	path := func(thread gatewaytest.JSON) string { return "/threads/" + thread.At("id").Text() }

	gone := a.Request(http.MethodDelete, path(draft), nil).Want(http.StatusOK)
	if gone.At("method").Value != nil || gone.At("deleted").Value != true || gone.At("id").Text() != draft.At("id").Text() {
		t.Errorf("answer = %v", gone)
	}
	a.Request(http.MethodGet, path(draft), nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodGet, "/posts/"+draft.At("postId").Text(), nil).WantError(http.StatusNotFound, "not_found")

	if got := a.Request(http.MethodDelete, path(scheduled), nil).Want(http.StatusOK).At("method").Text(); got != "cancelled" {
		t.Errorf("method = %q, want cancelled", got)
	}
	thread := a.Request(http.MethodGet, path(scheduled), nil).Want(http.StatusOK).At("thread")
	for _, field := range []string{"status", "posts.0.status", "posts.2.status", "targets.1.status"} {
		if got := thread.Dotted(field); got != "cancelled" {
			t.Errorf("%s = %v, want cancelled", field, got)
		}
	}
	if got := a.Request(http.MethodDelete, path(scheduled), nil).Want(http.StatusOK).At("method").Text(); got != "cancelled" {
		t.Errorf("once more, method = %q, want cancelled", got)
	}
	a.Request(http.MethodPatch, path(scheduled), `{"title": "x"}`).WantError(http.StatusBadRequest, "invalid_state")
}

func TestThreadsAreNotFound(t *testing.T) {
	a := onThreads(t)
	_, stranger := a.CreateWorkspace("other", "operator", schema.Admin)
	thread := threadOfThree(a, a.InAnHour())
	post := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], `+a.InAnHour()+`}`).Want(http.StatusCreated).At("post", "id").Text()
	for name, tt := range map[string]struct{ key, id string }{
		"no id":               {a.Key, "x"},
		"a post's id":         {a.Key, thread.At("postId").Text()},
		"a post of one entry": {a.Key, strings.Replace(post, "post_", "thread_", 1)},
		"another workspace":   {stranger, thread.At("id").Text()},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
				e := a.RequestWith(tt.key, method, "/threads/"+tt.id, `{}`).WantError(http.StatusNotFound, "not_found")
				if got := e.At("message").Text(); got != "thread not found" {
					t.Errorf("%s: message = %q", method, got)
				}
			}
		})
	}
}

func TestAThreadShowsWhatBecameOfItsEntries(t *testing.T) {
	a := onThreads(t)
	publish := postgres.NewPublish(a.Store, gatewaytest.NoComments)
	for name, tt := range map[string]struct {
		config   string
		failed   int // entry of mastodon's that is refused
		statuses string
	}{
		"ends at a failed entry":    {`{"maxRetries": 0}`, 1, "posted partially_failed partially_failed"},
		"goes on past a hole":       {`{"continueOnError": true, "maxRetries": 0}`, 1, "posted partially_failed posted"},
		"fails with the first":      {`{"maxRetries": 0}`, 0, "partially_failed partially_failed partially_failed"},
		"a hole at the end is none": {`{"continueOnError": true, "maxRetries": 0}`, 2, "posted posted partially_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			thread := threadOfThree(a, `"publishNow": true, "config": `+tt.config)
			id, err := schema.ParseID[schema.PostID](thread.At("postId").Text())
			if err != nil {
				t.Fatal(err)
			}
			for n := range int16(2) {
				publishThread(a, publish, id, n, func(entry int) schema.Outcome {
					if n == 0 && entry == tt.failed {
						return schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
					}
					return schema.Outcome{Receipt: schema.Receipt{NativeID: fmt.Sprintf("n%d%d", n, entry), URL: fmt.Sprintf("https://x.example/%d/%d", n, entry)}}
				})
			}
			read := a.Request(http.MethodGet, "/threads/"+thread.At("id").Text(), nil).Want(http.StatusOK).At("thread")
			var statuses []string
			for i := range 3 {
				statuses = append(statuses, read.At("posts", i, "status").Text())
				if got := read.At("posts", i, "platformPostIds", "bluesky", "postId").Text(); got != fmt.Sprintf("n1%d", i) {
					t.Errorf("entry %d on bluesky is %q", i, got)
				}
			}
			if got := strings.Join(statuses, " "); got != tt.statuses {
				t.Errorf("entries = %s, want %s", got, tt.statuses)
			}
			if read.At("posts", tt.failed, "platformPostIds", "mastodon").Value != nil || read.At("posts", tt.failed, "platforms", 0, "status").Text() != "failed" {
				t.Errorf("entry %d = %v, want it failed on mastodon", tt.failed, read.At("posts", tt.failed))
			}
			if got := read.At("status").Text(); got != "partially_failed" {
				t.Errorf("status = %s, want partially_failed", got)
			}
		})
	}
}

// publishThread takes a target of a post through its entries until it is done.
func publishThread(a *gatewaytest.API, publish *postgres.Publish, id schema.PostID, n int16, outcome func(entry int) schema.Outcome) {
	a.Helper()
	ref := schema.TargetRef{Post: id, N: n, Version: 1}
	for range 20 {
		claimed, err := publish.Claim(context.Background(), []schema.TargetRef{ref})
		if err != nil {
			a.Fatal(err)
		}
		if len(claimed) == 0 {
			return
		}
		d := claimed[0]
		o := outcome(d.Entry)
		if d.Step == schema.StepPrepare {
			o = schema.Outcome{Progress: schema.Progress{Ready: true}}
		}
		if err := publish.Finish(context.Background(), d.After(o, a.Store.Now(), 0)); err != nil {
			a.Fatal(err)
		}
	}
	a.Fatal("the thread does not end")
}
