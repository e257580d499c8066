package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

const (
	threadResource = "Thread"
	threading      = "POST /threads"
	readThread     = "GET /threads/{id}"
	patchThread    = "PATCH /threads/{id}"
	deleteThread   = "DELETE /threads/{id}"
)

// missingThread is the path of a thread that is not there.
const missingThread = "/threads/thread_01k9sr3q5wf2g8m7r4t0v1x2y3"

// newThread is the creation of a draft of two entries for bluesky, except for the changes.
func newThread(changes string) request {
	entries := []any{map[string]any{"content": "one"}, map[string]any{"content": "two"}}
	draft := map[string]any{"posts": entries, "platforms": []any{"bluesky"}, "status": "draft"}
	return request{http.MethodPost, "/threads", draft}.with(changes)
}

// ofEntries is the creation of a thread of n entries.
func ofEntries(n int) request {
	r := newThread(`{}`)
	entries := make([]any, n)
	for i := range entries {
		entries[i] = map[string]any{"content": fmt.Sprint("entry ", i)}
	}
	r.body.(map[string]any)["posts"] = entries
	return r
}

func (b *bench) threadRules() []rule {
	now := `"status": null, "publishNow": true`
	later := func(d time.Duration) request {
		return newThread(`{"status": null, "scheduledFor": "` + b.In(d) + `"}`)
	}
	return []rule{
		{threadResource, "it has an id, a title, its platforms, a status, a time, a post and times", func(b *bench) {
			thread := b.send(later(time.Hour).with(`{"title": "T", "platforms": ["bluesky", "mastodon"]}`)).Want(http.StatusCreated).At("thread")
			b.has(thread, "title", "T", "platforms", "[bluesky mastodon]", "status", "scheduled", "scheduledFor", b.timeIn(time.Hour), "entryCount", 2, "isApiPost", true)
			for _, field := range []string{"id", "postId", "createdAt", "updatedAt"} {
				if thread.At(field).Text() == "" {
					b.Errorf("%s is missing", field)
				}
			}
		}},
		{threadResource, "the title may be null", answered(http.StatusCreated, newThread(`{}`), "thread.title", nil)},
		{threadResource, "its status is its post's at every reading", func(b *bench) {
			path := b.make(newThread(`{` + now + `}`))
			b.has(b.send(get(path)).Want(http.StatusOK), "thread.status", "scheduled")
			b.publish(path, 0, b.posts)
			b.has(b.send(get(path)).Want(http.StatusOK), "thread.status", "posted")
		}},
		{threadResource, "one post carries all of it", func(b *bench) {
			thread := b.send(newThread(`{}`)).Want(http.StatusCreated).At("thread")
			b.has(thread, "posts.0.postId", thread.At("postId").Text(), "posts.1.postId", thread.At("postId").Text())
			b.has(b.send(get("/posts/"+thread.At("postId").Text())).Want(http.StatusOK), "post.threadId", thread.At("id").Text())
		}},
		{threadResource, "config has a delay of no effect, ends at an error unless told, and tries three times more", all(
			answered(http.StatusCreated, newThread(`{}`), "thread.config.postDelay", 0, "thread.config.continueOnError", false, "thread.config.maxRetries", 3),
			answered(http.StatusCreated, newThread(`{"config": {"postDelay": 1.5, "continueOnError": true, "maxRetries": 1}}`),
				"thread.config.postDelay", 1.5, "thread.config.continueOnError", true, "thread.config.maxRetries", 1),
		)},
		{threadResource, "positions start at 1 and entries are pending at first", answered(http.StatusCreated, newThread(`{}`),
			"thread.posts.0.position", 1, "thread.posts.1.position", 2, "thread.posts.0.status", "pending", "thread.posts.0.platformPostIds", nil)},
		{threadResource, "a published entry tells its id and address on each platform", func(b *bench) {
			path := b.make(newThread(`{` + now + `, "platforms": ["mastodon", "threads"]}`))
			b.publish(path, 0, b.posts)
			b.publish(path, 1, b.posts)
			b.has(b.send(get(path)).Want(http.StatusOK).At("thread", "posts"), "0.status", "posted", "1.status", "posted",
				"0.platformPostIds.mastodon.postId", "n0-0", "0.platformPostIds.threads.url", "https://native.example/1/0",
				"1.platformPostIds.mastodon.postId", "n0-1", "1.platformPostIds.threads.postId", "n1-1")
		}},

		{threading, "2 to 25 entries are wanted", all(
			invalid(ofEntries(1), "posts", "thread_length"),
			answered(http.StatusCreated, ofEntries(2), "thread.entryCount", 2),
			answered(http.StatusCreated, ofEntries(25), "thread.entryCount", 25),
			invalid(ofEntries(26), "posts", "too_many"),
			invalid(newThread(`{"posts": null}`), "posts", "required"),
		)},
		{threading, "entries keep their order", answered(http.StatusCreated, ofEntries(3), "thread.posts.0.content", "entry 0", "thread.posts.2.content", "entry 2")},
		{threading, "an entry has one media item at most", all(
			answered(http.StatusCreated, newThread(`{"posts": [{"content": "a", "mediaItems": [`+anImage+`]}, {"content": "b"}]}`), "thread.posts.0.mediaItems.0.type", "image"),
			invalid(newThread(`{"posts": [{"content": "a", "mediaItems": [`+anImage+`,`+anImage+`]}, {"content": "b"}]}`), "posts[0].mediaItems", "too_many_media"),
		)},
		{threading, "platformContent is a platform's text of an entry, in place of content", all(
			answered(http.StatusCreated, newThread(`{"posts": [{"content": "`+gatewaytest.Zeros(301)+`", "platformContent": {"bluesky": "sky"}}, {"content": "b"}]}`), "thread.posts.0.platformContent.bluesky", "sky"),
			invalid(newThread(`{"posts": [{"content": "a", "platformContent": {"bluesky": "`+gatewaytest.Zeros(301)+`"}}, {"content": "b"}]}`), "posts[0].platformContent.bluesky", "text_too_long", "bluesky"),
			invalid(newThread(`{"posts": [{"content": "`+gatewaytest.Zeros(301)+`", "platformContent": {"mastodon": "m"}}, {"content": "b"}]}`), "posts[0].content", "text_too_long", "bluesky"),
		)},
		{threading, "at least one platform is wanted, bare or with an account", all(
			invalid(newThread(`{"platforms": []}`), "platforms", "required"),
			invalid(newThread(`{"platforms": null}`), "platforms", "required"),
			answered(http.StatusCreated, newThread(`{"platforms": [{"platform": "bluesky"}, "mastodon"]}`), "thread.platforms", "[bluesky mastodon]"),
			func(b *bench) {
				r := newThread(`{"platforms": [{"platform": "bluesky", "accountId": "` + b.accounts[schema.Bluesky].String() + `"}]}`)
				b.has(b.send(r).Want(http.StatusCreated), "thread.targets.0.accountId", b.accounts[schema.Bluesky])
			},
		)},
		{threading, "settings are of the whole thread", answered(http.StatusCreated, newThread(`{"platforms": ["mastodon"], "platformSettings": {"mastodon": {"visibility": "unlisted"}}}`),
			"thread.platformSettings.mastodon.visibility", "unlisted")},
		{threading, "publishNow publishes at once", answered(http.StatusCreated, newThread(`{`+now+`}`), "thread.scheduledFor", b.timeIn(0))},
		{threading, "a time is at least 5 minutes ahead", all(
			answered(http.StatusCreated, later(5*time.Minute), "thread.scheduledFor", b.timeIn(5*time.Minute)),
			invalid(later(4*time.Minute), "scheduledFor", "time_too_early"),
		)},
		{threading, "a time without an offset is meant in the zone", answered(http.StatusCreated,
			newThread(`{"status": null, "timezone": "Asia/Tokyo", "scheduledFor": "`+b.Now().UTC().Add(10*time.Hour).Format("2006-01-02T15:04:05")+`"}`), "thread.scheduledFor", b.timeIn(time.Hour))},
		{threading, "a brand may be named", func(b *bench) {
			brand := b.Request(http.MethodPost, "/brands", `{"name": "B"}`).Want(http.StatusCreated).At("brand", "id").Text()
			b.has(b.send(newThread(`{"brandId": "`+brand+`"}`)).Want(http.StatusCreated), "thread.brandId", brand)
			invalid(newThread(`{"brandId": "brand_1"}`), "brandId", "brand_unknown")(b)
		}},
		{threading, "firstComment is of the first entry", answered(http.StatusCreated, newThread(`{"firstComment": "c"}`), "thread.firstComments.0.target", 0)},
		{threading, "a comment's target is an entry, counted from 0", all(
			answered(http.StatusCreated, newThread(`{"firstComments": [{"target": 1, "text": "c"}]}`), "thread.firstComments.0.target", 1),
			invalid(newThread(`{"firstComments": [{"target": 2, "text": "c"}]}`), "firstComments[0].target", "first_comment_target_invalid"),
			invalid(newThread(`{"firstComments": [{"target": -1, "text": "c"}]}`), "firstComments[0].target", "first_comment_target_invalid"),
		)},
		{threading, "comments below the first entry reach twitter, threads and bluesky; mastodon has those of the first", all(
			answered(http.StatusCreated, newThread(`{"platforms": ["twitter", "threads", "bluesky"], "firstComments": [{"target": 1, "text": "c"}]}`), "warnings", nil),
			answered(http.StatusCreated, newThread(`{"platforms": ["mastodon"], "firstComments": [{"target": 0, "text": "c"}]}`), "warnings", nil),
			invalid(newThread(`{"platforms": ["mastodon"], "firstComments": [{"target": 1, "text": "c"}]}`), "firstComments[0]", "first_comment_unsupported", "mastodon"),
			warned(newThread(`{"platforms": ["mastodon", "bluesky"], "firstComments": [{"target": 1, "text": "c"}]}`), "firstComments[0]", "first_comment_skipped", "mastodon"),
		)},
		{threading, "four platforms take threads", func(b *bench) {
			for _, p := range schema.Platforms() {
				r := newThread(`{"platforms": ["` + p.String() + `"]}`)
				if slices.Contains([]schema.Platform{schema.Twitter, schema.Threads, schema.Bluesky, schema.Mastodon}, p) {
					b.send(r).Want(http.StatusCreated)
					continue
				}
				invalid(r, "platforms[0]", "thread_unsupported", p.String())(b)
			}
		}},
		{threading, "each entry counts against the posts of a month", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.Workspace)
			b.send(ofEntries(5)).WantError(http.StatusForbidden, "plan_limit_reached")
			b.send(ofEntries(3)).Want(http.StatusCreated)
			b.send(ofEntries(2)).WantError(http.StatusForbidden, "plan_limit_reached")
			b.send(newPost(`{}`)).Want(http.StatusCreated)
			b.send(newPost(`{}`)).WantError(http.StatusForbidden, "plan_limit_reached")
		}},
		{threading, "postDelay is accepted without effect", all(
			warned(newThread(`{"config": {"postDelay": 60}}`), "config.postDelay", "no_effect"),
			paused("bluesky", `"config": {"postDelay": 60}`, 1500*time.Millisecond),
		)},
		{threading, "the pause between entries is about 1 s on twitter", paused("twitter", `"title": "t"`, time.Second)},
		{threading, "the pause between entries is about 1.5 s on bluesky and mastodon", all(
			paused("bluesky", `"title": "t"`, 1500*time.Millisecond), paused("mastodon", `"title": "t"`, 1500*time.Millisecond))},
		{threading, "the pause between entries is about 30 s on threads", paused("threads", `"title": "t"`, 30*time.Second)},
		{threading, "one job publishes the whole chain", func(b *bench) {
			path := b.make(later(time.Hour))
			b.due(path, time.Hour)
			if jobs := b.count(`select count(*) from jobs where id = $1`, b.idOf(path)); jobs != 1 {
				b.Errorf("%d jobs, want 1", jobs)
			}
		}},
		{threading, "it ends at a failed entry, unless it goes on after errors", func(b *bench) {
			for goesOn, statuses := range map[string]string{"false": "posted failed skipped", "true": "posted failed posted"} {
				r := ofEntries(3).with(`{` + now + `, "config": {"maxRetries": 0, "continueOnError": ` + goesOn + `}}`)
				path := b.make(r)
				b.publish(path, 0, func(n int16, entry int) schema.Outcome {
					if entry == 1 {
						return refuses(n, entry)
					}
					return b.posts(n, entry)
				})
				posts := b.send(get(path)).Want(http.StatusOK).At("thread", "posts")
				if got := posts.At(0, "status").Text() + " " + posts.At(1, "status").Text() + " " + posts.At(2, "status").Text(); got != statuses {
					b.Errorf("continueOnError %s: entries are %s, want %s", goesOn, got, statuses)
				}
			}
		}},
		{threading, "maxRetries is how often a failed entry is tried again", func(b *bench) {
			for _, maximum := range []int{0, 2} {
				path := b.make(newThread(fmt.Sprintf(`{%s, "config": {"maxRetries": %d}}`, now, maximum)))
				tries := 0
				b.publish(path, 0, func(int16, int) schema.Outcome {
					tries++
					return schema.Outcome{Err: &schema.Error{Kind: schema.Retryable, Message: "busy"}}
				})
				if tries != maximum+1 {
					b.Errorf("%d tries, want %d", tries, maximum+1)
				}
			}
		}},
		{threading, "it is answered with 201 and the thread", answered(http.StatusCreated, newThread(`{}`), "success", true, "thread.status", "draft")},
		{threading, "an invalid one with 400", failed(newThread(`{"posts": 1}`), http.StatusBadRequest, "validation_error")},
		{threading, "one without a key with 401", func(b *bench) { b.Key = ""; b.send(newThread(`{}`)).WantError(http.StatusUnauthorized, "unauthorized") }},
		{threading, "one without permission with 403", func(b *bench) {
			b.Key = b.NewKey(b.Workspace, schema.Read)
			b.send(newThread(`{}`)).WantError(http.StatusForbidden, "forbidden")
		}},
		{threading, "there is no list of threads", failed(get("/threads"), http.StatusMethodNotAllowed, "method_not_allowed")},

		{readThread, "it is answered with the thread", func(b *bench) {
			b.has(b.send(get(b.make(newThread(`{}`)))).Want(http.StatusOK), "success", true, "thread.posts.1.content", "two")
		}},
		{readThread, "one that is not there is answered with 404", failed(get(missingThread), http.StatusNotFound, "not_found")},
		{readThread, "a reader without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.send(get(missingThread)).WantError(http.StatusUnauthorized, "unauthorized")
		}},

		{patchThread, "drafts and scheduled threads can be changed, others cannot", func(b *bench) {
			for _, r := range []request{newThread(`{}`), later(time.Hour)} {
				b.has(b.Request(http.MethodPatch, b.make(r), `{"title": "z"}`).Want(http.StatusOK), "thread.title", "z")
			}
			for _, becomes := range []outcome{b.posts, refuses} {
				path := b.make(newThread(`{` + now + `}`))
				b.publish(path, 0, becomes)
				b.Request(http.MethodPatch, path, `{"title": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
			}
			begun := b.make(newThread(`{` + now + `, "platforms": ["bluesky", "mastodon"]}`))
			b.publish(begun, 0, b.posts)
			b.Request(http.MethodPatch, begun, `{"title": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
			cancelled := b.make(later(time.Hour))
			b.Request(http.MethodDelete, cancelled, nil).Want(http.StatusOK)
			b.Request(http.MethodPatch, cancelled, `{"title": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
		}},
		{patchThread, "scheduledFor moves all of it", func(b *bench) {
			path := b.make(later(time.Hour))
			b.has(b.Request(http.MethodPatch, path, `{"scheduledFor": "`+b.In(3*time.Hour)+`"}`).Want(http.StatusOK), "thread.scheduledFor", b.timeIn(3*time.Hour))
			b.has(b.send(get("/posts/"+b.idOf(path).String())).Want(http.StatusOK), "post.scheduledFor", b.timeIn(3*time.Hour))
			b.due(path, 3*time.Hour)
		}},
		{patchThread, "config is merged into what there is", func(b *bench) {
			path := b.make(newThread(`{"config": {"maxRetries": 1, "continueOnError": true}}`))
			b.has(b.Request(http.MethodPatch, path, `{"config": {"maxRetries": 5}}`).Want(http.StatusOK), "thread.config.maxRetries", 5, "thread.config.continueOnError", true)
		}},
		{patchThread, "status is draft or scheduled", func(b *bench) {
			path := b.make(later(time.Hour))
			b.has(b.Request(http.MethodPatch, path, `{"status": "draft"}`).Want(http.StatusOK), "thread.status", "draft")
			b.has(b.Request(http.MethodPatch, path, `{"status": "scheduled"}`).Want(http.StatusOK), "thread.status", "scheduled")
			b.named(b.Request(http.MethodPatch, path, `{"status": "posted"}`).WantError(http.StatusBadRequest, "validation_error").At("details"), "status", "invalid_value")
		}},
		{patchThread, "entries cannot be changed", func(b *bench) {
			path := b.make(newThread(`{}`))
			answer := b.Request(http.MethodPatch, path, `{"posts": [{"content": "z"}, {"content": "y"}]}`).Want(http.StatusOK)
			b.named(answer.At("warnings"), "posts", "unknown_field")
			b.has(answer, "thread.posts.0.content", "one")
		}},
		{patchThread, "one that is not there is answered with 404", failed(request{http.MethodPatch, missingThread, `{}`}, http.StatusNotFound, "not_found")},
		{patchThread, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.Request(http.MethodPatch, missingThread, `{}`).WantError(http.StatusUnauthorized, "unauthorized")
		}},

		{deleteThread, "a scheduled thread is cancelled with its post and every entry", func(b *bench) {
			path := b.make(later(time.Hour))
			b.has(b.Request(http.MethodDelete, path, nil).Want(http.StatusOK), "success", true, "deleted", true, "id", path[len("/threads/"):], "method", "cancelled")
			b.has(b.send(get(path)).Want(http.StatusOK), "thread.status", "cancelled", "thread.posts.0.status", "cancelled", "thread.posts.1.status", "cancelled")
			b.has(b.send(get("/posts/"+b.idOf(path).String())).Want(http.StatusOK), "post.status", "cancelled")
		}},
		{deleteThread, "a draft is removed with its post", func(b *bench) {
			path := b.make(newThread(`{}`))
			b.has(b.Request(http.MethodDelete, path, nil).Want(http.StatusOK), "deleted", true, "method", nil)
			b.send(get(path)).WantError(http.StatusNotFound, "not_found")
			b.send(get("/posts/"+b.idOf(path).String())).WantError(http.StatusNotFound, "not_found")
		}},
		{deleteThread, "a published thread cannot be deleted", func(b *bench) {
			path := b.make(newThread(`{` + now + `}`))
			b.publish(path, 0, b.posts)
			b.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")
		}},
		{deleteThread, "one that is not there is answered with 404", failed(request{http.MethodDelete, missingThread, nil}, http.StatusNotFound, "not_found")},
		{deleteThread, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.Request(http.MethodDelete, missingThread, nil).WantError(http.StatusUnauthorized, "unauthorized")
		}},
	}
}

// paused shows how long a platform's thread waits after its first entry.
func paused(platform, more string, want time.Duration) demonstration {
	return func(b *bench) {
		b.Helper()
		path := b.make(newThread(`{"platforms": ["` + platform + `"], "status": null, "publishNow": true, ` + more + `}`))
		if got := b.publish(path, 0, b.posts); len(got) != 2 || got[0] != want {
			b.Errorf("pauses = %v on %s, want %s after the first", got, platform, want)
		}
	}
}
