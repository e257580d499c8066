package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"crier/client"
)

func posts(ctx context.Context, c *client.Client) string {
	// sample: createPost
	post, err := c.Posts.Create(ctx, client.Post{
		Content: "Good morning", Platforms: client.To(client.Mastodon, client.Bluesky), ScheduledFor: time.Now().Add(time.Hour),
	}, client.WithIdempotencyKey("order-17-go"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(post.ID, post.Status, post.Warnings)
	// sample: listPosts
	for post, err := range c.Posts.List(ctx, client.PostFilter{Status: client.PostScheduled}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(post.ID, post.ScheduledFor)
	}
	// sample: validatePost
	found, err := c.Posts.Validate(ctx, client.Post{Content: "Good morning", Platforms: client.To(client.Bluesky), Status: client.PostDraft})
	// end
	check(err)
	// sample: validatePost
	fmt.Println(found.IsValid, found.Errors)
	// sample: createPosts
	bulk, err := c.Posts.CreateBulk(ctx, client.Bulk{Posts: []client.Post{
		{Content: "Monday", Platforms: client.To(client.Bluesky), ScheduledFor: time.Now().Add(24 * time.Hour)},
		{Content: "Tuesday", Platforms: client.To(client.Bluesky), ScheduledFor: time.Now().Add(48 * time.Hour)},
	}})
	// end
	check(err)
	// sample: createPosts
	for _, result := range bulk.Results {
		fmt.Println(result.Error)
	}
	// sample: lookupPosts
	posts, err := c.Posts.Lookup(ctx, client.PostLookup{IDs: []string{post.ID}})
	// end
	check(err)
	fmt.Println(len(posts))
	// sample: getPost
	post, err = c.Posts.Get(ctx, post.ID)
	// end
	check(err)
	// sample: updatePost
	post, err = c.Posts.Update(ctx, post.ID, client.PostUpdate{Content: new("Good evening")})
	// end
	check(err)
	return post.ID
}

func wrong(ctx context.Context, c *client.Client) {
	// sample: error
	_, err := c.Posts.Get(ctx, "post_1")
	if e, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(e.Code, e.Details, e.RequestID, e.RetryAfter)
	}
	// end
}

func attempts(ctx context.Context, c *client.Client, id string) {
	post, err := c.Posts.Get(ctx, id)
	check(err)
	// sample: retryPost
	_, err = c.Posts.Retry(ctx, post.ID, client.PostRetry{Platforms: []client.Platform{client.Mastodon}})
	// end
	refused(err)
	// sample: listPostAttempts
	for attempt, err := range c.Posts.Attempts(ctx, post.ID) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(attempt.At, attempt.Event, attempt.Message)
	}
	// sample: deletePost
	err = c.Posts.Cancel(ctx, post.ID)
	// end
	check(err)
}
