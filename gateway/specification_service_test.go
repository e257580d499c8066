package gateway_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier/connectors/catalog"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

const (
	webhooksSection = "Webhooks"
	eventsSection   = "Events"
	authentication  = "Authentication"
	errorsSection   = "Errors"
	rates           = "Request rate"
	dailyLimits     = "Daily posting limits per profile"
	idempotency     = "Idempotency"
	versioning      = "Versioning"
	mediaSection    = "Media"
	knownByName     = "Operations known by name only"
)

const aHook = `{"url": "https://hooks.example/crier", "events": ["post.published", "post.failed"]}`

func webhookRules() []rule {
	return []rule{
		{webhooksSection, "a webhook shows its id, url, events, state and times, and its secret once", func(b *bench) {
			webhook := b.Request(http.MethodPost, "/webhooks", aHook).Want(http.StatusCreated).At("webhook")
			b.has(webhook, "url", "https://hooks.example/crier", "events", "[post.published post.failed]", "isActive", true, "lastDeliveredAt", nil,
				"consecutiveFailures", 0, "disabledAt", nil, "disabledReason", nil)
			if webhook.At("secret").Text() == "" || webhook.At("createdAt").Text() == "" {
				b.Errorf("webhook = %v", webhook.Value)
			}
			b.has(b.send(get("/webhooks/"+webhook.At("id").Text())).Want(http.StatusOK), "webhook.secret", nil, "deliveries", "[]")
			b.has(b.send(get("/webhooks")).Want(http.StatusOK), "webhooks.0.id", webhook.At("id").Text(), "webhooks.0.secret", nil, "webhooks.1", nil)
		}},
		{webhooksSection, "a url is required, of https, and publicly reachable", func(b *bench) {
			hook := request{http.MethodPost, "/webhooks", map[string]any{"events": []any{"post.failed"}}}
			invalid(hook, "url", "required")(b)
			for _, address := range []string{"http://hooks.example/", "https://10.1.2.3/", "https://internal.example/", "https://[::1]/"} {
				b.named(b.send(hook.with(`{"url": "`+address+`"}`)).WantError(http.StatusBadRequest, "validation_error").At("details"), "url", "url_invalid")
			}
		}},
		{webhooksSection, "events are required, of those there are", func(b *bench) {
			hook := request{http.MethodPost, "/webhooks", map[string]any{"url": "https://hooks.example/"}}
			invalid(hook, "events", "required")(b)
			invalid(hook.with(`{"events": ["post.lost"]}`), "events[0]", "invalid_value")(b)
		}},
		{webhooksSection, "PATCH changes the url, replaces the events, pauses and goes on", func(b *bench) {
			path := b.hook()
			b.has(b.Request(http.MethodPatch, path, `{"events": ["thread.failed"], "isActive": false, "url": "https://hooks.example/b"}`).Want(http.StatusOK),
				"webhook.events", "[thread.failed]", "webhook.isActive", false, "webhook.url", "https://hooks.example/b", "webhook.disabledAt", nil)
		}},
		{webhooksSection, "one that was disabled is enabled by PATCH, which forgets its failures", func(b *bench) {
			path := b.hook()
			b.exec(`update webhooks set active = false, consecutive_failures = 10, disabled_at = now(), disabled_reason = 'ten failures' where workspace_id = $1`, b.Workspace)
			b.has(b.send(get(path)).Want(http.StatusOK), "webhook.isActive", false, "webhook.consecutiveFailures", 10, "webhook.disabledReason", "ten failures")
			b.has(b.Request(http.MethodPatch, path, `{"isActive": true}`).Want(http.StatusOK), "webhook.isActive", true, "webhook.consecutiveFailures", 0,
				"webhook.disabledAt", nil, "webhook.disabledReason", nil)
		}},
		{webhooksSection, "DELETE ends it", func(b *bench) {
			path := b.hook()
			if b.Request(http.MethodDelete, path, nil).Want(http.StatusOK).At("message").Text() == "" {
				b.Error("no message")
			}
			b.send(get(path)).WantError(http.StatusNotFound, "not_found")
		}},
		{webhooksSection, "a test of each event is delivered, signed, with sample data as described", func(b *bench) {
			b.leniently()
			r := &recorder{}
			server := httptest.NewServer(r)
			defer server.Close()
			webhook := b.Request(http.MethodPost, "/webhooks", `{"url": "`+server.URL+`", "events": ["post.failed"]}`).Want(http.StatusCreated).At("webhook")
			path := "/webhooks/" + webhook.At("id").Text() + "/test"
			for _, event := range schema.EventTypes() {
				b.has(b.Request(http.MethodPost, path, `{"event": "`+string(event)+`"}`).Want(http.StatusOK), "test.event", string(event), "test.responseCode", 202)
				var got schema.WebhookPayload
				if err := json.Unmarshal(r.body, &got); err != nil {
					b.Fatal(err)
				}
				if got.Event != event || !got.Test || !signedBy(r, webhook.At("secret").Text()) {
					b.Errorf("received %s with %v", r.body, r.header)
				}
				b.Description.CheckEvent(b, got)
			}
			b.Request(http.MethodPost, path, `{}`).WantError(http.StatusBadRequest, "validation_error")
			b.Request(http.MethodPost, path, `{"event": "post.lost"}`).WantError(http.StatusBadRequest, "validation_error")
		}},

		{eventsSection, "there are thirteen, and all can be subscribed to", func(b *bench) {
			names := []string{"post.scheduled", "post.published", "post.failed", "post.cancelled", "post.updated", "thread.scheduled", "thread.published",
				"thread.partially_published", "thread.failed", "account.connected", "account.disconnected", "account.error", "account.token_expiring"}
			hook := `{"url": "https://hooks.example/", "events": ["` + strings.Join(names, `", "`) + `"]}`
			if n := b.Request(http.MethodPost, "/webhooks", hook).Want(http.StatusCreated).At("webhook", "events").Len(); n != 13 {
				b.Errorf("%d events, want 13", n)
			}
		}},
		{eventsSection, "post.scheduled, post.updated and post.cancelled tell of changes", func(b *bench) {
			b.sends(func() { b.make(newPost(`{}`)) })
			var path string
			b.sends(func() { path = b.make(b.scheduled(`{}`)) }, schema.PostScheduled)
			b.sends(func() { b.Request(http.MethodPatch, path, `{"content": "z"}`).Want(http.StatusOK) }, schema.PostUpdated)
			b.sends(func() { b.Request(http.MethodDelete, path, nil).Want(http.StatusOK) }, schema.PostCancelled)
		}},
		{eventsSection, "post.published comes when a post is done; its status reads published, each platform has its own", func(b *bench) {
			data := b.sends(func() { b.partlyPosted() }, schema.PostScheduled, schema.PostPublished)[schema.PostPublished]
			b.has(data.At("post"), "status", "published", "content", "h", "platforms.0.platform", "mastodon", "platforms.0.status", "posted",
				"platforms.0.postId", "n0-0", "platforms.0.url", "https://native.example/0/0", "platforms.1.status", "failed")
			if data.At("post", "publishedAt").Text() == "" || data.At("post", "id").Text() == "" || data.At("post", "platforms", 0, "postedAt").Text() == "" {
				b.Errorf("data = %v", data.Value)
			}
		}},
		{eventsSection, "post.failed comes when nothing was posted", func(b *bench) {
			b.has(b.sends(func() { b.failedPost() }, schema.PostScheduled, schema.PostFailed)[schema.PostFailed], "post.status", "failed")
		}},
		{eventsSection, "thread.scheduled, thread.published, thread.partially_published and thread.failed", func(b *bench) {
			thread := newThread(`{"status": null, "publishNow": true, "config": {"maxRetries": 0}}`)
			breaksOff := func(n int16, entry int) schema.Outcome {
				if entry > 0 {
					return refuses(n, entry)
				}
				return b.posts(n, entry)
			}
			for event, becomes := range map[schema.EventType]outcome{schema.ThreadPublished: b.posts, schema.ThreadPartiallyPublished: breaksOff, schema.ThreadFailed: refuses} {
				post := schema.PostFailed
				if event == schema.ThreadPublished {
					post = schema.PostPublished
				}
				b.sends(func() { b.publish(b.make(thread), 0, becomes) }, schema.PostScheduled, schema.ThreadScheduled, post, event)
			}
		}},
		{eventsSection, "account.connected, account.error and account.disconnected", func(b *bench) {
			var account string
			b.sends(func() { account = b.connected("/connect/bluesky", gatewaytest.BlueskyLogin) }, schema.AccountConnected)
			stored, err := schema.ParseID[schema.AccountID](strings.TrimPrefix(account, "/accounts/"))
			if err != nil {
				b.Fatal(err)
			}
			b.sends(func() {
				err = b.Store.EndAccount(b.Context(), schema.Account{ID: stored, Workspace: b.Workspace, Platform: schema.Bluesky, Revision: 1},
					schema.AccountProblem{Code: schema.CodeNeedsReconnect, Message: "revoked"})
			}, schema.AccountError)
			if err != nil {
				b.Error(err)
			}
			b.sends(func() { b.Request(http.MethodDelete, account, nil).Want(http.StatusOK) }, schema.AccountDisconnected)
		}},
		{eventsSection, "account.token_expiring comes within 7 days of the end, once", func(b *bench) {
			b.sends(func() { b.expiring("a", 7*24*time.Hour+time.Hour) }, schema.AccountConnected)
			data := b.sends(func() { b.expiring("b", 7*24*time.Hour-time.Hour) }, schema.AccountConnected, schema.AccountTokenExpiring)[schema.AccountTokenExpiring]
			b.has(data, "account.name", "b", "account.isConnected", true)
		}},
	}
}

