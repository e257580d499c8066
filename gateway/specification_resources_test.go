package gateway_test

import (
	"net/http"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

const (
	postResource    = "Post"
	entryResource   = "Platform entry"
	commentResource = "First-comment delivery record"
	mediaInput      = "Media item input"
	resultResource  = "Validation result"
	states          = "States and transitions"
	accountsSection = "Accounts"
	queuesSection   = "Queues (design)"
)

func (b *bench) resourceRules() []rule {
	local := func(r request, field string) demonstration {
		return func(b *bench) {
			b.Helper()
			for _, address := range []string{"/tmp/a.png", "a.png", "file:///etc/passwd", "ftp://media.example/a.png", "data:image/png;base64,AA", "http:///a.png"} {
				changed := r.with(`{"mediaItems": [{"type": "image", "url": "` + address + `"}]}`)
				invalid(changed, field, "url_invalid")(b)
			}
		}
	}
	return []rule{
		{postResource, "it has an id, a status, a text, a time, a zone, platforms, media, comments, settings and times", func(b *bench) {
			post := b.send(b.scheduled(`{"timezone": "Asia/Tokyo", "mediaItems": [` + anImage + `], "firstComment": "c", "platformSettings": {"mastodon": {"language": "en"}}}`)).
				Want(http.StatusCreated).At("post")
			b.has(post, "status", "scheduled", "content", "x", "scheduledFor", b.timeIn(time.Hour), "timezone", "Asia/Tokyo", "platforms.0.platform", "mastodon",
				"mediaItems.0.url", "https://media.example/a.png", "firstComments.0.text", "c", "platformSettings.mastodon.language", "en")
			if !strings.HasPrefix(post.At("id").Text(), "post_") || post.At("createdAt").Text() == "" || post.At("updatedAt").Text() == "" {
				b.Errorf("post = %v", post.Value)
			}
		}},
		{entryResource, "its content overrides the post's, on input only", func(b *bench) {
			r := newPost(`{"content": "` + gatewaytest.Zeros(501) + `", "platforms": [{"platform": "mastodon", "content": "own"}]}`)
			b.has(b.send(r).Want(http.StatusCreated), "post.platforms.0.content", nil)
			invalid(newPost(`{"platforms": [{"platform": "mastodon", "content": "`+gatewaytest.Zeros(501)+`"}]}`), "platforms[0].content", "text_too_long", "mastodon")(b)
		}},
		{entryResource, "its content goes before that of the settings", judged(newPost(`{"platforms": [{"platform": "mastodon", "content": "own"}], "platformSettings": {"mastodon": {"content": "`+gatewaytest.Zeros(501)+`"}}}`), "", "")},
		{entryResource, "its status is pending, posted or failed", func(b *bench) {
			path := b.make(onTwo("x"))
			b.has(b.send(get(path)).Want(http.StatusOK), "post.platforms.0.status", "pending")
			b.has(b.send(get(b.partlyPosted())).Want(http.StatusOK), "post.platforms.0.status", "posted", "post.platforms.1.status", "failed")
		}},
		{entryResource, "postId, postUrl and postedAt come with publishing", func(b *bench) {
			b.has(b.send(newPost(`{}`)).Want(http.StatusCreated), "post.platforms.0.postId", nil, "post.platforms.0.postUrl", nil, "post.platforms.0.postedAt", nil)
			b.has(b.send(get(b.postedPost())).Want(http.StatusOK), "post.platforms.1.postId", "n1-0", "post.platforms.1.postUrl", "https://native.example/1/0")
		}},
		{entryResource, "previousError is of an entry that is retried", func(b *bench) {
			path := b.failedPost()
			b.has(b.send(get(path)).Want(http.StatusOK), "post.platforms.0.previousError", nil)
			b.Request(http.MethodPost, path+"/retry", `{"platforms": ["mastodon"]}`).Want(http.StatusOK)
			b.has(b.send(get(path)).Want(http.StatusOK), "post.platforms.0.previousError", "no links here", "post.platforms.1.previousError", nil)
		}},
		{commentResource, "its status is posted, failed or skipped", func(b *bench) {
			for state, name := range map[schema.CommentState]string{schema.CommentPosted: "posted", schema.CommentFailed: "failed", schema.CommentSkipped: "skipped"} {
				path := b.postedPost()
				b.comment(path, state)
				b.has(b.send(get(path)).Want(http.StatusOK), "post.platforms.0.firstComments.0.status", name, "post.platforms.0.firstComments.0.target", 0)
			}
		}},
		{commentResource, "a failed comment fails no post", func(b *bench) {
			path := b.postedPost()
			b.comment(path, schema.CommentFailed)
			b.has(b.send(get(path)).Want(http.StatusOK), "post.status", "posted", "post.platforms.0.status", "posted")
		}},
		{commentResource, "comments of a platform that failed are skipped", func(b *bench) {
			b.has(b.send(get(b.failedPost())).Want(http.StatusOK), "post.platforms.0.firstComments.0.status", "skipped")
		}},
		{commenting, "a comment is due about 15 seconds after publishing", func(b *bench) {
			path := b.postedPost()
			seconds := b.count(`select extract(epoch from j.due_at - t.posted_at)::int from comments c join jobs j on j.id = c.id
				join targets t on t.post_id = c.post_id and t.n = c.n where c.post_id = $1 and c.n = 0`, b.idOf(path))
			if seconds < 14 || seconds > 17 {
				b.Errorf("due after %d s", seconds)
			}
		}},

		{mediaInput, "its type is image, video or pdf", all(
			judged(newPost(`{"mediaItems": [`+anImage+`]}`), "", ""), judged(newPost(`{"mediaItems": [`+aVideo+`]}`), "", ""),
			judged(postTo("linkedin").with(`{"mediaItems": [`+aPDF+`]}`), "", ""),
			invalid(newPost(`{"mediaItems": [{"type": "sound", "url": "https://media.example/a"}]}`), "mediaItems[0].type", "invalid_value"))},
		{mediaInput, "its url is a public one of http or https, on create", local(newPost(`{}`), "mediaItems[0].url")},
		{mediaInput, "its url is a public one of http or https, on validate", local(toValidate(`{}`), "mediaItems[0].url")},
		{mediaInput, "its url is a public one of http or https, on PATCH", func(b *bench) {
			local(request{http.MethodPatch, b.make(newPost(`{}`)), map[string]any{}}, "mediaItems[0].url")(b)
		}},
		{mediaInput, "its url is a public one of http or https, on bulk", answered(http.StatusCreated,
			bulk(0).with(`{"posts": [{"content": "x", "platforms": ["mastodon"], "status": "draft", "mediaItems": [{"type": "image", "url": "/tmp/a.png"}]}]}`),
			"results.0.success", false, "results.0.error.code", "validation_error", "results.0.error.details.0.field", "mediaItems[0].url")},
		{mediaInput, "its url is a public one of http or https, on threads", invalid(
			newThread(`{"posts": [{"content": "a"}, {"content": "b", "mediaItems": [{"type": "image", "url": "file:///a"}]}]}`), "posts[1].mediaItems[0].url", "url_invalid")},
		{mediaInput, "its address is public", all(
			invalid(newPost(`{"mediaItems": [{"type": "image", "url": "http://127.0.0.1/a.png"}]}`), "mediaItems[0].url", "url_invalid"),
			invalid(newPost(`{"mediaItems": [{"type": "image", "url": "https://internal.example/a.png"}]}`), "mediaItems[0].url", "url_invalid"))},
		{mediaInput, "an upload's id may stand for the url", func(b *bench) {
			id := b.probed(sample("mastodon", schema.Image)).String()
			b.has(b.send(newPost(`{"mediaItems": [{"type": "image", "mediaId": "`+id+`"}]}`)).Want(http.StatusCreated), "post.mediaItems.0.mediaId", id)
			invalid(newPost(`{"mediaItems": [{"type": "image", "mediaId": "media_01k9sr3q5wf2g8m7r4t0v1x2y3"}]}`), "mediaItems[0].mediaId", "media_unknown")(b)
		}},

		{resultResource, "it has a verdict, and one for each platform with what it counted", answered(http.StatusOK,
			toValidate(`{"content": "see https://example.com/a/long/address", "platforms": ["twitter", "bluesky"]}`), "validation.isValid", true,
			"validation.platforms.twitter.valid", true, "validation.platforms.twitter.contentLength", 27, "validation.platforms.twitter.maxLength", 280,
			"validation.platforms.twitter.remainingCharacters", 253, "validation.platforms.twitter.mediaValid", true, "validation.platforms.twitter.errors", nil,
			"validation.platforms.bluesky.contentLength", 38)},
		{resultResource, "errors are texts, there where it is not valid", func(b *bench) {
			platform := b.send(toValidate(`{"platforms": ["instagram"]}`)).Want(http.StatusOK).At("validation", "platforms", "instagram")
			b.has(platform, "valid", false, "mediaValid", false)
			if platform.At("errors", 0).Text() == "" {
				b.Errorf("platform = %v", platform.Value)
			}
		}},

		{states, "a creation with scheduledFor is scheduled and queued for its time", func(b *bench) {
			path := b.make(b.scheduled(`{}`))
			b.has(b.send(get(path)).Want(http.StatusOK), "post.status", "scheduled")
			b.due(path, time.Hour)
		}},
		{states, "a creation with publishNow is due at once", func(b *bench) {
			path := b.make(onTwo("x"))
			b.due(path, 0)
			b.publish(path, 0, b.posts)
			b.has(b.send(get(path)).Want(http.StatusOK), "post.status", "processing")
			b.publish(path, 1, b.posts)
			b.has(b.send(get(path)).Want(http.StatusOK), "post.status", "posted")
		}},
		{states, "a draft is queued for nothing", func(b *bench) {
			if jobs := b.count(`select count(*) from jobs where id = $1`, b.idOf(b.make(newPost(`{}`)))); jobs != 0 {
				b.Errorf("%d jobs, want none", jobs)
			}
		}},
		{states, "a draft becomes scheduled and a scheduled post a draft by PATCH", func(b *bench) {
			path := b.make(b.scheduled(`{}`))
			b.has(b.Request(http.MethodPatch, path, `{"status": "draft"}`).Want(http.StatusOK), "post.status", "draft")
			if jobs := b.count(`select count(*) from jobs where id = $1`, b.idOf(path)); jobs != 0 {
				b.Errorf("%d jobs of a draft", jobs)
			}
			b.has(b.Request(http.MethodPatch, path, `{"status": "scheduled"}`).Want(http.StatusOK), "post.status", "scheduled")
			b.due(path, time.Hour)
		}},
		{states, "a change of anything else keeps the status", func(b *bench) {
			b.has(b.Request(http.MethodPatch, b.make(newPost(`{}`)), `{"content": "z", "scheduledFor": "`+b.In(time.Hour)+`"}`).Want(http.StatusOK), "post.status", "draft")
			b.has(b.Request(http.MethodPatch, b.make(b.scheduled(`{}`)), `{"content": "z"}`).Want(http.StatusOK), "post.status", "scheduled")
		}},
		{states, "a scheduled post is queued again when its content, media, platforms, settings or time change", func(b *bench) {
			for _, change := range []string{`{"content": "z"}`, `{"mediaItems": [` + anImage + `]}`, `{"platforms": ["bluesky"]}`,
				`{"platformSettings": {"mastodon": {"language": "de"}}}`, `{"scheduledFor": "` + b.In(2*time.Hour) + `"}`} {
				path := b.make(b.scheduled(`{}`))
				b.Request(http.MethodPatch, path, change).Want(http.StatusOK)
				id := b.idOf(path)
				if b.count(`select count(*) from jobs j join posts p on p.id = j.id and p.version = j.version and p.version = 2 where p.id = $1`, id) != 1 {
					b.Errorf("%s: no job has the post's new version", change)
				}
			}
		}},
		{states, "a cancelled post's job is gone, and its platforms are cancelled", func(b *bench) {
			path := b.cancelled()
			if jobs := b.count(`select count(*) from jobs where id = $1`, b.idOf(path)); jobs != 0 {
				b.Errorf("%d jobs of a cancelled post", jobs)
			}
			b.has(b.send(get(path)).Want(http.StatusOK), "post.status", "cancelled", "post.platforms.0.status", "cancelled")
		}},
		{states, "a retry makes a failed post scheduled and its failed platforms pending", func(b *bench) {
			for _, path := range []string{b.failedPost(), b.partlyPosted()} {
				b.has(b.Request(http.MethodPost, path+"/retry", nil).Want(http.StatusOK), "post.status", "scheduled", "post.platforms.1.status", "pending")
			}
		}},
		{states, "processing and posted posts cannot be deleted", func(b *bench) {
			for _, path := range []string{b.processingPost(), b.postedPost()} {
				b.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")
			}
		}},
	}
}

func (b *bench) accountRules() []rule {
	missing := "/accounts/acc_01k9sr3q5wf2g8m7r4t0v1x2y3"
	return []rule{
		{accountsSection, "an account tells its id, source, brand, platform and whether it is connected", func(b *bench) {
			brand := b.Request(http.MethodPost, "/brands", `{"name": "B"}`).Want(http.StatusCreated).At("brand", "id").Text()
			path := "/accounts/" + b.accounts[schema.Bluesky].String()
			b.Request(http.MethodPatch, path, `{"brandId": "`+brand+`"}`).Want(http.StatusOK)
			b.has(b.send(get(path)).Want(http.StatusOK), "success", true, "account.id", b.accounts[schema.Bluesky], "account.source", "api", "account.brandId", brand,
				"account.brandName", "B", "account.platform", "bluesky", "account.isConnected", true, "account.needsReconnect", false)
		}},
		{accountsSection, "a dead token shows", func(b *bench) {
			b.exec(`update accounts set needs_reconnect = true where id = $1`, b.accounts[schema.Bluesky])
			b.has(b.send(get("/accounts/"+b.accounts[schema.Bluesky].String())).Want(http.StatusOK), "account.isConnected", false, "account.needsReconnect", true)
		}},
		{accountsSection, "all accounts are listed", func(b *bench) {
			if n := b.send(get("/accounts")).Want(http.StatusOK).At("accounts").Len(); n != len(schema.Platforms()) {
				b.Errorf("%d accounts, want one of each platform", n)
			}
		}},
		{accountsSection, "accounts are filtered by platform and by brand", func(b *bench) {
			b.has(b.send(get("/accounts?platform=tiktok")).Want(http.StatusOK), "accounts.0.platform", "tiktok", "accounts.1", nil)
			brand := b.Request(http.MethodPost, "/brands", `{"name": "B"}`).Want(http.StatusCreated).At("brand", "id").Text()
			b.Request(http.MethodPatch, "/accounts/"+b.accounts[schema.YouTube].String(), `{"brandId": "`+brand+`"}`).Want(http.StatusOK)
			b.has(b.send(get("/accounts?brandId="+brand)).Want(http.StatusOK), "accounts.0.platform", "youtube", "accounts.1", nil)
			b.send(get("/accounts?platform=myspace")).WantError(http.StatusBadRequest, "validation_error")
		}},
		{accountsSection, "one that is not there is answered with 404", all(failed(get(missing), http.StatusNotFound, "not_found"), failed(get(missing+"/health"), http.StatusNotFound, "not_found"))},
		{accountsSection, "a caller without a key is answered with 401", func(b *bench) {
			b.Key = ""
			for _, path := range []string{"/accounts", missing, "/accounts/health", missing + "/health"} {
				b.send(get(path)).WantError(http.StatusUnauthorized, "unauthorized")
			}
		}},
		{accountsSection, "the health of one is the platform's word, with where to connect again", func(b *bench) {
			account := b.connected("/connect/mastodon", `{"accessToken": "token"}`)
			b.has(b.send(get(account+"/health")).Want(http.StatusOK), "success", true, "health.status", "healthy", "health.reconnectUrl", nil)
			b.Platforms.Inject(schema.Mastodon, simulation.Fault{Status: http.StatusServiceUnavailable})
			b.has(b.send(get(account+"/health")).Want(http.StatusOK), "health.status", "error", "health.needsReconnect", false)
			b.Platforms.Inject(schema.Mastodon, simulation.Fault{Status: http.StatusUnauthorized})
			expired := b.send(get(account + "/health")).Want(http.StatusOK)
			b.has(expired, "health.status", "expired")
			if address := expired.At("health", "reconnectUrl").Text(); !strings.HasPrefix(address, "https://crier.example/api/v1/connect/mastodon/reconnect?token=") {
				b.Errorf("reconnectUrl = %q", address)
			}
		}},
		{accountsSection, "the health of all is counted in buckets, and filtered", func(b *bench) {
			b.exec(`update accounts set disconnected_at = now() where workspace_id = $1`, b.Workspace)
			b.connected("/connect/mastodon", `{"accessToken": "token"}`)
			b.connected("/connect/bluesky", gatewaytest.BlueskyLogin)
			all := b.send(get("/accounts/health")).Want(http.StatusOK)
			b.has(all, "summary.total", 2, "summary.healthy", 2, "summary.expired", 0, "summary.error", 0, "results.0.status", "healthy", "results.2", nil)
			b.has(b.send(get("/accounts/health?platform=bluesky")).Want(http.StatusOK), "summary.total", 1, "results.0.platform", "bluesky")
			b.send(get("/accounts/health?brandId=x")).WantError(http.StatusBadRequest, "validation_error")
		}},
		{accountsSection, "telegram's channels are registered by their own route", func(b *bench) {
			answer := b.Request(http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:secret-token", "chatId": "@acme_news"}`).Want(http.StatusCreated)
			b.has(answer, "accounts.0.platform", "telegram", "accounts.0.name", "@acme_news")
		}},
		{accountsSection, "a platform without an account takes no post", func(b *bench) {
			b.exec(`update accounts set disconnected_at = now() where id = $1`, b.accounts[schema.Telegram])
			invalid(newPost(`{"platforms": ["telegram"]}`), "platforms[0].accountId", "account_missing", "telegram")(b)
		}},
		{accountsSection, "a brand is made, named, read, listed and deleted", func(b *bench) {
			path := "/brands/" + b.Request(http.MethodPost, "/brands", `{"name": "B"}`).Want(http.StatusCreated).At("brand", "id").Text()
			b.has(b.Request(http.MethodPatch, path, `{"name": "C"}`).Want(http.StatusOK), "brand.name", "C")
			b.has(b.send(get(path)).Want(http.StatusOK), "brand.name", "C")
			b.has(b.send(get("/brands")).Want(http.StatusOK), "brands.0.name", "C", "brands.1", nil)
			b.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
			b.send(get(path)).WantError(http.StatusNotFound, "not_found")
		}},

		{queuesSection, "a queue has named weekly slots in a zone", func(b *bench) {
			path := "/queues/" + b.CreateQueue("Mornings", `{"day": "monday", "time": "09:00"}`, `, "timezone": "Europe/Berlin"`)
			b.has(b.send(get(path)).Want(http.StatusOK), "queue.name", "Mornings", "queue.timezone", "Europe/Berlin", "queue.slots.0.day", "monday", "queue.slots.0.time", "09:00", "queue.isDefault", true)
			b.has(b.Request(http.MethodPatch, path, `{"slots": [{"day": "friday", "time": "12:30"}]}`).Want(http.StatusOK), "queue.slots.0.time", "12:30", "queue.slots.1", nil)
			b.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
			b.send(get(path)).WantError(http.StatusNotFound, "not_found")
		}},
		{queuesSection, "its free slots can be looked at", func(b *bench) {
			if n := len(b.QueueSlots(b.CreateQueue("All", gatewaytest.EveryHour(), ""))); n == 0 {
				b.Error("no slots")
			}
		}},
		{queuesSection, "queue takes the default's next free slot, and no slot twice", func(b *bench) {
			slots := b.QueueSlots(b.CreateQueue("All", gatewaytest.EveryHour(), ""))
			for i := range 3 {
				b.has(b.send(newPost(`{"status": null, "queue": true}`)).Want(http.StatusCreated), "post.scheduledFor", slots[i])
			}
		}},
		{queuesSection, "queueId names another queue", func(b *bench) {
			b.CreateQueue("All", gatewaytest.EveryHour(), "")
			other := b.CreateQueue("Half", `{"day": "monday", "time": "09:30"}`, "")
			next := b.QueueSlots(other)[0]
			b.has(b.send(newPost(`{"status": null, "queueId": "`+other+`"}`)).Want(http.StatusCreated), "post.queueId", other, "post.scheduledFor", next)
			invalid(newPost(`{"status": null, "queueId": "queue_1"}`), "queueId", "queue_unknown")(b)
		}},
		{queuesSection, "without a queue there is no slot", invalid(newPost(`{"status": null, "queue": true}`), "queue", "queue_missing")},
	}
}

// connected connects an account to a simulator and returns its path.
func (b *bench) connected(path, body string) string {
	b.Helper()
	b.exec(`delete from accounts where workspace_id = $1 and sealed = 'sealed' and platform = any(array[$2, $3]::smallint[])`,
		b.Workspace, int16(schema.Mastodon), int16(schema.Bluesky))
	return "/accounts/" + b.Request(http.MethodPost, path, body).Want(http.StatusCreated).At("account", "id").Text()
}
