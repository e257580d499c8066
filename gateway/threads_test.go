package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// onThreads connects an account of two platforms that take threads and one that does not.
func onThreads(t testing.TB) *api {
	t.Helper()
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	a.connect(a.workspace, schema.Telegram, "@channel")
	return a
}

// threadOfThree makes a thread of three and returns it.
func (a *api) threadOfThree(more string) tree {
	a.Helper()
	body := `{"posts": [{"content": "one"}, {"content": "two"}, {"content": "three"}], "platforms": ["mastodon", "bluesky"], ` + more + `}`
	return a.call(http.MethodPost, "/threads", body).want(http.StatusCreated).at("thread")
}

func TestAThreadIsOnePostOfItsEntries(t *testing.T) {
	a := onThreads(t)
	account := a.connect(a.workspace, schema.Mastodon, "@b")
	answer := a.call(http.MethodPost, "/threads", `{
		"posts": [
			{"content": "one", "platformContent": {"bluesky": "sky"}},
			{"content": "two", "mediaItems": [{"type": "image", "url": "https://media.example/a.png", "altText": "an a"}]}],
		"platforms": [{"platform": "mastodon", "accountId": "`+account.String()+`"}, "bluesky"],
		"title": "Launch", "config": {"continueOnError": true, "postDelay": 2.5}, `+a.inAnHour()+`,
		"firstComments": [{"target": 0, "text": "a"}, {"target": 1, "text": "b"}], "externalId": "e1", "typo": 1}`).
		want(http.StatusCreated)
	thread := answer.at("thread")
	for field, want := range map[string]any{
		"title": "Launch", "status": "scheduled", "entryCount": 2.0, "isApiPost": true, "externalId": "e1",
		"platforms": []any{"mastodon", "bluesky"}, "config": map[string]any{"postDelay": 2.5, "continueOnError": true, "maxRetries": 3.0},
		"posts.0.position": 1.0, "posts.0.content": "one", "posts.0.status": "pending", "posts.0.platformContent.bluesky": "sky",
		"posts.1.position": 2.0, "posts.1.mediaItems.0.altText": "an a", "posts.1.platformPostIds": nil,
		"posts.1.postId": thread.dotted("postId"), "targets.0.accountId": account.String(),
	} {
		if got := thread.dotted(field); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	warned := map[string]string{}
	for i := range answer.at("warnings").size() {
		w := answer.at("warnings", i)
		warned[w.at("code").text()] = w.at("field").text()
	}
	for code, field := range map[string]string{
		"no_effect": "config.postDelay", "first_comment_skipped": "firstComments[1]", "unknown_field": "typo",
	} {
		if warned[code] != field {
			t.Errorf("warnings = %v, want %s of %s", warned, code, field)
		}
	}
	if read := a.call(http.MethodGet, "/threads/"+thread.at("id").text(), nil).want(http.StatusOK).at("thread"); fmt.Sprint(read) != fmt.Sprint(thread) {
		t.Errorf("read:\n%v\nanswered:\n%v", read, thread)
	}
	post := a.call(http.MethodGet, "/posts/"+thread.at("postId").text(), nil).want(http.StatusOK).at("post")
	if post.at("threadId").text() != thread.at("id").text() || post.at("content").text() != "one" {
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
		"an entry too long":      {body(`{"content": "x"}, {"content": "`+long(501)+`"}`, ""), "posts[1].content", "text_too_long"},
		"two media":              {body(`{"content": "x"}, {"content": "x", "mediaItems": [`+image+`,`+image+`]}`, ""), "posts[1].mediaItems", "too_many_media"},
		"a media without a url":  {body(`{"content": "x"}, {"content": "x", "mediaItems": [{"type": "image"}]}`, ""), "posts[1].mediaItems[0].url", "required"},
		"a private address":      {body(`{"content": "x"}, {"content": "x", "mediaItems": [{"type": "image", "url": "http://10.0.0.1/a"}]}`, ""), "posts[1].mediaItems[0].url", "url_invalid"},
		"a text of a wrong type": {body(`{"content": "x"}, {"content": "x", "platformContent": {"mastodon": 1}}`, ""), "posts[1].platformContent.mastodon", "invalid_type"},
		"too long on bluesky":    {body(`{"content": "x"}, {"content": "x", "platformContent": {"bluesky": "`+long(301)+`"}}`, ""), "posts[1].platformContent.bluesky", "text_too_long"},
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
			a.under(t)
			e := a.call(http.MethodPost, "/threads", tt.body).fails(http.StatusBadRequest, "validation_error")
			if got := e.at("details", 0); got.at("field").text() != tt.field || got.at("code").text() != tt.code {
				t.Errorf("details = %v, want %s of %s", e.at("details"), tt.code, tt.field)
			}
		})
	}
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 0 {
		t.Errorf("%d posts were made of invalid threads", n)
	}
	a.call(http.MethodPost, "/threads", body(entries(25), "")).want(http.StatusCreated)
}

