package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

// newHousehold is a workspace that has one of everything, each under the name by which
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
	_, fresh, _ := strings.Cut(schema.NewID[schema.PostID](time.Now()).String(), "_")
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

// newHousehold furnishes a workspace over its API.
func newHousehold(a *gatewaytest.API, name string, workspace schema.WorkspaceID, sandbox bool) *household {
	a.Helper()
	h := &household{name: name, workspace: workspace, ids: map[string]string{}}
	h.key, h.keyID = a.IssueKey(workspace, schema.Admin, sandbox)
	create := func(path, body string) gatewaytest.JSON {
		a.Helper()
		got := a.RequestWith(h.key, http.MethodPost, path, h.expand(strings.ReplaceAll(body, "$name$", name)))
		return got.Want(http.StatusCreated)
	}
	h.ids["brand"] = create("/brands", `{"name": "$name$"}`).At("brand", "id").Text()
	h.ids["key"] = create("/keys", `{"name": "$name$", "permissions": ["read"]}`).At("key", "id").Text()
	h.ids["account"] = create("/connect/mastodon", `{"accessToken": "token-of-$name$"}`).At("account", "id").Text()
	h.ids["other"] = create("/connect/bluesky", `{"identifier": "$name$.example.com", "password": "abcd-efgh-ijkl-mnop"}`).At("account", "id").Text()
	h.ids["queue"] = create("/queues", `{"name": "$name$", "timezone": "UTC", "slots": [{"day": "monday", "time": "09:00"}, {"day": "friday", "time": "09:00"}]}`).At("queue", "id").Text()
	h.ids["monitor"] = create("/feeds/keywords", `{"name": "$name$", "include": ["$name$"]}`).At("monitor", "id").Text()
	h.upload(a)
	h.selects(a)
	webhook := create("/webhooks", `{"url": "https://hooks.example/$name$", "events": ["post.scheduled"]}`).At("webhook")
	h.ids["webhook"], h.ids["webhookSecret"] = webhook.At("id").Text(), webhook.At("secret").Text()

	events := len(a.Events())
	at := a.In(time.Hour)
	for id, body := range map[string]string{
		"scheduled": `{"content": "$name$", "platforms": ["mastodon"], "brandId": "$brand$", "mediaItems": [{"mediaId": "$media$"}], "scheduledFor": "` + at + `"}`,
		"queued":    `{"content": "$name$ waits", "platforms": ["mastodon"], "queueId": "$queue$"}`,
		"draft":     `{"content": "$name$ thinks", "platforms": ["bluesky"], "status": "draft"}`,
		"failed":    `{"content": "$name$ failed", "platforms": ["mastodon"], "scheduledFor": "` + at + `"}`,
	} {
		h.ids[id] = create("/posts", body).At("post", "id").Text()
	}
	h.ids["thread"] = create("/threads", `{"posts": [{"content": "$name$ 1"}, {"content": "$name$ 2"}], "platforms": ["bluesky"], "scheduledFor": "`+at+`"}`).At("thread", "id").Text()
	failPost(a, h.ids["failed"])
	h.ids["item"] = a.AddInboxItem(workspace, h.ids["account"], schema.InboxItem{NativeID: "heard by " + name, Text: name}).String()
	h.ids["reply"] = create("/engagement/replies", `{"itemId": "$item$", "text": "$name$ answers"}`).At("reply", "id").Text()
	h.delivered(a, events)
	return h
}

// selects leaves a person of a household to choose among their pages.
func (h *household) selects(a *gatewaytest.API) {
	a.Helper()
	a.RequestWith(h.key, http.MethodGet, "/connect/mastodon", nil).Want(http.StatusOK) // the server's app is all workspaces'
	p := a.Person()
	p.WorkspaceKey = h.key
	h.ids["selection"] = p.SelectionToken(h.name)
	listed := a.RequestWith(h.key, http.MethodGet, "/connect/facebook/entities?selectionToken="+h.ids["selection"], nil).Want(http.StatusOK)
	h.ids["page"] = listed.At("entities", 0, "id").Text()
}

// upload gives a household an image, and an address that waits for one.
func (h *household) upload(a *gatewaytest.API) {
	a.Helper()
	body, contentType := gatewaytest.MediaForm(a, gatewaytest.PNG(a, 64, 64), "alt_text", h.name)
	media := a.RequestWith(h.key, http.MethodPost, "/media", body, "Content-Type", contentType).Want(http.StatusCreated).At("media")
	h.ids["media"], h.ids["mediaURL"] = media.At("id").Text(), media.At("url").Text()
	h.ids["fileName"] = media.At("url").Text()[strings.LastIndex(media.At("url").Text(), "/")+1:]
	awaited := a.RequestWith(h.key, http.MethodPost, "/media/upload-url", `{"size": 70000000}`).Want(http.StatusCreated)
	h.ids["awaited"] = awaited.At("mediaId").Text()
	h.ids["uploadSecret"] = awaited.At("uploadUrl").Text()[strings.LastIndex(awaited.At("uploadUrl").Text(), "/")+1:]
}

// delivered makes the deliveries of what was announced since, of which one failed.
func (h *household) delivered(a *gatewaytest.API, since int) {
	a.Helper()
	batches := a.Events()[since:]
	messages, err := postgres.NewNotify(a.Store, securetest.PlainText{}).Expand(context.Background(), batches)
	if err != nil || len(messages) == 0 {
		a.Fatalf("%d deliveries of %s: %v", len(messages), h.name, err)
	}
	h.event = batches[0].Events[0]
	h.ids["delivery"], h.ids["event"] = messages[0].Delivery.String(), h.event.ID.String()
	a.Exec(`update deliveries set state = $2, response = $3 where webhook_id = $1`,
		parsed(a, schema.ParseID[schema.WebhookID], h.ids["webhook"]), int16(schema.DeliveryFailed), h.name)
}

// failPost is what a failed try leaves of a post.
func failPost(a *gatewaytest.API, id string) {
	a.Helper()
	post := parsed(a, schema.ParseID[schema.PostID], id)
	a.Exec(`update targets set state = $2, error = '{"code": "platform_refused", "message": "no"}' where post_id = $1`, post, int16(schema.TargetFailed))
	a.Exec(`update posts set status = $2, left_n = 0, failed_n = 1 where id = $1`, post, int16(schema.Failed))
}

func parsed[ID any](a *gatewaytest.API, parse func(string) (ID, error), text string) ID {
	a.Helper()
	id, err := parse(text)
	if err != nil {
		a.Fatal(err)
	}
	return id
}
