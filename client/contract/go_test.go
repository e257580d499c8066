package contract_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"crier/client"
	"crier/client/contract"
	"crier/client/webhook"
	"crier/schema/sleep"
)

// goDriver is the driver of the Go client.
type goDriver struct{}

func (goDriver) do(ctx context.Context, task contract.Task) (contract.Outcome, error) {
	if task.Action == "verify" {
		return verified(task), nil
	}
	clock := &clock{now: time.Now()}
	options := []client.Option{client.WithServer(task.URL)}
	if task.Patience > 0 {
		options = append(options, client.WithHTTPClient(&http.Client{Timeout: seconds(task.Patience)}))
	}
	if task.Abort > 0 {
		called, abort := context.WithCancel(ctx)
		defer time.AfterFunc(seconds(task.Abort), abort).Stop()
		defer abort()
		ctx = called
	} else {
		options = append(options, client.WithClock(clock.read, clock.wait))
	}
	outcome, err := goTask{client.New(task.Key, options...), task}.do(ctx)
	outcome.Waits = clock.waits
	outcome.Error = failure(err)
	return outcome, nil
}

// clock is one on which waits are over at once.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []float64
}

func (c *clock) read() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > 0 {
		c.now = c.now.Add(d)
		c.waits = append(c.waits, d.Seconds())
	}
	return sleep.For(ctx, 0)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func failure(err error) *contract.Failure {
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*client.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return &contract.Failure{Kind: "aborted", Message: err.Error()}
	case ok:
		return &contract.Failure{
			Kind: "refused", Status: refused.Status, Code: string(refused.Code), Details: len(refused.Details), RequestID: refused.RequestID != "",
			RetryAfter: refused.RetryAfter.Seconds(), Message: err.Error(),
		}
	default:
		return &contract.Failure{Kind: "lost", Message: err.Error()}
	}
}

// goTask is a task of an API client.
type goTask struct {
	*client.Client
	contract.Task
}

func (g goTask) text(name string) string { text, _ := g.Input[name].(string); return text }

func (g goTask) draft(content string) client.Post {
	post := client.Post{Content: content, Platforms: client.To(client.Mastodon), Status: client.PostDraft, ExternalID: g.text("name")}
	if platforms, ok := g.Input["platforms"].([]any); ok {
		post.Platforms = nil
		for _, p := range platforms {
			post.Platforms = append(post.Platforms, client.Target{Platform: client.Platform(fmt.Sprint(p))})
		}
	}
	return post
}

func (g goTask) do(ctx context.Context) (contract.Outcome, error) {
	switch g.Action {
	case "create":
		post, err := g.Posts.Create(ctx, g.draft("Good morning"))
		if err != nil {
			return contract.Outcome{}, err
		}
		return contract.Outcome{Value: post.ID}, nil
	case "create twice":
		return g.twice(ctx)
	case "create bulk":
		_, err := g.Posts.CreateBulk(ctx, client.Bulk{Posts: []client.Post{g.draft("One"), g.draft("Two")}})
		return contract.Outcome{}, err
	case "create brand":
		_, err := g.Brands.Create(ctx, g.text("name"))
		return contract.Outcome{}, err
	case "cancel":
		return g.cancel(ctx)
	case "change":
		post, err := g.Posts.Update(ctx, g.text("id"), client.PostUpdate{Content: new("Changed"), ExternalID: new("")})
		if err != nil {
			return contract.Outcome{}, err
		}
		return contract.Outcome{Value: changed(post.Content, post.ExternalID, post.Metadata)}, nil
	case "read":
		post, err := g.Posts.Get(ctx, g.text("id"))
		if err != nil {
			return contract.Outcome{}, err
		}
		return contract.Outcome{Value: string(post.Status) + " " + post.Platforms[0].PostID}, nil
	case "list", "first of a list":
		return g.list(ctx)
	case "upload":
		return g.upload(ctx)
	case "tour":
		return g.tour(ctx)
	}
	return contract.Outcome{}, fmt.Errorf("the Go driver knows no %q", g.Action)
}

// changed says what of a draft is as it was asked for.
func changed(content, externalID string, metadata map[string]string) string {
	if externalID != "" || metadata["kept"] != "yes" {
		return content
	}
	return content + ", in 2 places"
}