func TestARepeatedThreadIsMadeOnce(t *testing.T) {
	a := onThreads(t)
	body := `{"posts": [{"content": "x"}, {"content": "y"}], "platforms": ["bluesky"], "publishNow": true}`
	first := a.call(http.MethodPost, "/threads", body, "Idempotency-Key", "k")
	again := a.call(http.MethodPost, "/threads", body, "Idempotency-Key", "k")
	first.want(http.StatusCreated)
	if again.want(http.StatusCreated); string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("answers differ:\n%s\n%s", first.body, again.body)
	}
	a.call(http.MethodPost, "/threads", strings.Replace(body, "y", "z", 1), "Idempotency-Key", "k").fails(http.StatusConflict, "idempotency_conflict")
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

func TestAThreadIsChangedButForItsEntries(t *testing.T) {
	a := onThreads(t)
	at := a.now().Truncate(time.Second).Add(2 * time.Hour).UTC()
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
			a.under(t)
			path := "/threads/" + a.threadOfThree(`"title": "t", "config": {"maxRetries": 5}, `+a.inAnHour()).at("id").text()
			changed := a.call(http.MethodPatch, path, tt.body).want(http.StatusOK).at("thread")
			if got := changed.dotted(tt.field); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s = %v, want %v", tt.field, got, tt.want)
			}
			if read := a.call(http.MethodGet, path, nil).want(http.StatusOK).at("thread"); fmt.Sprint(read) != fmt.Sprint(changed) {
				t.Errorf("read:\n%v\nanswered:\n%v", read, changed)
			}
		})
	}
	draft := "/threads/" + a.threadOfThree(`"status": "draft"`).at("id").text()
	a.call(http.MethodPatch, draft, `{"status": "scheduled"}`).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodPatch, draft, `{"status": "posted"}`).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodPatch, draft, `{"config": {"maxRetries": 11}}`).fails(http.StatusBadRequest, "validation_error")
	if got := a.call(http.MethodPatch, draft, `{"status": "scheduled", `+a.inAnHour()+`}`).want(http.StatusOK).at("thread", "status").text(); got != "scheduled" {
		t.Errorf("status = %s, want scheduled", got)
	}
}

func TestAThreadStaysAsItIsWhereNothingOfItIsNamed(t *testing.T) {
	a := onThreads(t)
	thread := a.threadOfThree(a.inAnHour())
	path := "/threads/" + thread.at("id").text()
	n := len(a.events())
	for _, nothing := range []string{`{}`, `{"titel": "y"}`, `{"config": {}}`} {
		left := a.call(http.MethodPatch, path, nothing).want(http.StatusOK).at("thread")
		if before, after := thread.at("updatedAt").text(), left.at("updatedAt").text(); after != before {
			t.Errorf("updated at %s by %s, want %s as before", after, nothing, before)
		}
	}
	if sent := a.events()[n:]; len(sent) != 0 {
		t.Errorf("%d events tell of it", len(sent))
	}
}

func TestThePostOfAThreadKeepsItsEntries(t *testing.T) {
	a := onThreads(t)
	thread := a.threadOfThree(a.inAnHour())
	path := "/posts/" + thread.at("postId").text()
	for body, field := range map[string]string{
		`{"content": "x"}`:   "content",
		`{"mediaItems": []}`: "mediaItems",
		`{"platforms": [{"platform": "mastodon", "content": "own"}]}`: "platforms[0].content",
		`{"platforms": ["telegram"]}`:                                 "platforms[0]",
	} {
		e := a.call(http.MethodPatch, path, body).fails(http.StatusBadRequest, "validation_error")
		if got := e.at("details", 0, "field").text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.at("details"), field)
		}
	}
	a.call(http.MethodPatch, path, `{"platforms": ["bluesky"], "firstComment": "c"}`).want(http.StatusOK)
	read := a.call(http.MethodGet, "/threads/"+thread.at("id").text(), nil).want(http.StatusOK).at("thread")
	if read.at("entryCount").value != 3.0 || read.at("posts", 2, "content").text() != "three" || read.at("targets").size() != 1 {
		t.Errorf("thread = %v", read)
	}
}

