package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// household is a workspace that has one of everything, each under the name by which
// isolation_test.go asks for it.
type household struct {
	name      string // stands in every text of its own
	workspace schema.WorkspaceID
	key       string
	keyID     schema.KeyID
	ids       map[string]string
	event     schema.Event // one of its own
}

// expand puts the ids of a household in for their names, as in $account.
func (h *household) expand(text string) string {
	for name, id := range h.ids {
		text = strings.ReplaceAll(text, "$"+name+"$", id)
	}
	return text
}

// stranger returns a household of ids of the same kinds that exist nowhere.
func (h *household) stranger() *household {
	_, fresh, _ := strings.Cut(schema.NewPostID(time.Now()).String(), "_")
	ids := map[string]string{}
	for name, id := range h.ids {
		switch kind, _, typed := strings.Cut(id, "_"); {
		case typed && !strings.Contains(id, "/"):
			ids[name] = kind + "_" + fresh
		case typed: // an address, with an id in it
			ids[name] = strings.ReplaceAll(id, h.ids["media"], "media_"+fresh)
		default:
			ids[name] = strings.Repeat("0", len(id))
		}
	}
	return &household{name: h.name, ids: ids}
}

// household furnishes a workspace over its API.
func (a *api) household(name string, workspace schema.WorkspaceID, sandbox bool) *household {
	a.Helper()
	h := &household{name: name, workspace: workspace, ids: map[string]string{}}
	h.key, h.keyID = a.issueKey(workspace, schema.Admin, sandbox)
	create := func(path, body string) tree {
		a.Helper()
		got := a.callWith(h.key, http.MethodPost, path, h.expand(strings.ReplaceAll(body, "$name$", name)))
		return got.want(http.StatusCreated)
	}
	h.ids["brand"] = create("/brands", `{"name": "$name$"}`).at("brand", "id").text()
	h.ids["key"] = create("/keys", `{"name": "$name$", "permissions": ["read"]}`).at("key", "id").text()
	h.ids["account"] = create("/connect/mastodon", `{"accessToken": "token-of-$name$"}`).at("account", "id").text()
	h.ids["other"] = create("/connect/bluesky", `{"identifier": "$name$.example.com", "password": "abcd-efgh-ijkl-mnop"}`).at("account", "id").text()
	h.ids["queue"] = create("/queues", `{"name": "$name$", "timezone": "UTC", "slots": [{"day": "monday", "time": "09:00"}, {"day": "friday", "time": "09:00"}]}`).at("queue", "id").text()
	h.ids["monitor"] = create("/feeds/keywords", `{"name": "$name$", "include": ["$name$"]}`).at("monitor", "id").text()
	h.upload(a)
	h.selects(a)
	webhook := create("/webhooks", `{"url": "https://hooks.example/$name$", "events": ["post.scheduled"]}`).at("webhook")
	h.ids["webhook"], h.ids["webhookSecret"] = webhook.at("id").text(), webhook.at("secret").text()

	said := len(a.events())
	at := a.in(time.Hour)
	for id, body := range map[string]string{
		"scheduled": `{"content": "$name$", "platforms": ["mastodon"], "brandId": "$brand$", "mediaItems": [{"mediaId": "$media$"}], "scheduledFor": "` + at + `"}`,
		"queued":    `{"content": "$name$ waits", "platforms": ["mastodon"], "queueId": "$queue$"}`,
		"draft":     `{"content": "$name$ thinks", "platforms": ["bluesky"], "status": "draft"}`,
		"failed":    `{"content": "$name$ failed", "platforms": ["mastodon"], "scheduledFor": "` + at + `"}`,
	} {
		h.ids[id] = create("/posts", body).at("post", "id").text()
	}
	h.ids["thread"] = create("/threads", `{"posts": [{"content": "$name$ 1"}, {"content": "$name$ 2"}], "platforms": ["bluesky"], "scheduledFor": "`+at+`"}`).at("thread", "id").text()
	a.failPost(h.ids["failed"])
	h.ids["item"] = a.heard(workspace, h.ids["account"], schema.InboxItem{NativeID: "heard by " + name, Text: name}).String()
	h.ids["reply"] = create("/engagement/replies", `{"itemId": "$item$", "text": "$name$ answers"}`).at("reply", "id").text()
	h.delivered(a, said)
	return h
}

// selects leaves a person of a household to choose among their pages.
func (h *household) selects(a *api) {
	a.Helper()
	a.callWith(h.key, http.MethodGet, "/connect/mastodon", nil).want(http.StatusOK) // the server's app is all workspaces'
	p := a.person()
	p.asker = h.key
	h.ids["selection"] = p.selects(h.name)
	listed := a.callWith(h.key, http.MethodGet, "/connect/facebook/entities?selectionToken="+h.ids["selection"], nil).want(http.StatusOK)
	h.ids["page"] = listed.at("entities", 0, "id").text()
}

// upload gives a household an image, and an address that waits for one.
func (h *household) upload(a *api) {
	a.Helper()
	body, contentType := formOf(a, pngOf(a, 64, 64), "alt_text", h.name)
	media := a.callWith(h.key, http.MethodPost, "/media", body, "Content-Type", contentType).want(http.StatusCreated).at("media")
	h.ids["media"], h.ids["mediaURL"] = media.at("id").text(), media.at("url").text()
	h.ids["fileName"] = media.at("url").text()[strings.LastIndex(media.at("url").text(), "/")+1:]
	awaited := a.callWith(h.key, http.MethodPost, "/media/upload-url", `{"size": 70000000}`).want(http.StatusCreated)
	h.ids["awaited"] = awaited.at("mediaId").text()
	h.ids["uploadSecret"] = awaited.at("uploadUrl").text()[strings.LastIndex(awaited.at("uploadUrl").text(), "/")+1:]
}

// delivered makes the deliveries of what was announced since, of which one failed.
func (h *household) delivered(a *api, since int) {
	a.Helper()
	batches := a.events()[since:]
	messages, err := postgres.NewNotify(a.store, plain{}).Expand(context.Background(), batches)
	if err != nil || len(messages) == 0 {
		a.Fatalf("%d deliveries of %s: %v", len(messages), h.name, err)
	}
	h.event = batches[0].Events[0]
	h.ids["delivery"], h.ids["event"] = messages[0].Delivery.String(), h.event.ID.String()
	a.exec(`update deliveries set state = $2, response = $3 where webhook_id = $1`,
		parsed(a, schema.ParseWebhookID, h.ids["webhook"]), int16(schema.DeliveryFailed), h.name)
}

// failPost is what a failed try leaves of a post.
func (a *api) failPost(id string) {
	a.Helper()
	post := parsed(a, schema.ParsePostID, id)
	a.exec(`update targets set state = $2, error = '{"code": "platform_refused", "message": "no"}' where post_id = $1`, post, int16(schema.TargetFailed))
	a.exec(`update posts set status = $2, left_n = 0, failed_n = 1 where id = $1`, post, int16(schema.Failed))
}

func parsed[ID any](a *api, parse func(string) (ID, error), text string) ID {
	a.Helper()
	id, err := parse(text)
	if err != nil {
		a.Fatal(err)
	}
	return id
}