func (g goTask) twice(ctx context.Context) (contract.Outcome, error) {
	var options []client.CallOption
	if key := g.text("idempotencyKey"); key != "" {
		options = append(options, client.WithIdempotencyKey(key))
	}
	second := "Good morning"
	if g.Input["different"] == true {
		second = "Good evening"
	}
	var outcome contract.Outcome
	for _, content := range []string{"Good morning", second} {
		post, err := g.Posts.Create(ctx, g.draft(content), options...)
		if err != nil {
			return outcome, err
		}
		outcome.Items = append(outcome.Items, post.ID)
	}
	return outcome, nil
}

func (g goTask) cancel(ctx context.Context) (contract.Outcome, error) {
	id := g.text("id")
	if err := g.Posts.Cancel(ctx, id); err != nil {
		return contract.Outcome{}, err
	}
	post, err := g.Posts.Get(ctx, id)
	if err != nil {
		return contract.Outcome{}, err
	}
	return contract.Outcome{Value: string(post.Status)}, nil
}

func (g goTask) list(ctx context.Context) (contract.Outcome, error) {
	var outcome contract.Outcome
	for post, err := range g.Posts.List(ctx, client.PostFilter{ExternalID: g.text("name"), PageSize: 2}) {
		if err != nil {
			return outcome, err
		}
		outcome.Items = append(outcome.Items, post.ID)
		if g.Action == "first of a list" {
			break
		}
	}
	return outcome, nil
}

func (g goTask) upload(ctx context.Context) (contract.Outcome, error) {
	content, err := base64.StdEncoding.DecodeString(g.text("content"))
	if err != nil {
		return contract.Outcome{}, err
	}
	var outcome contract.Outcome
	media, err := g.Media.Upload(ctx, client.Upload{
		Name: "film.mp4", Content: bytes.NewReader(content), Size: int64(len(content)),
		Progress: func(sent, _ int64) { outcome.Progress = append(outcome.Progress, sent) },
	})
	if err != nil {
		return outcome, err
	}
	outcome.Value = fmt.Sprint(media.Type, " ", media.Size)
	return outcome, nil
}

// tour makes and reads something of every resource that needs no more than a gateway.
func (g goTask) tour(ctx context.Context) (contract.Outcome, error) {
	name := g.text("name")
	brand, err := g.Brands.Create(ctx, name)
	if err != nil {
		return contract.Outcome{}, err
	}
	queue, err := g.Queues.Create(ctx, client.Queue{Name: name, Slots: []client.WeekSlot{{Day: "monday", Time: "09:00"}}, BrandID: brand.ID})
	if err != nil {
		return contract.Outcome{}, err
	}
	slots, err := g.Queues.Slots(ctx, queue.ID, 3)
	if err != nil {
		return contract.Outcome{}, err
	}
	thread, err := g.Threads.Create(ctx, client.ThreadCreate{
		Posts: []client.ThreadEntryInput{{Content: "One"}, {Content: "Two"}}, Platforms: client.To(client.Mastodon), Status: "draft",
	})
	if err != nil {
		return contract.Outcome{}, err
	}
	hook, err := g.Webhooks.Create(ctx, "http://127.0.0.1:1/hook", client.EventPostFailed)
	if err != nil {
		return contract.Outcome{}, err
	}
	accounts, err := g.Accounts.List(ctx, client.AccountFilter{})
	if err != nil {
		return contract.Outcome{}, err
	}
	if len(slots) != 3 || len(accounts) == 0 || thread.EntryCount != 2 || hook.Secret == "" {
		return contract.Outcome{}, errors.New("the tour found too little")
	}
	return contract.Outcome{Value: "round"}, g.Webhooks.Delete(ctx, hook.ID)
}

func verified(task contract.Task) contract.Outcome {
	header := http.Header{}
	for name, value := range task.Input["headers"].(map[string]string) {
		header.Set(name, value)
	}
	verifier := webhook.Verifier{Secret: task.Input["secret"].(string), Now: func() time.Time { return time.Unix(task.Input["now"].(int64), 0) }}
	event, err := verifier.Verify(header, []byte(task.Input["body"].(string)))
	switch {
	case errors.Is(err, webhook.ErrSignature):
		return contract.Outcome{Error: &contract.Failure{Kind: "signature"}}
	case errors.Is(err, webhook.ErrTime):
		return contract.Outcome{Error: &contract.Failure{Kind: "time"}}
	case err != nil:
		return contract.Outcome{Error: &contract.Failure{Kind: "body"}}
	}
	return contract.Outcome{Value: string(event.Name) + " " + about(event)}
}

func about(event *client.Event) string {
	switch data := event.Data.(type) {
	case client.PostData:
		return data.Post.ID
	case client.AccountData:
		return data.Account.ID
	case client.ItemData:
		return data.Item.ID
	default:
		return "unknown"
	}
}