func TestDeleteRemovesDraftThreadsAndCancelsScheduledOnes(t *testing.T) {
	a := onThreads(t)
	draft, scheduled := a.threadOfThree(`"status": "draft"`), a.threadOfThree(a.inAnHour())
	path := func(thread tree) string { return "/threads/" + thread.at("id").text() }

	gone := a.call(http.MethodDelete, path(draft), nil).want(http.StatusOK)
	if gone.at("method").value != nil || gone.at("deleted").value != true || gone.at("id").text() != draft.at("id").text() {
		t.Errorf("answer = %v", gone)
	}
	a.call(http.MethodGet, path(draft), nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodGet, "/posts/"+draft.at("postId").text(), nil).fails(http.StatusNotFound, "not_found")

	if got := a.call(http.MethodDelete, path(scheduled), nil).want(http.StatusOK).at("method").text(); got != "cancelled" {
		t.Errorf("method = %q, want cancelled", got)
	}
	thread := a.call(http.MethodGet, path(scheduled), nil).want(http.StatusOK).at("thread")
	for _, field := range []string{"status", "posts.0.status", "posts.2.status", "targets.1.status"} {
		if got := thread.dotted(field); got != "cancelled" {
			t.Errorf("%s = %v, want cancelled", field, got)
		}
	}
	if got := a.call(http.MethodDelete, path(scheduled), nil).want(http.StatusOK).at("method").text(); got != "cancelled" {
		t.Errorf("once more, method = %q, want cancelled", got)
	}
	a.call(http.MethodPatch, path(scheduled), `{"title": "x"}`).fails(http.StatusBadRequest, "invalid_state")
}

func TestThreadsAreNotFound(t *testing.T) {
	a := onThreads(t)
	_, stranger := a.tenant("other", "operator", schema.Admin)
	thread := a.threadOfThree(a.inAnHour())
	post := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], `+a.inAnHour()+`}`).want(http.StatusCreated).at("post", "id").text()
	for name, tt := range map[string]struct{ key, id string }{
		"no id":               {a.key, "x"},
		"a post's id":         {a.key, thread.at("postId").text()},
		"a post of one entry": {a.key, strings.Replace(post, "post_", "thread_", 1)},
		"another workspace":   {stranger, thread.at("id").text()},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
				e := a.callWith(tt.key, method, "/threads/"+tt.id, `{}`).fails(http.StatusNotFound, "not_found")
				if got := e.at("message").text(); got != "thread not found" {
					t.Errorf("%s: message = %q", method, got)
				}
			}
		})
	}
}

func TestAThreadShowsWhatBecameOfItsEntries(t *testing.T) {
	a := onThreads(t)
	publish := postgres.NewPublish(a.store, noComments)
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
			a.under(t)
			thread := a.threadOfThree(`"publishNow": true, "config": ` + tt.config)
			id, err := schema.ParsePostID(thread.at("postId").text())
			if err != nil {
				t.Fatal(err)
			}
			for n := range int16(2) {
				a.publishThread(publish, id, n, func(entry int) schema.Outcome {
					if n == 0 && entry == tt.failed {
						return schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
					}
					return schema.Outcome{Receipt: schema.Receipt{NativeID: fmt.Sprintf("n%d%d", n, entry), URL: fmt.Sprintf("https://x.example/%d/%d", n, entry)}}
				})
			}
			read := a.call(http.MethodGet, "/threads/"+thread.at("id").text(), nil).want(http.StatusOK).at("thread")
			var statuses []string
			for i := range 3 {
				statuses = append(statuses, read.at("posts", i, "status").text())
				if got := read.at("posts", i, "platformPostIds", "bluesky", "postId").text(); got != fmt.Sprintf("n1%d", i) {
					t.Errorf("entry %d on bluesky is %q", i, got)
				}
			}
			if got := strings.Join(statuses, " "); got != tt.statuses {
				t.Errorf("entries = %s, want %s", got, tt.statuses)
			}
			if read.at("posts", tt.failed, "platformPostIds", "mastodon").value != nil || read.at("posts", tt.failed, "platforms", 0, "status").text() != "failed" {
				t.Errorf("entry %d = %v, want it failed on mastodon", tt.failed, read.at("posts", tt.failed))
			}
			if got := read.at("status").text(); got != "partially_failed" {
				t.Errorf("status = %s, want partially_failed", got)
			}
		})
	}
}

// publishThread takes a target of a post through its entries until it is done.
func (a *api) publishThread(publish *postgres.Publish, id schema.PostID, n int16, outcome func(entry int) schema.Outcome) {
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
		if err := publish.Finish(context.Background(), d.After(o, a.store.Now(), 0)); err != nil {
			a.Fatal(err)
		}
	}
	a.Fatal("the thread does not end")
}
