package gateway_test

import (
	"net/http"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

const service = "What the service does"

// generalRules are what holds for every endpoint.
func generalRules() []rule {
	return []rule{
		{service, "a success says so beside its data", answered(http.StatusCreated, newPost(`{}`), "success", true, "post.content", "x", "error", nil)},
		{service, "a failure says so, with a code and a message", func(b *bench) {
			e := b.send(newPost(`{"content": 1}`)).Want(http.StatusBadRequest)
			b.has(e, "success", false, "error.code", "validation_error")
			if e.At("error", "message").Text() == "" {
				b.Errorf("error = %v has no message", e)
			}
		}},
		{service, "there are twelve platforms, by these names", func(b *bench) {
			for _, name := range []string{"twitter", "instagram", "facebook", "linkedin", "tiktok", "threads", "bluesky",
				"youtube", "pinterest", "telegram", "mastodon", "google-business"} {
				b.send(get("/posts?platform=" + name)).Want(http.StatusOK)
			}
			b.send(get("/posts?platform=googlebusiness")).WantError(http.StatusBadRequest, "validation_error")
		}},
		{service, "times are ISO 8601", func(b *bench) {
			post := b.send(newPost(`{"status": null, "scheduledFor": "` + b.In(time.Hour) + `"}`)).Want(http.StatusCreated).At("post")
			for _, field := range []string{"scheduledFor", "createdAt", "updatedAt"} {
				if _, err := time.Parse(time.RFC3339, post.At(field).Text()); err != nil {
					b.Error(err)
				}
			}
		}},
		{service, "time zones have IANA names", all(
			answered(http.StatusCreated, newPost(`{"timezone": "America/Argentina/Buenos_Aires"}`), "post.timezone", "America/Argentina/Buenos_Aires"),
			invalid(newPost(`{"timezone": "GMT+25"}`), "timezone", "invalid_value"),
		)},
		{service, "the operations are grouped under tags", func(b *bench) {
			groups := map[string]bool{}
			tags, _ := b.Description.Document["tags"].([]any)
			for _, tag := range tags {
				groups[gatewaytest.JSON{Value: tag}.At("name").Text()] = true
			}
			for _, name := range []string{"Posts", "Threads", "Accounts", "Media", "Analytics", "Usage", "Billing"} {
				if !groups[name] {
					b.Errorf("no tag %s", name)
				}
			}
		}},
		{service, "mastodon is posted to like any other platform", answered(http.StatusCreated, newPost(`{"platforms": ["mastodon", "bluesky"]}`),
			"post.platforms.0.platform", "mastodon", "post.platforms.1.platform", "bluesky")},
		{service, "an account of google-business is named by its location's id", func(b *bench) {
			r := newPost(`{"platforms": [{"platform": "google-business", "accountId": "acme on google-business"}], "mediaItems": [` + anImage + `]}`)
			b.has(b.send(r).Want(http.StatusCreated), "post.platforms.0.accountId", b.accounts[schema.GoogleBusiness])
		}},
	}
}

// Media at addresses, of which nothing more is known.
const (
	anImage = `{"type": "image", "url": "https://media.example/a.png"}`
	aVideo  = `{"type": "video", "url": "https://media.example/a.mp4"}`
	aPDF    = `{"type": "pdf", "url": "https://media.example/a.pdf"}`
)