// expiring connects an account whose token ends after a while and cannot be renewed, and
// looks at it twice, as the refresh stage does.
func (b *bench) expiring(name string, in time.Duration) {
	b.Helper()
	connected, err := postgres.NewGateway(b.Store, securetest.PlainText{}, catalog.Constraints).Connect(b.Context(), b.Workspace, []schema.Connection{{
		Account: schema.Account{Platform: schema.Threads, NativeID: name, Name: name}, ExpiresAt: b.Store.Now().Add(in),
		Seal: func(schema.Account) ([]byte, bool, error) { return []byte("sealed"), true, nil },
	}})
	if err != nil {
		b.Fatal(err)
	}
	refresh := postgres.NewRefresh(b.Store)
	for range 2 {
		b.exec(`update accounts set renew_at = now() where id = $1`, connected[0].Account.ID)
		claimed, err := refresh.Claim(b.Context(), []schema.RefreshMessage{{Workspace: b.Workspace, Account: connected[0].Account.ID}})
		if err != nil || len(claimed) != 1 {
			b.Fatalf("claimed %v, %v", claimed, err)
		}
		if err := refresh.Finish(b.Context(), claimed[0].After(schema.RenewalOutcome{}, b.Store.Now(), 0)); err != nil {
			b.Fatal(err)
		}
	}
}

