package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// TestSender sends one signed request to a webhook, at once and without a retry.
type TestSender interface {
	// TestDelivery returns the status code of the answer and how long it took. An error
	// means that there was no answer; one of *schema.Error is safe to show.
	TestDelivery(ctx context.Context, webhook schema.Webhook, payload schema.WebhookPayload) (code int, took time.Duration, err error)
}

// trialView is what became of a test delivery. Without an answer of the receiver it has
// no code, and says why.
type trialView struct {
	Event        schema.EventType `json:"event"`
	DeliveredAt  answer.Moment    `json:"deliveredAt"`
	ResponseCode int              `json:"responseCode,omitempty"`
	ResponseTime int64            `json:"responseTime"` // milliseconds
	Error        string           `json:"error,omitempty"`
}

// test sends a webhook an event with sample data, signed like a real one.
func (w *webhooks) test(c *gin.Context, id schema.WebhookID) error {
	webhook, err := w.Store.Webhook(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	event := readEvent(f)
	if err := f.Finish(); err != nil {
		return err
	}
	now := w.Now().UTC().Truncate(time.Millisecond)
	sample, err := json.Marshal(sampleData(event, webhook.Workspace, now))
	if err != nil {
		return fmt.Errorf("encoding sample data: %w", err)
	}
	code, took, err := w.Sender.TestDelivery(c.Request.Context(), webhook, schema.WebhookPayload{
		ID: schema.NewID[schema.EventID](now), Event: event, Test: true, CreatedAt: now, Data: sample,
	})
	return answer.Named(c, http.StatusOK, "test", trialView{
		Event: event, DeliveredAt: answer.Moment(w.Now()), ResponseCode: code, ResponseTime: took.Milliseconds(),
		Error: causeMessage(err),
	}, nil)
}

func readEvent(f *body.Form) schema.EventType {
	name, ok := f.Text("event", body.MaxShort)
	if !ok {
		requireEvent(f, "event")
		return ""
	}
	event := schema.EventType(name)
	if !event.Subscribable() {
		f.Fail("event", body.CodeInvalidValue, noEvent(name))
	}
	return event
}

func causeMessage(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*schema.Error](err); ok {
		return e.Message
	}
	return "the receiver did not answer"
}

// sampleData is the data of a test event: of the shape of a real one, about nothing
// that exists.
func sampleData(event schema.EventType, workspace schema.WorkspaceID, now time.Time) any {
	kind, _, _ := strings.Cut(string(event), ".")
	switch kind {
	case "account":
		return sampleAccount(event, now)
	case "webhook":
		return sampleWebhook(now)
	case "feed":
		return sampleFeed(now)
	case "comment", "mention":
		return sampleItem(kind, now)
	case "thread":
		post := samplePost(event, workspace, now)
		post.Content.Entries = append(post.Content.Entries, schema.Entry{Text: "Its second entry."})
		post.Content.Thread = &schema.ThreadConfig{Title: "A sample thread"}
		if event == schema.ThreadPublished {
			second := schema.Receipt{Entry: 1, NativeID: "2", URL: "https://mastodon.example/@sample/2", PostedAt: now}
			post.Targets[0].Receipts = append(post.Targets[0].Receipts, second)
		}
		return schema.ThreadData{Thread: post.ThreadSummary()}
	default:
		post := samplePost(event, workspace, now)
		return schema.PostData{Post: post.Summary()}
	}
}

func sampleWebhook(now time.Time) schema.WebhookData {
	webhook := schema.Webhook{
		ID: schema.NewID[schema.WebhookID](now), URL: "https://hooks.example/sample", Events: []schema.EventType{schema.PostPublished},
		ConsecutiveFailures: 10, DisabledAt: now, DisabledReason: "A sample failure.",
	}
	return schema.WebhookData{Webhook: webhook.Summary()}
}

func sampleFeed(now time.Time) schema.FeedMatchedData {
	author := schema.Author{ID: "did:plc:sample", URL: "https://bsky.app/profile/did:plc:sample"}
	return schema.FeedMatchedData{
		Monitor: schema.FeedMonitor{ID: schema.NewID[schema.MonitorID](now), Name: "A sample monitor"},
		Items: []schema.MatchedItem{{
			Platform: schema.Bluesky, NativeID: "at://did:plc:sample/app.bsky.feed.post/1", Author: author, Text: "A sample post.",
			URL: author.URL + "/post/1", Language: "en", WrittenAt: now, Keywords: []string{"sample"},
		}},
	}
}

func sampleItem(kind string, now time.Time) schema.InboxData {
	account := schema.Account{ID: schema.NewID[schema.AccountID](now), Platform: schema.Mastodon}
	received := schema.Received{Item: schema.InboxItem{
		Kind: kind, NativeID: "3", Author: schema.Author{ID: "2", Handle: "somebody@mastodon.example"}, Text: "A sample of what people write.",
		URL: "https://mastodon.example/@somebody/3", WrittenAt: now,
	}}
	if kind == schema.InboxComment {
		received.Post = schema.NewID[schema.PostID](now)
	}
	return schema.InboxData{Item: received.Summary(account)}
}

func sampleAccount(event schema.EventType, now time.Time) schema.AccountData {
	account := schema.Account{
		ID: schema.NewID[schema.AccountID](now), Platform: schema.Mastodon, NativeID: "1", Name: "sample@mastodon.example", Server: "https://mastodon.example",
		Disconnected: event == schema.AccountDisconnected, NeedsReconnect: event == schema.AccountError,
	}
	data := schema.AccountData{Account: account.Summary()}
	switch event {
	case schema.AccountError:
		data.Error = &schema.AccountProblem{Code: schema.CodeNeedsReconnect, Message: "A sample failure."}
	case schema.AccountTokenExpiring:
		data.ExpiresAt = new(now.Add(schema.ExpiryNotice))
	default:
	}
	return data
}

func samplePost(event schema.EventType, workspace schema.WorkspaceID, now time.Time) *schema.Post {
	post := &schema.Post{
		ID: schema.NewID[schema.PostID](now), Workspace: workspace, Status: schema.Scheduled, ScheduledFor: now.Add(time.Hour),
		Content: schema.Content{Entries: []schema.Entry{{Text: "A sample post: nothing was published."}}},
		Targets: []schema.Target{{Account: schema.NewID[schema.AccountID](now), Platform: schema.Mastodon}},
	}
	target := &post.Targets[0]
	first := []schema.Receipt{{NativeID: "1", URL: "https://mastodon.example/@sample/1", PostedAt: now}}
	refusal := &schema.TargetError{Code: "platform_refused", Message: "A sample failure.", At: now}
	switch event {
	case schema.PostPublished, schema.ThreadPublished:
		post.Status, post.ScheduledFor = schema.Posted, now
		target.State, target.PostedAt, target.Receipts = schema.TargetPosted, now, first
	case schema.ThreadPartiallyPublished:
		post.Status, post.ScheduledFor = schema.Failed, now
		target.State, target.Receipts, target.Error = schema.TargetFailed, first, refusal
	case schema.PostFailed, schema.ThreadFailed:
		post.Status, post.ScheduledFor = schema.Failed, now
		target.State, target.Error = schema.TargetFailed, refusal
	case schema.PostCancelled:
		post.Status, target.State = schema.Cancelled, schema.TargetCancelled
	default:
	}
	return post
}
