package gateway_test

import (
	"fmt"
	"net/http"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

const (
	listing    = "GET /posts"
	reading    = "GET /posts/{id}"
	patching   = "PATCH /posts/{id}"
	deleting   = "DELETE /posts/{id}"
	retrying   = "POST /posts/{id}/retry"
	validating = "POST /posts/validate"
)

// missingPost is the path of a post that is not there.
const missingPost = "/posts/post_01k9sr3q5wf2g8m7r4t0v1x2y3"

func (b *bench) listRules() []rule {
	return []rule{
		{listing, "posts are found by status", func(b *bench) {
			b.make(newPost(`{}`))
			b.make(b.scheduled(`{"content": "s"}`))
			b.cancelled()
			b.failedPost()
			b.postedPost()
			b.partlyPosted()
			for status, content := range map[string]string{
				"draft": "x", "scheduled": "s", "cancelled": "c", "failed": "f", "posted": "p", "partially_failed": "h",
			} {
				b.finds("?status="+status, content)
			}
			b.finds("?status=immediate")
			b.send(get("/posts?status=lost")).WantError(http.StatusBadRequest, "validation_error")
		}},
		{listing, "posts are found by platform", func(b *bench) {
			b.make(newPost(`{"content": "a"}`))
			b.make(newPost(`{"content": "b", "platforms": ["bluesky", "telegram"]}`))
			b.finds("?platform=telegram", "b")
			b.finds("?platform=twitter")
		}},
		{listing, "posts are found by brand", func(b *bench) {
			brand := b.Request(http.MethodPost, "/brands", `{"name": "B"}`).Want(http.StatusCreated).At("brand", "id").Text()
			b.make(newPost(`{"content": "a"}`))
			b.make(newPost(`{"content": "b", "brandId": "` + brand + `"}`))
			b.finds("?brandId="+brand, "b")
		}},
		{listing, "posts are found at or after and at or before a time", func(b *bench) {
			for i := 1; i <= 3; i++ {
				b.make(newPost(fmt.Sprintf(`{"content": "%d", "status": null, "scheduledFor": %q}`, i, b.In(time.Duration(i)*time.Hour))))
			}
			b.finds("?after="+b.In(2*time.Hour), "3", "2")
			b.finds("?before="+b.In(2*time.Hour), "2", "1")
			b.finds("?after="+b.In(2*time.Hour)+"&before="+b.In(2*time.Hour), "2")
		}},
		{listing, "a page has 20 unless told, and is the first", func(b *bench) {
			b.send(bulk(21)).Want(http.StatusCreated)
			page := b.send(get("/posts")).Want(http.StatusOK)
			b.has(page, "pagination.limit", 20, "pagination.page", 1, "pagination.total", 21, "pagination.pages", 2, "pagination.hasMore", true)
			if page.At("posts").Len() != 20 {
				b.Errorf("%d posts, want 20", page.At("posts").Len())
			}
			b.has(b.send(get("/posts?page=2")).Want(http.StatusOK), "pagination.page", 2, "pagination.hasMore", false)
			b.has(b.send(get("/posts?limit=3&page=7")).Want(http.StatusOK), "pagination.pages", 7, "pagination.hasMore", false)
		}},
		{listing, "the newest scheduled comes first", func(b *bench) {
			for _, i := range []int{2, 3, 1} {
				b.make(newPost(fmt.Sprintf(`{"content": "%d", "status": null, "scheduledFor": %q}`, i, b.In(time.Duration(i)*time.Hour))))
			}
			b.finds("", "3", "2", "1")
		}},
		{listing, "only posts of the API are listed", func(b *bench) {
			path := b.make(newPost(`{}`))
			b.has(b.send(get(path)).Want(http.StatusOK), "post.isApiPost", true)
			b.exec(`update posts set from_api = false where id = $1`, b.idOf(path))
			b.finds("")
		}},
		{listing, "a list without a key is answered with 401", func(b *bench) { b.Key = ""; b.send(get("/posts")).WantError(http.StatusUnauthorized, "unauthorized") }},

		{reading, "a post shows what became of it on each platform", func(b *bench) {
			post := b.send(get(b.postedPost())).Want(http.StatusOK).At("post")
			b.has(post, "status", "posted", "platforms.0.status", "posted", "platforms.0.postId", "n0-0", "platforms.0.postUrl", "https://native.example/0/0")
			if _, err := time.Parse(time.RFC3339, post.At("platforms", 0, "postedAt").Text()); err != nil {
				b.Error(err)
			}
		}},
		{reading, "a post shows what became of its first comments on each platform", func(b *bench) {
			path := b.postedPost()
			b.comment(path, schema.CommentPosted)
			b.has(b.send(get(path)).Want(http.StatusOK), "post.platforms.0.firstComments.0.target", 0,
				"post.platforms.0.firstComments.0.status", "posted", "post.platforms.0.firstComments.0.commentId", "c1",
				"post.platforms.0.firstComments.0.url", "https://native.example/c1")
		}},
		{reading, "one that is not there is answered with 404", failed(get(missingPost), http.StatusNotFound, "not_found")},
		{reading, "a reader without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.send(get(missingPost)).WantError(http.StatusUnauthorized, "unauthorized")
		}},

		{deleting, "a draft is removed", func(b *bench) {
			path := b.make(newPost(`{}`))
			b.has(b.Request(http.MethodDelete, path, nil).Want(http.StatusOK), "success", true, "deleted", true, "id", path[len("/posts/"):], "method", nil)
			b.send(get(path)).WantError(http.StatusNotFound, "not_found")
		}},
		{deleting, "a scheduled post is cancelled", func(b *bench) {
			path := b.make(b.scheduled(`{}`))
			b.has(b.Request(http.MethodDelete, path, nil).Want(http.StatusOK), "deleted", true, "id", path[len("/posts/"):], "method", "cancelled")
			b.has(b.send(get(path)).Want(http.StatusOK), "post.status", "cancelled", "post.platforms.0.status", "cancelled")
		}},
		{deleting, "one that cannot be deleted is answered with 400", func(b *bench) {
			b.Request(http.MethodDelete, b.postedPost(), nil).WantError(http.StatusBadRequest, "invalid_state")
		}},
		{deleting, "one that is not there is answered with 404", failed(request{http.MethodDelete, missingPost, nil}, http.StatusNotFound, "not_found")},
		{deleting, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.Request(http.MethodDelete, missingPost, nil).WantError(http.StatusUnauthorized, "unauthorized")
		}},

		{retrying, "failed and partially failed posts can be retried, others cannot", func(b *bench) {
			b.Request(http.MethodPost, b.failedPost()+"/retry", nil).Want(http.StatusOK)
			b.Request(http.MethodPost, b.partlyPosted()+"/retry", nil).Want(http.StatusOK)
			for _, path := range []string{b.make(newPost(`{}`)), b.make(b.scheduled(`{}`)), b.postedPost(), b.cancelled(), b.processingPost()} {
				b.Request(http.MethodPost, path+"/retry", nil).WantError(http.StatusBadRequest, "invalid_state")
			}
		}},
		{retrying, "all failed platforms are retried unless some are named", func(b *bench) {
			path := b.failedPost()
			b.has(b.Request(http.MethodPost, path+"/retry", `{}`).Want(http.StatusOK), "retriedPlatforms", "[mastodon bluesky]", "post.status", "scheduled")
			path = b.failedPost()
			b.has(b.Request(http.MethodPost, path+"/retry", `{"platforms": ["bluesky"]}`).Want(http.StatusOK), "retriedPlatforms", "[bluesky]",
				"post.platforms.0.status", "failed", "post.platforms.1.status", "pending")
			b.Request(http.MethodPost, b.failedPost()+"/retry", `{"platforms": ["myspace"]}`).WantError(http.StatusBadRequest, "validation_error")
		}},
		{retrying, "a delay is in seconds, by default none", func(b *bench) {
			path := b.failedPost()
			b.Request(http.MethodPost, path+"/retry", `{"delay": 3600}`).Want(http.StatusOK)
			b.due(path, time.Hour)
			path = b.failedPost()
			b.Request(http.MethodPost, path+"/retry", nil).Want(http.StatusOK)
			b.due(path, 0)
			b.Request(http.MethodPost, b.failedPost()+"/retry", `{"delay": -1}`).WantError(http.StatusBadRequest, "validation_error")
		}},
		{retrying, "one that is not there is answered with 404", failed(request{http.MethodPost, missingPost + "/retry", nil}, http.StatusNotFound, "not_found")},
		{retrying, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.Request(http.MethodPost, missingPost+"/retry", nil).WantError(http.StatusUnauthorized, "unauthorized")
		}},

		{validating, "nothing is made", func(b *bench) {
			b.send(toValidate(`{}`)).Want(http.StatusOK)
			b.finds("")
		}},
		{validating, "it takes nothing of the posts of a month", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.Workspace)
			for range 5 {
				b.send(toValidate(`{}`)).Want(http.StatusOK)
			}
			for range 4 {
				b.send(newPost(`{}`)).Want(http.StatusCreated)
			}
			b.send(newPost(`{}`)).WantError(http.StatusForbidden, "plan_limit_reached")
		}},
		{validating, "at least one platform is wanted, by name", all(
			invalid(toValidate(`{"platforms": null}`), "platforms", "required"),
			invalid(toValidate(`{"platforms": []}`), "platforms", "required"),
			invalid(toValidate(`{"platforms": ["myspace"]}`), "platforms[0]", "invalid_value"),
			answered(http.StatusOK, toValidate(`{"platforms": ["mastodon"]}`), "validation.isValid", true),
		)},
		{validating, "the content may be left out", answered(http.StatusOK, toValidate(`{"content": null, "mediaItems": [`+anImage+`]}`), "validation.isValid", true)},
		{validating, "media, settings and comments are judged too", answered(http.StatusOK,
			toValidate(`{"mediaItems": [`+aPDF+`], "platformSettings": {"mastodon": {"visibility": "loud"}}, "firstComments": [{"target": 0, "text": ""}]}`),
			"validation.isValid", false, "validation.platforms.mastodon.mediaValid", false, "validation.platforms.mastodon.valid", false)},
		{validating, "it finds what a creation finds", func(b *bench) {
			for _, changes := range []string{
				`{"content": "` + gatewaytest.Zeros(501) + `", "platforms": ["mastodon", "bluesky", "twitter"]}`,
				`{"platforms": ["instagram", "tiktok", "youtube", "google-business"]}`,
				`{"platforms": ["mastodon", "telegram"], "firstComment": "c", "platformSettings": {"mastodon": {"colour": "red"}}}`,
				`{"firstComments": [{"target": 3, "text": "c"}], "mediaItems": [` + aVideo + `,` + anImage + `]}`,
			} {
				b.agree(changes)
			}
		}},
		{validating, "it is answered with the validation", answered(http.StatusOK, toValidate(`{}`), "success", true, "validation.isValid", true)},
		{validating, "a request that is none is answered with 400", failed(toValidate(`{"content": 1}`), http.StatusBadRequest, "validation_error")},
		{validating, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.send(toValidate(`{}`)).WantError(http.StatusUnauthorized, "unauthorized")
		}},
	}
}