func serviceRules() []rule {
	return []rule{
		{authentication, "a key is required, as a bearer", func(b *bench) {
			for _, header := range []string{"", "Basic x", "Bearer ", "Bearer crier_live_x", b.Key} {
				key := b.Key
				b.Key = ""
				b.send(get("/posts"), "Authorization", header).WantError(http.StatusUnauthorized, "unauthorized")
				b.Key = key
			}
			b.send(get("/posts")).Want(http.StatusOK)
		}},
		{authentication, "keys are made, rotated and revoked", func(b *bench) {
			id, secret := b.CreateKey(b.Key, `{"name": "k", "permissions": ["write"]}`)
			b.RequestWith(secret, http.MethodGet, "/posts", nil).Want(http.StatusOK)
			rotated := b.Request(http.MethodPost, "/keys/"+id+"/rotate", nil)
			if rotated.Status >= http.StatusBadRequest {
				b.Fatalf("rotating: %d %s", rotated.Status, rotated.Body)
			}
			b.Request(http.MethodDelete, "/keys/"+id, nil).Want(http.StatusOK)
			b.Advance(2 * time.Second)
			b.RequestWith(secret, http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
		}},
		{authentication, "a test key sees the sandbox alone", func(b *bench) {
			b.make(newPost(`{}`))
			_, secret := b.CreateKey(b.Key, `{"name": "t", "permissions": ["write"], "test": true}`)
			b.has(b.RequestWith(secret, http.MethodGet, "/posts", nil).Want(http.StatusOK), "posts", "[]")
		}},
		{authentication, "a key without the permission gets 403", func(b *bench) {
			b.Key = b.NewKey(b.Workspace, schema.Write)
			b.Request(http.MethodPost, "/connect/bluesky", gatewaytest.BlueskyLogin).WantError(http.StatusForbidden, "forbidden")
		}},
		{authentication, "bluesky is connected by an app password, telegram by a bot's token", func(b *bench) {
			b.connected("/connect/bluesky", gatewaytest.BlueskyLogin)
			b.Request(http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:secret-token", "chatId": "@acme_two"}`).Want(http.StatusCreated)
		}},

		{errorsSection, "an error has a code, a message and a link to what explains it", func(b *bench) {
			b.has(b.send(newPost(`{"content": 1}`)).WantError(http.StatusBadRequest, "validation_error"), "documentation", "https://crier.example/docs/errors/validation_error")
		}},
		{errorsSection, "what is unknown is answered with 404", failed(get("/nowhere"), http.StatusNotFound, "not_found")},
		{errorsSection, "media at a local path are a validation_error", failed(newPost(`{"mediaItems": [{"type": "image", "url": "/a.png"}]}`), http.StatusBadRequest, "validation_error")},

		{rates, "the free plan has 30 requests a minute, then 429 with the headers", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.Workspace)
			for i := range 30 {
				got := b.send(get("/accounts"))
				got.Want(http.StatusOK)
				b.has(gatewaytest.JSON{Value: map[string]any{"limit": got.Header.Get("X-RateLimit-Limit"), "left": got.Header.Get("X-RateLimit-Remaining")}}, "limit", 30, "left", 29-i)
			}
			got := b.send(get("/accounts"))
			got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
			reset, err := strconv.ParseInt(got.Header.Get("X-RateLimit-Reset"), 10, 64)
			if at := time.UnixMilli(reset); err != nil || at.Before(b.Now()) || at.After(b.Now().Add(time.Minute)) {
				b.Errorf("reset at %s", at)
			}
		}},
		{rates, "the paid plans have 120 requests a minute", func(b *bench) {
			for _, plan := range []string{"personal", "team", "agency"} {
				b.enter()
				b.exec(`update workspaces set plan = $2 where id = $1`, b.Workspace, plan)
				if got := b.send(get("/accounts")).Header.Get("X-RateLimit-Limit"); got != "120" {
					b.Errorf("%s: %s a minute", plan, got)
				}
			}
		}},
		{rates, "the free plan has 4 posts a month", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.Workspace)
			b.has(b.send(bulk(6)).Want(http.StatusCreated), "summary.succeeded", 4, "summary.failed", 2, "results.5.error.code", "plan_limit_reached")
		}},
		{rates, "the other plans have any number of posts", func(b *bench) {
			b.exec(`update workspaces set plan = 'personal' where id = $1`, b.Workspace)
			b.has(b.send(bulk(25)).Want(http.StatusCreated), "summary.succeeded", 25)
		}},
		{rates, "plans have 2, 10, 25 and 100 accounts", func(b *bench) {
			for plan, maximum := range map[string]int{"free": 2, "personal": 10, "team": 25, "agency": 100} {
				b.enter()
				b.exec(`update workspaces set plan = $2 where id = $1`, b.Workspace, plan)
				b.exec(`delete from accounts where workspace_id = $1`, b.Workspace)
				b.exec(`insert into accounts (id, workspace_id, platform, native_id, name, sealed)
					select gen_random_uuid(), $1, 6, n::text, n::text, 'x' from generate_series(1, $2::int - 1) n`, b.Workspace, maximum)
				b.Request(http.MethodPost, "/connect/bluesky", gatewaytest.BlueskyLogin).Want(http.StatusCreated)
				b.Request(http.MethodPost, "/connect/mastodon", `{"accessToken": "token"}`).WantError(http.StatusForbidden, "plan_limit_reached")
			}
		}},

		{dailyLimits, "twitter 20, instagram and facebook 100, threads 250, all others 50 posts a day", func(b *bench) {
			day := b.Now().Add(48 * time.Hour).UTC().Truncate(24 * time.Hour)
			for _, p := range schema.Platforms() {
				maximum := map[schema.Platform]int{schema.Twitter: 20, schema.Instagram: 100, schema.Facebook: 100, schema.Threads: 250}[p]
				if maximum == 0 {
					maximum = 50
				}
				r := postTo(p.String()).with(`{"status": null, "scheduledFor": "` + day.Add(12*time.Hour).Format(time.RFC3339) + `"}`)
				if got := b.fill(r, maximum+1); got != maximum {
					b.Errorf("%s takes %d a day, want %d", p, got, maximum)
				}
			}
		}},

		{idempotency, "a key and the same body get the first answer, and nothing is made again", func(b *bench) {
			for _, r := range []request{newPost(`{}`), bulk(2), newThread(`{}`)} {
				key := r.path
				first, again := b.send(r, "Idempotency-Key", key), b.send(r, "Idempotency-Key", key)
				first.Want(http.StatusCreated)
				if again.Want(http.StatusCreated); string(first.Body) != string(again.Body) {
					b.Errorf("answers differ:\n%s\n%s", first.Body, again.Body)
				}
			}
			b.has(b.send(get("/posts")).Want(http.StatusOK), "pagination.total", 4)
		}},
		{idempotency, "a key and another body are a conflict", func(b *bench) {
			b.send(newPost(`{}`), "Idempotency-Key", "k").Want(http.StatusCreated)
			b.send(newPost(`{"content": "y"}`), "Idempotency-Key", "k").WantError(http.StatusConflict, "idempotency_conflict")
		}},
		{idempotency, "the header is optional", func(b *bench) {
			b.make(newPost(`{}`))
			b.make(newPost(`{}`))
			b.has(b.send(get("/posts")).Want(http.StatusOK), "pagination.total", 2)
		}},
		{idempotency, "keys of different API keys are apart", func(b *bench) {
			first := b.send(newPost(`{}`), "Idempotency-Key", "k").Want(http.StatusCreated).At("post", "id").Text()
			b.Key = b.NewKey(b.Workspace, schema.Write)
			if second := b.send(newPost(`{}`), "Idempotency-Key", "k").Want(http.StatusCreated).At("post", "id").Text(); second == first {
				b.Error("another key got the answer")
			}
		}},
		{idempotency, "after 24 hours the key is free", func(b *bench) {
			first := b.send(newPost(`{}`), "Idempotency-Key", "k").Want(http.StatusCreated).At("post", "id").Text()
			b.exec(`update idempotency set created_at = created_at - interval '24 hours 1 minute' where key = 'k'`)
			if second := b.send(newPost(`{}`), "Idempotency-Key", "k").Want(http.StatusCreated).At("post", "id").Text(); second == first {
				b.Error("the answer is still kept")
			}
		}},
		{idempotency, "PATCH and DELETE need none", func(b *bench) {
			path := b.make(newPost(`{}`))
			b.Request(http.MethodPatch, path, `{"content": "y"}`, "Idempotency-Key", "k").Want(http.StatusOK)
			b.Request(http.MethodPatch, path, `{"content": "z"}`, "Idempotency-Key", "k").Want(http.StatusOK)
			b.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
		}},

		{versioning, "the version stands in the path", func(b *bench) {
			for path, status := range map[string]int{"/api/v1/posts": http.StatusOK, "/posts": http.StatusNotFound, "/api/v2/posts": http.StatusNotFound} {
				if got := b.statusOf(path); got != status {
					b.Errorf("%s is answered with %d, want %d", path, got, status)
				}
			}
		}},

		{mediaSection, "an image comes as a form, with a text of up to 1,000 characters", func(b *bench) {
			b.leniently()
			dot := gatewaytest.PNG(b, 4, 4)
			b.has(b.Upload(dot, "alt_text", strings.Repeat("é", 1000)), "type", "image", "altText", strings.Repeat("é", 1000))
			body, contentType := gatewaytest.MediaForm(b, dot, "alt_text", strings.Repeat("é", 1001))
			b.Request(http.MethodPost, "/media", body, "Content-Type", contentType).WantError(http.StatusBadRequest, "validation_error")
			body, contentType = gatewaytest.MediaForm(b, nil, "alt_text", "x")
			b.Request(http.MethodPost, "/media", body, "Content-Type", contentType).WantError(http.StatusBadRequest, "validation_error")
		}},
		{mediaSection, "an image comes in base64, bare or as a data URI, of 3 MB at most", func(b *bench) {
			b.leniently()
			data := base64.StdEncoding.EncodeToString(gatewaytest.PNG(b, 4, 4))
			for _, text := range []string{data, "data:image/png;base64," + data} {
				media := b.Request(http.MethodPost, "/media", map[string]any{"data": text, "mimeType": "image/png", "fileName": "dot.png", "altText": "dot"}).Want(http.StatusCreated).At("media")
				b.has(media, "altText", "dot")
				b.make(newPost(`{"mediaItems": [{"type": "image", "url": "` + media.At("url").Text() + `"}]}`))
				b.make(newPost(`{"mediaItems": [{"type": "image", "mediaId": "` + media.At("id").Text() + `"}]}`))
			}
			b.Request(http.MethodPost, "/media", map[string]any{"data": data}).WantError(http.StatusBadRequest, "validation_error")
			b.Request(http.MethodPost, "/media", map[string]any{"mimeType": "image/png"}).WantError(http.StatusBadRequest, "validation_error")
			large := base64.StdEncoding.EncodeToString(make([]byte, 3<<20+1))
			if got := b.Request(http.MethodPost, "/media", map[string]any{"data": large, "mimeType": "image/png"}); got.Status < http.StatusBadRequest {
				b.Errorf("3 MB and a byte are answered with %d", got.Status)
			}
		}},
		{mediaSection, "uploads are listed", func(b *bench) {
			b.leniently()
			id := b.Upload(gatewaytest.PNG(b, 4, 4)).At("id").Text()
			b.has(b.send(get("/media")).Want(http.StatusOK), "media.0.id", id, "media.1", nil)
		}},

		{knownByName, "usage tells of the period, the rate and the plan", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.Workspace)
			b.make(newPost(`{}`))
			b.has(b.send(get("/usage")).Want(http.StatusOK), "usage.plan.name", "free", "usage.posts.used", 1, "usage.posts.remaining", 3, "usage.requests.limit", 30)
		}},
		{knownByName, "the plan and those there are", func(b *bench) {
			b.has(b.send(get("/billing/plan")).Want(http.StatusOK), "plan.name", "operator")
		}},

		{rates, "requests without a key are limited by address and told when to come again", func(b *bench) {
			b.leniently() // which nothing asks any more: this is the last of its requests
			b.Key = ""
			var got *gatewaytest.Response
			for range 700 {
				if got = b.send(get("/posts")); got.Status == http.StatusTooManyRequests {
					break
				}
			}
			got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
			if wait, err := strconv.Atoi(got.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				b.Errorf("Retry-After = %q", got.Header.Get("Retry-After"))
			}
		}},
	}
}

