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
	"crier/schema"
	"crier/schema/postgres"
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
			made := b.call(http.MethodPost, "/webhooks", aHook).want(http.StatusCreated).at("webhook")
			b.has(made, "url", "https://hooks.example/crier", "events", "[post.published post.failed]", "isActive", true, "lastDeliveredAt", nil,
				"consecutiveFailures", 0, "disabledAt", nil, "disabledReason", nil)
			if made.at("secret").text() == "" || made.at("createdAt").text() == "" {
				b.Errorf("webhook = %v", made.value)
			}
			b.has(b.send(get("/webhooks/"+made.at("id").text())).want(http.StatusOK), "webhook.secret", nil, "deliveries", "[]")
			b.has(b.send(get("/webhooks")).want(http.StatusOK), "webhooks.0.id", made.at("id").text(), "webhooks.0.secret", nil, "webhooks.1", nil)
		}},
		{webhooksSection, "a url is required, of https, and publicly reachable", func(b *bench) {
			hook := request{http.MethodPost, "/webhooks", map[string]any{"events": []any{"post.failed"}}}
			invalid(hook, "url", "required")(b)
			for _, address := range []string{"http://hooks.example/", "https://10.1.2.3/", "https://internal.example/", "https://[::1]/"} {
				b.named(b.send(hook.with(`{"url": "`+address+`"}`)).fails(http.StatusBadRequest, "validation_error").at("details"), "url", "url_invalid")
			}
		}},
		{webhooksSection, "events are required, of those there are", func(b *bench) {
			hook := request{http.MethodPost, "/webhooks", map[string]any{"url": "https://hooks.example/"}}
			invalid(hook, "events", "required")(b)
			invalid(hook.with(`{"events": ["post.lost"]}`), "events[0]", "invalid_value")(b)
		}},
		{webhooksSection, "PATCH changes the url, replaces the events, pauses and goes on", func(b *bench) {
			path := b.hook()
			b.has(b.call(http.MethodPatch, path, `{"events": ["thread.failed"], "isActive": false, "url": "https://hooks.example/b"}`).want(http.StatusOK),
				"webhook.events", "[thread.failed]", "webhook.isActive", false, "webhook.url", "https://hooks.example/b", "webhook.disabledAt", nil)
		}},
		{webhooksSection, "one that was disabled is enabled by PATCH, which forgets its failures", func(b *bench) {
			path := b.hook()
			b.exec(`update webhooks set active = false, consecutive_failures = 10, disabled_at = now(), disabled_reason = 'ten failures' where workspace_id = $1`, b.workspace)
			b.has(b.send(get(path)).want(http.StatusOK), "webhook.isActive", false, "webhook.consecutiveFailures", 10, "webhook.disabledReason", "ten failures")
			b.has(b.call(http.MethodPatch, path, `{"isActive": true}`).want(http.StatusOK), "webhook.isActive", true, "webhook.consecutiveFailures", 0,
				"webhook.disabledAt", nil, "webhook.disabledReason", nil)
		}},
		{webhooksSection, "DELETE ends it", func(b *bench) {
			path := b.hook()
			if b.call(http.MethodDelete, path, nil).want(http.StatusOK).at("message").text() == "" {
				b.Error("no message")
			}
			b.send(get(path)).fails(http.StatusNotFound, "not_found")
		}},
		{webhooksSection, "a test of each event is delivered, signed, with sample data as described", func(b *bench) {
			b.leniently()
			r := &recorder{}
			server := httptest.NewServer(r)
			defer server.Close()
			made := b.call(http.MethodPost, "/webhooks", `{"url": "`+server.URL+`", "events": ["post.failed"]}`).want(http.StatusCreated).at("webhook")
			path := "/webhooks/" + made.at("id").text() + "/test"
			for _, event := range schema.EventTypes() {
				b.has(b.call(http.MethodPost, path, `{"event": "`+string(event)+`"}`).want(http.StatusOK), "test.event", string(event), "test.responseCode", 202)
				var got schema.WebhookPayload
				if err := json.Unmarshal(r.body, &got); err != nil {
					b.Fatal(err)
				}
				if got.Event != event || !got.Test || !signedBy(r, made.at("secret").text()) {
					b.Errorf("received %s with %v", r.body, r.header)
				}
				b.description.checkEvent(b, got)
			}
			b.call(http.MethodPost, path, `{}`).fails(http.StatusBadRequest, "validation_error")
			b.call(http.MethodPost, path, `{"event": "post.lost"}`).fails(http.StatusBadRequest, "validation_error")
		}},

		{eventsSection, "there are thirteen, and all can be subscribed to", func(b *bench) {
			names := []string{"post.scheduled", "post.published", "post.failed", "post.cancelled", "post.updated", "thread.scheduled", "thread.published",
				"thread.partially_published", "thread.failed", "account.connected", "account.disconnected", "account.error", "account.token_expiring"}
			hook := `{"url": "https://hooks.example/", "events": ["` + strings.Join(names, `", "`) + `"]}`
			if n := b.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook", "events").size(); n != 13 {
				b.Errorf("%d events, want 13", n)
			}
		}},
		{eventsSection, "post.scheduled, post.updated and post.cancelled tell of changes", func(b *bench) {
			b.sends(func() { b.make(newPost(`{}`)) })
			var path string
			b.sends(func() { path = b.make(b.scheduled(`{}`)) }, schema.PostScheduled)
			b.sends(func() { b.call(http.MethodPatch, path, `{"content": "z"}`).want(http.StatusOK) }, schema.PostUpdated)
			b.sends(func() { b.call(http.MethodDelete, path, nil).want(http.StatusOK) }, schema.PostCancelled)
		}},
		{eventsSection, "post.published comes when a post is done; its status reads published, each platform has its own", func(b *bench) {
			data := b.sends(func() { b.partlyPosted() }, schema.PostScheduled, schema.PostPublished)[schema.PostPublished]
			b.has(data.at("post"), "status", "published", "content", "h", "platforms.0.platform", "mastodon", "platforms.0.status", "posted",
				"platforms.0.postId", "n0-0", "platforms.0.url", "https://native.example/0/0", "platforms.1.status", "failed")
			if data.at("post", "publishedAt").text() == "" || data.at("post", "id").text() == "" || data.at("post", "platforms", 0, "postedAt").text() == "" {
				b.Errorf("data = %v", data.value)
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
			b.sends(func() { account = b.connected("/connect/bluesky", blueskyLogin) }, schema.AccountConnected)
			stored, err := schema.ParseAccountID(strings.TrimPrefix(account, "/accounts/"))
			if err != nil {
				b.Fatal(err)
			}
			b.sends(func() {
				err = b.store.EndAccount(b.Context(), schema.Account{ID: stored, Workspace: b.workspace, Platform: schema.Bluesky, Revision: 1},
					schema.AccountProblem{Code: schema.CodeNeedsReconnect, Message: "revoked"})
			}, schema.AccountError)
			if err != nil {
				b.Error(err)
			}
			b.sends(func() { b.call(http.MethodDelete, account, nil).want(http.StatusOK) }, schema.AccountDisconnected)
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
	connected, err := postgres.NewGateway(b.store, plain{}, catalog.Constraints).Connect(b.Context(), b.workspace, []schema.Connection{{
		Account: schema.Account{Platform: schema.Threads, NativeID: name, Name: name}, ExpiresAt: b.store.Now().Add(in),
		Seal: func(schema.Account) ([]byte, bool, error) { return []byte("sealed"), true, nil },
	}})
	if err != nil {
		b.Fatal(err)
	}
	refresh := postgres.NewRefresh(b.store)
	for range 2 {
		b.exec(`update accounts set renew_at = now() where id = $1`, connected[0].Account.ID)
		claimed, err := refresh.Claim(b.Context(), []schema.RefreshMessage{{Workspace: b.workspace, Account: connected[0].Account.ID}})
		if err != nil || len(claimed) != 1 {
			b.Fatalf("claimed %v, %v", claimed, err)
		}
		if err := refresh.Finish(b.Context(), claimed[0].After(schema.RenewalOutcome{}, b.store.Now(), 0)); err != nil {
			b.Fatal(err)
		}
	}
}

func serviceRules() []rule {
	return []rule{
		{authentication, "a key is required, as a bearer", func(b *bench) {
			for _, header := range []string{"", "Basic x", "Bearer ", "Bearer crier_live_x", b.key} {
				key := b.key
				b.key = ""
				b.send(get("/posts"), "Authorization", header).fails(http.StatusUnauthorized, "unauthorized")
				b.key = key
			}
			b.send(get("/posts")).want(http.StatusOK)
		}},
		{authentication, "keys are made, rotated and revoked", func(b *bench) {
			id, secret := b.madeKey(b.key, `{"name": "k", "permissions": ["write"]}`)
			b.callWith(secret, http.MethodGet, "/posts", nil).want(http.StatusOK)
			rotated := b.call(http.MethodPost, "/keys/"+id+"/rotate", nil)
			if rotated.status >= http.StatusBadRequest {
				b.Fatalf("rotating: %d %s", rotated.status, rotated.body)
			}
			b.call(http.MethodDelete, "/keys/"+id, nil).want(http.StatusOK)
			b.pass(2 * time.Second)
			b.callWith(secret, http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
		}},
		{authentication, "a test key sees the sandbox alone", func(b *bench) {
			b.make(newPost(`{}`))
			_, secret := b.madeKey(b.key, `{"name": "t", "permissions": ["write"], "test": true}`)
			b.has(b.callWith(secret, http.MethodGet, "/posts", nil).want(http.StatusOK), "posts", "[]")
		}},
		{authentication, "a key without the permission gets 403", func(b *bench) {
			b.key = b.newKey(b.workspace, schema.Write)
			b.call(http.MethodPost, "/connect/bluesky", blueskyLogin).fails(http.StatusForbidden, "forbidden")
		}},
		{authentication, "bluesky is connected by an app password, telegram by a bot's token", func(b *bench) {
			b.connected("/connect/bluesky", blueskyLogin)
			b.call(http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:secret-token", "chatId": "@acme_two"}`).want(http.StatusCreated)
		}},

		{errorsSection, "an error has a code, a message and a link to what explains it", func(b *bench) {
			b.has(b.send(newPost(`{"content": 1}`)).fails(http.StatusBadRequest, "validation_error"), "documentation", "https://crier.example/docs/errors/validation_error")
		}},
		{errorsSection, "what is unknown is answered with 404", failed(get("/nowhere"), http.StatusNotFound, "not_found")},
		{errorsSection, "media at a local path are a validation_error", failed(newPost(`{"mediaItems": [{"type": "image", "url": "/a.png"}]}`), http.StatusBadRequest, "validation_error")},

		{rates, "the free plan has 30 requests a minute, then 429 with the headers", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.workspace)
			for i := range 30 {
				got := b.send(get("/accounts"))
				got.want(http.StatusOK)
				b.has(tree{map[string]any{"limit": got.header.Get("X-RateLimit-Limit"), "left": got.header.Get("X-RateLimit-Remaining")}}, "limit", 30, "left", 29-i)
			}
			got := b.send(get("/accounts"))
			got.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
			reset, err := strconv.ParseInt(got.header.Get("X-RateLimit-Reset"), 10, 64)
			if at := time.UnixMilli(reset); err != nil || at.Before(b.now()) || at.After(b.now().Add(time.Minute)) {
				b.Errorf("reset at %s", at)
			}
		}},
		{rates, "the paid plans have 120 requests a minute", func(b *bench) {
			for _, plan := range []string{"personal", "team", "agency"} {
				b.enter()
				b.exec(`update workspaces set plan = $2 where id = $1`, b.workspace, plan)
				if got := b.send(get("/accounts")).header.Get("X-RateLimit-Limit"); got != "120" {
					b.Errorf("%s: %s a minute", plan, got)
				}
			}
		}},
		{rates, "the free plan has 4 posts a month", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.workspace)
			b.has(b.send(bulk(6)).want(http.StatusCreated), "summary.succeeded", 4, "summary.failed", 2, "results.5.error.code", "plan_limit_reached")
		}},
		{rates, "the other plans have any number of posts", func(b *bench) {
			b.exec(`update workspaces set plan = 'personal' where id = $1`, b.workspace)
			b.has(b.send(bulk(25)).want(http.StatusCreated), "summary.succeeded", 25)
		}},
		{rates, "plans have 2, 10, 25 and 100 accounts", func(b *bench) {
			for plan, most := range map[string]int{"free": 2, "personal": 10, "team": 25, "agency": 100} {
				b.enter()
				b.exec(`update workspaces set plan = $2 where id = $1`, b.workspace, plan)
				b.exec(`delete from accounts where workspace_id = $1`, b.workspace)
				b.exec(`insert into accounts (id, workspace_id, platform, native_id, name, sealed)
					select gen_random_uuid(), $1, 6, n::text, n::text, 'x' from generate_series(1, $2::int - 1) n`, b.workspace, most)
				b.call(http.MethodPost, "/connect/bluesky", blueskyLogin).want(http.StatusCreated)
				b.call(http.MethodPost, "/connect/mastodon", `{"accessToken": "token"}`).fails(http.StatusForbidden, "plan_limit_reached")
			}
		}},

		{dailyLimits, "twitter 20, instagram and facebook 100, threads 250, all others 50 posts a day", func(b *bench) {
			day := b.now().Add(48 * time.Hour).UTC().Truncate(24 * time.Hour)
			for _, p := range schema.Platforms() {
				most := map[schema.Platform]int{schema.Twitter: 20, schema.Instagram: 100, schema.Facebook: 100, schema.Threads: 250}[p]
				if most == 0 {
					most = 50
				}
				r := postTo(p.String()).with(`{"status": null, "scheduledFor": "` + day.Add(12*time.Hour).Format(time.RFC3339) + `"}`)
				if got := b.fill(r, most+1); got != most {
					b.Errorf("%s takes %d a day, want %d", p, got, most)
				}
			}
		}},

		{idempotency, "a key and the same body get the first answer, and nothing is made again", func(b *bench) {
			for _, r := range []request{newPost(`{}`), bulk(2), newThread(`{}`)} {
				key := r.path
				first, again := b.send(r, "Idempotency-Key", key), b.send(r, "Idempotency-Key", key)
				first.want(http.StatusCreated)
				if again.want(http.StatusCreated); string(first.body) != string(again.body) {
					b.Errorf("answers differ:\n%s\n%s", first.body, again.body)
				}
			}
			b.has(b.send(get("/posts")).want(http.StatusOK), "pagination.total", 4)
		}},
		{idempotency, "a key and another body are a conflict", func(b *bench) {
			b.send(newPost(`{}`), "Idempotency-Key", "k").want(http.StatusCreated)
			b.send(newPost(`{"content": "y"}`), "Idempotency-Key", "k").fails(http.StatusConflict, "idempotency_conflict")
		}},
		{idempotency, "the header is optional", func(b *bench) {
			b.make(newPost(`{}`))
			b.make(newPost(`{}`))
			b.has(b.send(get("/posts")).want(http.StatusOK), "pagination.total", 2)
		}},
		{idempotency, "keys of different API keys are apart", func(b *bench) {
			first := b.send(newPost(`{}`), "Idempotency-Key", "k").want(http.StatusCreated).at("post", "id").text()
			b.key = b.newKey(b.workspace, schema.Write)
			if second := b.send(newPost(`{}`), "Idempotency-Key", "k").want(http.StatusCreated).at("post", "id").text(); second == first {
				b.Error("another key got the answer")
			}
		}},
		{idempotency, "after 24 hours the key is free", func(b *bench) {
			first := b.send(newPost(`{}`), "Idempotency-Key", "k").want(http.StatusCreated).at("post", "id").text()
			b.exec(`update idempotency set created_at = created_at - interval '24 hours 1 minute' where key = 'k'`)
			if second := b.send(newPost(`{}`), "Idempotency-Key", "k").want(http.StatusCreated).at("post", "id").text(); second == first {
				b.Error("the answer is still kept")
			}
		}},
		{idempotency, "PATCH and DELETE need none", func(b *bench) {
			path := b.make(newPost(`{}`))
			b.call(http.MethodPatch, path, `{"content": "y"}`, "Idempotency-Key", "k").want(http.StatusOK)
			b.call(http.MethodPatch, path, `{"content": "z"}`, "Idempotency-Key", "k").want(http.StatusOK)
			b.call(http.MethodDelete, path, nil).want(http.StatusOK)
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
			dot := pngOf(b, 4, 4)
			b.has(b.upload(dot, "alt_text", strings.Repeat("é", 1000)), "type", "image", "altText", strings.Repeat("é", 1000))
			body, contentType := formOf(b, dot, "alt_text", strings.Repeat("é", 1001))
			b.call(http.MethodPost, "/media", body, "Content-Type", contentType).fails(http.StatusBadRequest, "validation_error")
			body, contentType = formOf(b, nil, "alt_text", "x")
			b.call(http.MethodPost, "/media", body, "Content-Type", contentType).fails(http.StatusBadRequest, "validation_error")
		}},
		{mediaSection, "an image comes in base64, bare or as a data URI, of 3 MB at most", func(b *bench) {
			b.leniently()
			data := base64.StdEncoding.EncodeToString(pngOf(b, 4, 4))
			for _, text := range []string{data, "data:image/png;base64," + data} {
				media := b.call(http.MethodPost, "/media", map[string]any{"data": text, "mimeType": "image/png", "fileName": "dot.png", "altText": "dot"}).want(http.StatusCreated).at("media")
				b.has(media, "altText", "dot")
				b.make(newPost(`{"mediaItems": [{"type": "image", "url": "` + media.at("url").text() + `"}]}`))
				b.make(newPost(`{"mediaItems": [{"type": "image", "mediaId": "` + media.at("id").text() + `"}]}`))
			}
			b.call(http.MethodPost, "/media", map[string]any{"data": data}).fails(http.StatusBadRequest, "validation_error")
			b.call(http.MethodPost, "/media", map[string]any{"mimeType": "image/png"}).fails(http.StatusBadRequest, "validation_error")
			large := base64.StdEncoding.EncodeToString(make([]byte, 3<<20+1))
			if got := b.call(http.MethodPost, "/media", map[string]any{"data": large, "mimeType": "image/png"}); got.status < http.StatusBadRequest {
				b.Errorf("3 MB and a byte are answered with %d", got.status)
			}
		}},
		{mediaSection, "uploads are listed", func(b *bench) {
			b.leniently()
			id := b.upload(pngOf(b, 4, 4)).at("id").text()
			b.has(b.send(get("/media")).want(http.StatusOK), "media.0.id", id, "media.1", nil)
		}},

		{knownByName, "usage tells of the period, the rate and the plan", func(b *bench) {
			b.exec(`update workspaces set plan = 'free' where id = $1`, b.workspace)
			b.make(newPost(`{}`))
			b.has(b.send(get("/usage")).want(http.StatusOK), "usage.plan.name", "free", "usage.posts.used", 1, "usage.posts.remaining", 3, "usage.requests.limit", 30)
		}},
		{knownByName, "the plan and those there are", func(b *bench) {
			b.has(b.send(get("/billing/plan")).want(http.StatusOK), "plan.name", "operator")
		}},

		{rates, "requests without a key are limited by address and told when to come again", func(b *bench) {
			b.leniently() // which nothing asks any more: this is the last of its requests
			b.key = ""
			var got *answer
			for range 700 {
				if got = b.send(get("/posts")); got.status == http.StatusTooManyRequests {
					break
				}
			}
			got.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
			if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				b.Errorf("Retry-After = %q", got.header.Get("Retry-After"))
			}
		}},
	}
}

// hook makes a webhook and returns its path.
func (b *bench) hook() string {
	b.Helper()
	return "/webhooks/" + b.call(http.MethodPost, "/webhooks", aHook).want(http.StatusCreated).at("webhook", "id").text()
}

// sends fails the test unless doing something sends just these events, each as it is
// described, and returns their data.
func (b *bench) sends(do func(), want ...schema.EventType) map[schema.EventType]tree {
	b.Helper()
	n := len(b.events())
	do()
	return b.wantSent(n, want...)
}

// fill makes posts until no more are taken, at most n, and returns how many there are.
func (b *bench) fill(r request, n int) (made int) {
	b.Helper()
	for n > 0 {
		posts := make([]any, min(n, maxBulk))
		for i := range posts {
			posts[i] = r.body
		}
		n -= len(posts)
		succeeded, _ := b.call(http.MethodPost, "/posts/bulk", map[string]any{"posts": posts}).want(http.StatusCreated).at("summary", "succeeded").value.(float64)
		made += int(succeeded)
	}
	return made
}

const maxBulk = 25

func (b *bench) statusOf(path string) int {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+b.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
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
	return err == nil && verifier.Verify(r.body, r.header) == nil && ours == signed(secret, at, r.body)
}