func (b *bench) patchRules() []rule {
	full := `{"platforms": ["mastodon"], "mediaItems": [` + anImage + `], "firstComment": "c", "platformSettings": {"mastodon": {"language": "en"}}, "metadata": {"a": "b"}}`
	return []rule{
		{patching, "drafts and scheduled posts can be changed, others cannot", func(b *bench) {
			for _, path := range []string{b.make(newPost(`{}`)), b.make(b.scheduled(`{}`))} {
				b.has(b.Request(http.MethodPatch, path, `{"content": "z"}`).Want(http.StatusOK), "post.content", "z")
			}
			for _, path := range []string{b.processingPost(), b.postedPost(), b.failedPost(), b.partlyPosted(), b.cancelled()} {
				b.Request(http.MethodPatch, path, `{"content": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
			}
		}},
		{patching, "what is left out stays", func(b *bench) {
			path := b.make(newPost(full))
			before := b.send(get(path)).Want(http.StatusOK).At("post")
			after := b.Request(http.MethodPatch, path, `{}`).Want(http.StatusOK).At("post")
			for _, field := range []string{"content", "platforms", "mediaItems", "firstComments", "platformSettings", "metadata", "status", "timezone"} {
				b.has(after, field, before.At(field).Value)
			}
		}},
		{patching, "content", changed(newPost(full), `{"content": "z"}`, "content", "z")},
		{patching, "platforms replaces the targets", changed(newPost(full), `{"platforms": ["bluesky"]}`, "platforms.0.platform", "bluesky", "platforms.1", nil)},
		{patching, "mediaItems replaces all media", changed(newPost(full), `{"mediaItems": [`+aVideo+`]}`, "mediaItems.0.type", "video", "mediaItems.1", nil)},
		{patching, "an empty mediaItems removes them", changed(newPost(full), `{"mediaItems": []}`, "mediaItems", "[]")},
		{patching, "scheduledFor is 5 minutes to 90 days ahead", all(
			changed(b.scheduled(`{}`), `{"scheduledFor": "`+b.In(5*time.Minute)+`"}`, "scheduledFor", b.timeIn(5*time.Minute)),
			changed(b.scheduled(`{}`), `{"scheduledFor": "`+b.In(90*24*time.Hour)+`"}`, "scheduledFor", b.timeIn(90*24*time.Hour)),
			stays(b.scheduled(`{}`), `{"scheduledFor": "`+b.In(4*time.Minute)+`"}`, "scheduledFor", "time_too_early"),
			stays(b.scheduled(`{}`), `{"scheduledFor": "`+b.In(90*24*time.Hour+time.Second)+`"}`, "scheduledFor", "time_too_late"),
		)},
		{patching, "timezone", changed(newPost(full), `{"timezone": "Asia/Tokyo"}`, "timezone", "Asia/Tokyo")},
		{patching, "status is draft or scheduled", all(
			changed(b.scheduled(`{}`), `{"status": "draft"}`, "status", "draft"),
			changed(newPost(`{}`), `{"status": "scheduled", "scheduledFor": "`+b.In(time.Hour)+`"}`, "status", "scheduled", "scheduledFor", b.timeIn(time.Hour)),
			stays(newPost(`{}`), `{"status": "immediate"}`, "status", "invalid_value"),
			stays(newPost(`{}`), `{"status": "scheduled"}`, "scheduledFor", "required"),
		)},
		{patching, "platformSettings", changed(newPost(full), `{"platformSettings": {"mastodon": {"visibility": "direct"}}}`, "platformSettings.mastodon.visibility", "direct")},
		{patching, "firstComment", changed(newPost(full), `{"firstComment": "d"}`, "firstComments.0.text", "d")},
		{patching, "firstComments replaces all", changed(newPost(full), `{"firstComments": [{"target": 0, "text": "d"}, {"target": 0, "text": "e"}]}`,
			"firstComments.0.text", "d", "firstComments.1.text", "e", "firstComments.2", nil)},
		{patching, "an empty firstComments clears them", changed(newPost(full), `{"firstComments": []}`, "firstComments", "[]")},
		{patching, "comments change without rescheduling", func(b *bench) {
			path := b.make(b.scheduled(`{"firstComment": "c"}`))
			b.has(b.Request(http.MethodPatch, path, `{"firstComments": [{"target": 0, "text": "d"}]}`).Want(http.StatusOK).At("post"),
				"scheduledFor", b.timeIn(time.Hour), "status", "scheduled", "firstComments.0.text", "d")
			b.due(path, time.Hour)
		}},
		{patching, "the change is checked as a creation is", all(
			stays(newPost(`{}`), `{"content": "`+gatewaytest.Zeros(501)+`"}`, "content", "text_too_long"),
			stays(newPost(`{}`), `{"platforms": ["instagram"]}`, "mediaItems", "media_required"),
			stays(newPost(`{}`), `{"firstComments": [{"target": 0, "text": ""}]}`, "firstComments[0].text", "first_comment_empty"),
		)},
		{patching, "one that is not there is answered with 404", failed(request{http.MethodPatch, missingPost, `{}`}, http.StatusNotFound, "not_found")},
		{patching, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			b.Request(http.MethodPatch, missingPost, `{}`).WantError(http.StatusUnauthorized, "unauthorized")
		}},
	}
}

// changed shows that a change of a post has these effects, now and later.
func changed(before request, change string, pairs ...any) demonstration {
	return func(b *bench) {
		b.Helper()
		path := b.make(before)
		b.has(b.Request(http.MethodPatch, path, change).Want(http.StatusOK).At("post"), pairs...)
		b.has(b.send(get(path)).Want(http.StatusOK).At("post"), pairs...)
	}
}

// stays shows that a change of a post is invalid for a code in a field.
func stays(before request, change, field, code string) demonstration {
	return func(b *bench) {
		b.Helper()
		path := b.make(before)
		was := b.send(get(path)).Want(http.StatusOK)
		b.named(b.Request(http.MethodPatch, path, change).WantError(http.StatusBadRequest, "validation_error").At("details"), field, code)
		b.has(b.send(get(path)).Want(http.StatusOK), "post", was.At("post").Value)
	}
}

// toValidate has a post for mastodon judged, except for the changes.
func toValidate(changes string) request {
	return request{http.MethodPost, "/posts/validate", map[string]any{"content": "x", "platforms": []any{"mastodon"}}}.with(changes)
}

// agree fails the test unless validation and creation find the same.
func (b *bench) agree(changes string) {
	b.Helper()
	found := b.send(toValidate(changes)).Want(http.StatusOK).At("validation")
	response := b.send(newPost(changes))
	if found.At("isValid").Value == true {
		b.has(response.Want(http.StatusCreated), "warnings", orNil(found.At("warnings")))
		return
	}
	b.has(response.WantError(http.StatusBadRequest, "validation_error"), "details", found.At("errors").Value)
}

func orNil(list gatewaytest.JSON) any {
	if list.Len() == 0 {
		return nil
	}
	return list.Value
}

// finds fails the test unless a list has the posts of these contents, in order.
func (b *bench) finds(query string, contents ...string) {
	b.Helper()
	posts := b.send(get("/posts" + query)).Want(http.StatusOK).At("posts")
	found := []string{}
	for i := range posts.Len() {
		found = append(found, posts.At(i, "content").Text())
	}
	if fmt.Sprint(found) != fmt.Sprint(contents) {
		b.Errorf("%s finds %q, want %q", query, found, contents)
	}
}
