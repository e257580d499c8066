package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"crier/client"
	"crier/client/clienttest"
	"crier/client/webhook"
	"crier/schema"
)

func Example() {
	server, end := clienttest.Start() // a crier of this test
	defer end()

	ctx := context.Background()
	c := client.New(server.Key, client.WithServer(server.URL))
	post, err := c.Posts.Create(ctx, client.Post{
		Content:      "Good morning",
		Platforms:    client.To(client.Mastodon, client.Bluesky),
		ScheduledFor: time.Now().Add(24 * time.Hour),
		FirstComment: "Read more: https://example.com",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(post.Status, len(post.Platforms))

	post, err = c.Posts.Update(ctx, post.ID, client.PostUpdate{Content: new("Good evening"), FirstComments: []client.FirstComment{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(post.Content, len(post.FirstComments))

	for post, err := range c.Posts.List(ctx, client.PostFilter{Status: client.PostScheduled}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(post.Content)
	}

	_, err = c.Posts.Create(ctx, client.Post{Platforms: client.To(client.YouTube), PublishNow: true})
	if e, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(e.Status, e.Code, e.Details[0].Field)
	}
	// Output:
	// scheduled 2
	// Good evening 0
	// Good evening
	// 400 validation_error platforms[0].accountId
}

func ExampleWebhookService_Create() {
	server, end := clienttest.Start() // a crier of this test
	defer end()

	ctx := context.Background()
	c := client.New(server.Key, client.WithServer(server.URL))
	var handler http.Handler
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer receiver.Close()
	hook, err := c.Webhooks.Create(ctx, receiver.URL, client.EventPostPublished)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler = webhook.Verifier{Secret: hook.Secret}.Handler(func(_ context.Context, e *client.Event) error {
		switch data := e.Data.(type) {
		case client.PostData:
			fmt.Println(e.Name, "is", data.Post.Status)
		case client.AccountData:
			fmt.Println(e.Name, "is of", data.Account.Name)
		}
		return nil
	})
	result, err := c.Webhooks.Test(ctx, hook.ID, client.EventPostPublished)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.ResponseCode)
	// Output:
	// post.published is published
	// 204
}

func ExampleEngagementService_Comments() {
	server, end := clienttest.Start(clienttest.WithClickHouse) // a crier of this test
	defer end()
	server.Written(server.Connect(schema.Mastodon, "bob"), schema.InboxItem{
		Kind: schema.InboxComment, NativeID: "1", Author: schema.Author{Name: "Ada"}, Text: "Where can I get this?", WrittenAt: time.Now(),
	})

	ctx := context.Background()
	c := client.New(server.Key, client.WithServer(server.URL))
	for comment, err := range c.Engagement.Comments(ctx, client.CommentFilter{Unread: true}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(comment.Author.Name, "writes:", comment.Text)
		reply, err := c.Engagement.Reply(ctx, comment.ID, "At the shop.")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("The reply is", reply.Status)
		if _, err := c.Engagement.MarkRead(ctx, comment.ID); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// Ada writes: Where can I get this?
	// The reply is pending
}

func ExampleAnalyticsService_Posts() {
	server, end := clienttest.Start(clienttest.WithClickHouse) // a crier of this test
	defer end()
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	server.Posted(server.Connect(schema.Mastodon, "bob"), schema.Mastodon, monday, schema.Metrics{Likes: new(int64(7))})

	c := client.New(server.Key, client.WithServer(server.URL))
	report, err := c.Analytics.Posts(context.Background(), client.PostReportFilter{From: monday, To: monday.AddDate(0, 0, 6), Best: client.MetricLikes})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Totals["posted"], "posted")
	for _, post := range report.Metrics.Top {
		fmt.Println(post.Platform, post.PostedAt.Format(time.DateOnly), *post.Metrics.Likes, "likes")
		if post.Metrics.Impressions == nil {
			fmt.Println("nobody tells how often it was seen")
		}
	}
	// Output:
	// 1 posted
	// mastodon 2026-03-02 7 likes
	// nobody tells how often it was seen
}

func ExampleMonitorService() {
	server, end := clienttest.Start() // a crier of this test
	defer end()

	ctx := context.Background()
	c := client.New(server.Key, client.WithServer(server.URL))
	monitor, err := c.Monitors.Create(ctx, client.Monitor{Name: "Coffee", Include: []string{"coffee", "flat white"}, Language: "en"})
	if err != nil {
		fmt.Println(err)
		return
	}
	monitor, err = c.Monitors.Update(ctx, monitor.ID, client.MonitorUpdate{Language: new("")}) // any
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(monitor.Include, monitor.Language == "")
	// Output:
	// [coffee flat white] true
}
