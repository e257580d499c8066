package gateway_test

import (
	"net/http"
	"strings"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

const (
	creation   = "POST /posts"
	commenting = "First-comment rules"
	inBulk     = "POST /posts/bulk"
)

func (b *bench) createRules() []rule {
	soon := `"status": null, "scheduledFor": "` + b.In(time.Hour) + `"`
	at := func(d time.Duration) request {
		return newPost(`{"status": null, "scheduledFor": "` + b.In(d) + `"}`)
	}
	none := newPost(`{"status": null}`)
	return []rule{
		{creation, "the content may be left out beside media", answered(http.StatusCreated, newPost(`{"content": null, "mediaItems": [`+anImage+`]}`), "post.content", "")},
		{creation, "each platform's limit of the text applies", invalid(newPost(`{"content": "`+gatewaytest.Zeros(301)+`", "platforms": ["mastodon", "bluesky"]}`), "content", "text_too_long", "bluesky")},
		{creation, "platforms are required", all(
			invalid(newPost(`{"platforms": null}`), "platforms", "required"),
			invalid(newPost(`{"platforms": []}`), "platforms", "required"),
		)},
		{creation, "a platform is an object or a bare name", all(
			func(b *bench) {
				r := newPost(`{"platforms": ["bluesky", {"platform": "mastodon", "accountId": "` + b.accounts[schema.Mastodon].String() + `", "content": "own"}]}`)
				b.has(b.send(r).Want(http.StatusCreated), "post.platforms.0.accountId", b.accounts[schema.Bluesky], "post.platforms.1.accountId", b.accounts[schema.Mastodon])
			},
			invalid(newPost(`{"platforms": [1]}`), "platforms[0]", "invalid_type"),
		)},
		{creation, "the account may be left out where there is only one", func(b *bench) {
			b.has(b.send(newPost(`{"platforms": [{"platform": "bluesky"}]}`)).Want(http.StatusCreated), "post.platforms.0.accountId", b.accounts[schema.Bluesky])
		}},
		{creation, "with several accounts on a platform the error lists the choices", func(b *bench) {
			second := b.AddAccount(b.Workspace, schema.Mastodon, "@second")
			for _, platforms := range []string{`["mastodon"]`, `[{"platform": "mastodon"}]`} {
				e := b.send(newPost(`{"platforms": `+platforms+`}`)).WantError(http.StatusBadRequest, "account_ambiguous")
				for _, id := range []schema.AccountID{b.accounts[schema.Mastodon], second} {
					if !strings.Contains(e.At("message").Text(), id.String()) {
						b.Errorf("message = %q, want %s among the choices", e.At("message").Text(), id)
					}
				}
			}
		}},
		{creation, "media items are optional", answered(http.StatusCreated, newPost(`{"mediaItems": null}`), "post.mediaItems", "[]")},
		{creation, "the status draft makes a draft", answered(http.StatusCreated, newPost(`{}`), "post.status", "draft", "post.scheduledFor", nil)},
		{creation, "the status scheduled is the default", answered(http.StatusCreated, newPost(`{`+soon+`}`), "post.status", "scheduled")},
		{creation, "the status scheduled may be named", answered(http.StatusCreated, newPost(`{"status": "scheduled", "scheduledFor": "`+b.In(time.Hour)+`"}`), "post.status", "scheduled")},
		{creation, "the status immediate publishes now", answered(http.StatusCreated, newPost(`{"status": "immediate"}`), "post.scheduledFor", b.timeIn(0))},
		{creation, "there is no other status to ask for", invalid(newPost(`{"status": "posted"}`), "status", "invalid_value")},
		{creation, "a time is at least 5 minutes ahead", all(
			answered(http.StatusCreated, at(5*time.Minute), "post.scheduledFor", b.timeIn(5*time.Minute)),
			invalid(at(5*time.Minute-3*time.Second), "scheduledFor", "time_too_early"),
			invalid(at(-time.Hour), "scheduledFor", "time_too_early"),
		)},
		{creation, "a time is at most 90 days ahead", all(
			answered(http.StatusCreated, at(90*24*time.Hour), "post.scheduledFor", b.timeIn(90*24*time.Hour)),
			invalid(at(90*24*time.Hour+time.Second), "scheduledFor", "time_too_late"),
		)},
		{creation, "a time without an offset is meant in the zone", answered(http.StatusCreated,
			newPost(`{"status": null, "timezone": "Asia/Kolkata", "scheduledFor": "`+b.Now().UTC().Add(5*time.Hour+30*time.Minute+time.Hour).Format("2006-01-02T15:04:05")+`"}`),
			"post.scheduledFor", b.timeIn(time.Hour), "post.timezone", "Asia/Kolkata")},
		{creation, "settings are kept by platform", answered(http.StatusCreated, newPost(`{"platformSettings": {"mastodon": {"visibility": "unlisted"}}}`),
			"post.platformSettings.mastodon.visibility", "unlisted")},
		{creation, "publishNow is false by default", invalid(none.with(`{"publishNow": false}`), "scheduledFor", "required")},
		{creation, "publishNow publishes at once", answered(http.StatusCreated, none.with(`{"publishNow": true}`), "post.scheduledFor", b.timeIn(0))},
		{creation, "queue is false by default", invalid(none.with(`{"queue": false}`), "scheduledFor", "required")},
		{creation, "queue takes the next slot of the queue", func(b *bench) {
			id := b.CreateQueue("Every hour", gatewaytest.EveryHour(), "")
			first, _ := b.QueueSlots(id)[0].(string)
			b.has(b.send(none.with(`{"queue": true}`)).Want(http.StatusCreated), "post.scheduledFor", first, "post.status", "scheduled")
		}},
		{creation, "firstComment is short for one with target 0", answered(http.StatusCreated, newPost(`{"firstComment": "c"}`),
			"post.firstComments.0.target", 0, "post.firstComments.0.text", "c")},
		{creation, "firstComments name a target and a text, and target 0 is the post", all(
			answered(http.StatusCreated, newPost(`{"firstComments": [{"target": 0, "text": "a"}, {"target": 0, "text": "b"}]}`), "post.firstComments.1.text", "b"),
			invalid(newPost(`{"firstComments": [{"target": 1, "text": "c"}]}`), "firstComments[0].target", "first_comment_target_invalid"),
			invalid(newPost(`{"firstComments": [{"target": 0}]}`), "firstComments[0].text", "required"),
			invalid(newPost(`{"firstComments": [{"target": 0.5, "text": "c"}]}`), "firstComments[0].target", "invalid_value"),
		)},
		{creation, "exactly one scheduling mode is wanted", all(
			invalid(none, "scheduledFor", "required"),
			invalid(newPost(`{"publishNow": true}`), "publishNow", "conflict"),
			invalid(newPost(`{"queue": true}`), "queue", "conflict"),
			invalid(newPost(`{"scheduledFor": "`+b.In(time.Hour)+`"}`), "scheduledFor", "conflict"),
			invalid(none.with(`{"publishNow": true, "queue": true}`), "queue", "conflict"),
			invalid(none.with(`{"publishNow": true, "scheduledFor": "`+b.In(time.Hour)+`"}`), "scheduledFor", "conflict"),
			invalid(none.with(`{"queue": true, "scheduledFor": "`+b.In(time.Hour)+`"}`), "scheduledFor", "conflict"),
		)},
		{creation, "a creation is answered with 201 and the post", answered(http.StatusCreated, newPost(`{}`), "success", true, "post.status", "draft")},
		{creation, "an invalid one with 400", failed(newPost(`{"content": 1}`), http.StatusBadRequest, "validation_error")},
		{creation, "one without a key with 401", func(b *bench) { b.Key = ""; b.send(newPost(`{}`)).WantError(http.StatusUnauthorized, "unauthorized") }},
		{creation, "one without permission with 403", func(b *bench) {
			b.Key = b.NewKey(b.Workspace, schema.Read)
			b.send(newPost(`{}`)).WantError(http.StatusForbidden, "forbidden")
		}},

		{commenting, "comments are of text alone", warned(newPost(`{"firstComments": [{"target": 0, "text": "c", "mediaItems": []}]}`), "firstComments[0].mediaItems", "unknown_field")},
		{commenting, "eight platforms take them", func(b *bench) {
			for _, p := range []string{"linkedin", "facebook", "instagram", "youtube", "twitter", "threads", "bluesky", "mastodon"} {
				b.has(b.send(postTo(p).with(`{"firstComment": "c"}`)).Want(http.StatusCreated), "warnings", nil)
			}
		}},
		{commenting, "four do not, and alone with those they are an error", func(b *bench) {
			for _, p := range []string{"tiktok", "pinterest", "telegram", "google-business"} {
				invalid(postTo(p).with(`{"firstComment": "c"}`), "firstComments[0]", "first_comment_unsupported", p)(b)
			}
			invalid(newPost(`{"platforms": ["telegram", "pinterest"], "mediaItems": [`+anImage+`], "firstComment": "c"}`), "firstComments[0]", "first_comment_unsupported", "pinterest")(b)
		}},
		{commenting, "a mixed selection gets a warning", warned(newPost(`{"platforms": ["mastodon", "telegram"], "firstComment": "c"}`), "firstComments[0]", "first_comment_skipped", "telegram")},

		{inBulk, "1 to 25 posts are wanted", all(
			invalid(bulk(0), "posts", "required"),
			invalid(request{http.MethodPost, "/posts/bulk", map[string]any{}}, "posts", "required"),
			answered(http.StatusCreated, bulk(1), "summary.total", 1),
			answered(http.StatusCreated, bulk(25), "summary.total", 25),
			invalid(bulk(26), "posts", "too_many"),
		)},
		{inBulk, "its zone is of entries without their own", answered(http.StatusCreated,
			bulk(0).with(`{"timezone": "Asia/Tokyo", "posts": [{"content": "a", "platforms": ["mastodon"], "status": "draft"}, {"content": "b", "platforms": ["mastodon"], "status": "draft", "timezone": "UTC"}]}`),
			"results.0.post.timezone", "Asia/Tokyo", "results.1.post.timezone", "UTC")},
		{inBulk, "entries succeed and fail by themselves, each with a result in a 201", answered(http.StatusCreated,
			bulk(0).with(`{"posts": [{"platforms": ["mastodon"], "status": "draft"}, {"content": "b", "platforms": ["mastodon"], "status": "draft"}, 3]}`),
			"success", true, "results.0.index", 0, "results.0.success", false, "results.0.error.code", "validation_error", "results.0.post", nil,
			"results.1.index", 1, "results.1.success", true, "results.1.post.content", "b", "results.1.error", nil, "results.2.success", false,
			"summary.total", 3, "summary.succeeded", 1, "summary.failed", 2)},
		{inBulk, "one without a key with 401", func(b *bench) { b.Key = ""; b.send(bulk(1)).WantError(http.StatusUnauthorized, "unauthorized") }},
		{inBulk, "one without permission with 403", func(b *bench) {
			b.Key = b.NewKey(b.Workspace, schema.Read)
			b.send(bulk(1)).WantError(http.StatusForbidden, "forbidden")
		}},
	}
}

// timeIn is a time as the API writes it.
func (b *bench) timeIn(ahead time.Duration) string {
	return b.Now().Add(ahead).UTC().Truncate(time.Second).Format("2006-01-02T15:04:05.000Z")
}

// bulk is the creation of n drafts at once.
func bulk(n int) request {
	posts := make([]any, n)
	for i := range posts {
		posts[i] = newPost(`{}`).body
	}
	return request{http.MethodPost, "/posts/bulk", map[string]any{"posts": posts}}
}

// postTo is the creation of a draft with all that a platform asks of a post.
func postTo(platform string) request {
	r := newPost(`{"platforms": ["` + platform + `"]}`)
	switch platform {
	case "instagram", "pinterest", "google-business":
		return r.with(`{"mediaItems": [` + anImage + `]}`)
	case "tiktok":
		return r.with(`{"mediaItems": [` + aVideo + `], "platformSettings": {"tiktok": {"privacy": "SELF_ONLY"}}}`)
	case "youtube":
		return r.with(`{"mediaItems": [` + aVideo + `], "platformSettings": {"youtube": {"title": "t"}}}`)
	}
	return r
}
