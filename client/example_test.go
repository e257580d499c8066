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
	told, err := c.Webhooks.Test(ctx, hook.ID, client.EventPostPublished)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(told.ResponseCode)
	// Output:
	// post.published is published
	// 204
}