// hook makes a webhook and returns its path.
func (b *bench) hook() string {
	b.Helper()
	return "/webhooks/" + b.Request(http.MethodPost, "/webhooks", aHook).Want(http.StatusCreated).At("webhook", "id").Text()
}

// sends fails the test unless doing something sends just these events, each as it is
// described, and returns their data.
func (b *bench) sends(do func(), want ...schema.EventType) map[schema.EventType]gatewaytest.JSON {
	b.Helper()
	n := len(b.Events())
	do()
	return b.WantSentEvents(n, want...)
}

// fill makes posts until no more are taken, at most n, and returns how many there are.
func (b *bench) fill(r request, n int) (created int) {
	b.Helper()
	for n > 0 {
		posts := make([]any, min(n, maxBulk))
		for i := range posts {
			posts[i] = r.body
		}
		n -= len(posts)
		succeeded, _ := b.Request(http.MethodPost, "/posts/bulk", map[string]any{"posts": posts}).Want(http.StatusCreated).At("summary", "succeeded").Value.(float64)
		created += int(succeeded)
	}
	return created
}

const maxBulk = 25

func (b *bench) statusOf(path string) int {
	b.Helper()
	response := b.Send(http.MethodGet, b.URL+path, nil, "Authorization", "Bearer "+b.Key)
	return response.Status
}

// recorder is a receiver of webhooks that keeps the last request.
type recorder struct {
	header http.Header
	body   []byte
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.header = request.Header
	r.body, _ = io.ReadAll(request.Body)
	w.WriteHeader(http.StatusAccepted)
}

// signedBy reports whether a request is signed as the specification says, and as Standard
// Webhooks do.
func signedBy(r *recorder, secret string) bool {
	at, ours, _ := strings.Cut(r.header.Get("X-Webhook-Signature"), ",v1=")
	at = strings.TrimPrefix(at, "t=")
	verifier, err := standardwebhooks.NewWebhook(secret)
	return err == nil && verifier.Verify(r.body, r.header) == nil && ours == gatewaytest.WebhookSignature(secret, at, r.body)
}
