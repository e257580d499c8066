// The samples of the reference in Go, as one program that a test runs. Each begins at its
// line "sample", which names the operations that it shows, and ends at the next or at "end".
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"crier/client"
)

func main() {
	ctx, c := context.Background(), client.New(os.Getenv("CRIER_KEY"), client.WithServer(os.Getenv("CRIER_URL")))
	id := posts(ctx, c)
	wrong(ctx, c)
	attempts(ctx, c, id)
	threads(ctx, c)
	accounts(ctx, c)
	queues(ctx, c)
	media(ctx, c)
	webhooks(ctx, c)
	monitors(ctx, c)
	engagement(ctx, c)
	figures(ctx, c)
	keys(ctx, c)
}

// check ends the program with what went wrong.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// refused is for what crier refuses in the state that this program has it in.
func refused(err error) {
	if _, ok := errors.AsType[*client.Error](err); !ok {
		log.Fatalf("%v, want a refusal", err)
	}
}

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

func threads(ctx context.Context, c *client.Client) {
	// sample: createThread
	thread, err := c.Threads.Create(ctx, client.ThreadCreate{
		Posts: []client.ThreadEntryInput{{Content: "One"}, {Content: "Two"}}, Platforms: client.To(client.Mastodon),
		ScheduledFor: time.Now().Add(time.Hour),
	})
	// end
	check(err)
	// sample: getThread
	thread, err = c.Threads.Get(ctx, thread.ID)
	// end
	check(err)
	// sample: updateThread
	thread, err = c.Threads.Update(ctx, thread.ID, client.ThreadUpdate{Title: new("Harbour")})
	// end
	check(err)
	// sample: deleteThread
	err = c.Threads.Cancel(ctx, thread.ID)
	// end
	check(err)
}

func accounts(ctx context.Context, c *client.Client) {
	// sample: listAccounts
	accounts, err := c.Accounts.List(ctx, client.AccountFilter{Platform: client.Mastodon})
	// end
	check(err)
	account := accounts[0]
	// sample: getAccount
	found, err := c.Accounts.Get(ctx, account.ID)
	// end
	check(err)
	fmt.Println(found.Name)
	// sample: updateAccount
	_, err = c.Accounts.Update(ctx, account.ID, client.AccountUpdate{Name: new("Harbour")})
	// end
	check(err)
	// sample: checkAccounts
	all, err := c.Accounts.HealthOfAll(ctx, client.AccountFilter{})
	// end
	check(err)
	fmt.Println(len(all))
	// sample: checkAccount
	health, err := c.Accounts.Health(ctx, account.ID)
	// end
	check(err)
	fmt.Println(health.Status)
	// sample: listConnectWays
	ways, err := c.Accounts.Ways(ctx)
	// end
	check(err)
	fmt.Println(len(ways))
	// sample: listPlatforms
	limits, err := c.Platforms.List(ctx)
	// end
	check(err)
	fmt.Println(len(limits))
	// sample: getPlatform
	ofMastodon, err := c.Platforms.Get(ctx, client.Mastodon, account.ID)
	// end
	check(err)
	fmt.Println(ofMastodon.Platform)
	brands(ctx, c)
	// sample: disconnectAccount
	err = c.Accounts.Disconnect(ctx, account.ID)
	// end
	check(err)
}

func brands(ctx context.Context, c *client.Client) {
	// sample: createBrand
	brand, err := c.Brands.Create(ctx, "Harbour")
	// end
	check(err)
	// sample: listBrands
	brands, err := c.Brands.List(ctx)
	// end
	check(err)
	fmt.Println(len(brands))
	// sample: getBrand
	brand, err = c.Brands.Get(ctx, brand.ID)
	// end
	check(err)
	// sample: renameBrand
	brand, err = c.Brands.Rename(ctx, brand.ID, "Harbour Café")
	// end
	check(err)
	// sample: deleteBrand
	err = c.Brands.Delete(ctx, brand.ID)
	// end
	check(err)
}

func queues(ctx context.Context, c *client.Client) {
	// sample: createQueue
	queue, err := c.Queues.Create(ctx, client.Queue{
		Name: "Mornings", Timezone: "Europe/Berlin", Slots: []client.WeekSlot{{Day: "monday", Time: "09:00"}},
	})
	// end
	check(err)
	// sample: listQueues
	queues, err := c.Queues.List(ctx)
	// end
	check(err)
	fmt.Println(len(queues))
	// sample: getQueue
	queue, err = c.Queues.Get(ctx, queue.ID)
	// end
	check(err)
	// sample: updateQueue
	queue, err = c.Queues.Update(ctx, queue.ID, client.QueueUpdate{Name: new("Early")})
	// end
	check(err)
	// sample: previewSlots
	slots, err := c.Queues.Slots(ctx, queue.ID, 5)
	// end
	check(err)
	fmt.Println(slots)
	// sample: deleteQueue
	err = c.Queues.Delete(ctx, queue.ID)
	// end
	check(err)
}

func media(ctx context.Context, c *client.Client) {
	// sample: uploadMedia createMediaUploadUrl completeUpload
	media, err := c.Media.UploadFile(ctx, "harbour.png", func(sent, total int64) { fmt.Println(sent, "of", total) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(media.ID, media.Type, media.Size)
	// sample: uploadMediaFromUrl
	_, err = c.Media.FromURL(ctx, client.MediaFromURL{URL: "https://media.example/harbour.png", AltText: "The harbour"})
	// end
	refused(err)
	// sample: listMedia
	for media, err := range c.Media.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(media.ID, media.FileName)
	}
	// sample: getMedia
	media, err = c.Media.Get(ctx, media.ID)
	// end
	check(err)
	// sample: deleteMedia
	err = c.Media.Delete(ctx, media.ID)
	// end
	check(err)
}

func webhooks(ctx context.Context, c *client.Client) {
	// sample: createWebhook
	webhook, err := c.Webhooks.Create(ctx, "https://hooks.example/crier", client.EventPostPublished, client.EventPostFailed)
	// end
	check(err)
	// sample: createWebhook
	fmt.Println(webhook.ID, webhook.Secret) // the secret is shown this once
	// sample: listWebhooks
	webhooks, err := c.Webhooks.List(ctx)
	// end
	check(err)
	fmt.Println(len(webhooks))
	// sample: getWebhook
	webhook, err = c.Webhooks.Get(ctx, webhook.ID)
	// end
	check(err)
	// sample: updateWebhook
	webhook, err = c.Webhooks.Update(ctx, webhook.ID, client.WebhookUpdate{IsActive: new(true)})
	// end
	check(err)
	// sample: testWebhook
	test, err := c.Webhooks.Test(ctx, webhook.ID, client.EventPostPublished)
	// end
	check(err)
	fmt.Println(test)
	// sample: rotateWebhookSecret
	webhook, err = c.Webhooks.RotateSecret(ctx, webhook.ID, 24*time.Hour)
	// end
	check(err)
	deliveries(ctx, c, webhook)
	// sample: deleteWebhook
	err = c.Webhooks.Delete(ctx, webhook.ID)
	// end
	check(err)
}

func deliveries(ctx context.Context, c *client.Client, webhook *client.Webhook) {
	delivery := &client.Delivery{ID: "dlv_00000000000000000000000000"}
	// sample: searchDeliveries
	for delivery, err := range c.Webhooks.Deliveries(ctx, webhook.ID, client.DeliveryFilter{Status: "failed"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(delivery.ID, delivery.Event)
	}
	// sample: getDelivery
	_, err := c.Webhooks.Delivery(ctx, webhook.ID, delivery.ID)
	// end
	refused(err)
	// sample: redeliver
	_, err = c.Webhooks.Redeliver(ctx, webhook.ID, delivery.ID)
	// end
	refused(err)
	// sample: redeliverFailed
	sent, more, err := c.Webhooks.RedeliverFailed(ctx, webhook.ID, time.Now().Add(-time.Hour))
	// end
	check(err)
	fmt.Println(sent, more)
	// sample: listEvents
	for event, err := range c.Events.List(ctx, client.EventFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Name, event.ID)
	}
	// end
}

func monitors(ctx context.Context, c *client.Client) {
	// sample: createMonitor
	monitor, err := c.Monitors.Create(ctx, client.Monitor{Name: "Harbour", Include: []string{"harbour walk"}})
	// end
	check(err)
	// sample: listMonitors
	for monitor, err := range c.Monitors.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(monitor.ID, monitor.Name)
	}
	// sample: getMonitor
	monitor, err = c.Monitors.Get(ctx, monitor.ID)
	// end
	check(err)
	// sample: updateMonitor
	monitor, err = c.Monitors.Update(ctx, monitor.ID, client.MonitorUpdate{IsPaused: new(true)})
	// end
	check(err)
	// sample: listMonitorItems
	for item, err := range c.Monitors.Items(ctx, monitor.ID) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Author.Handle, item.Text)
	}
	// sample: deleteMonitor
	err = c.Monitors.Delete(ctx, monitor.ID)
	// end
	check(err)
	// sample: searchFeed
	for item, err := range c.Feeds.Search(ctx, client.Search{Platform: client.Bluesky, Text: "harbour"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Author.Handle, item.Text)
		break
	}
	// sample: readPublicProfile
	profile, err := c.Feeds.Profile(ctx, client.Bluesky, "harbour.bsky.test")
	// end
	if err != nil {
		refused(err)
	}
	fmt.Println(profile)
}

func engagement(ctx context.Context, c *client.Client) {
	item := client.InboxItem{ID: "item_00000000000000000000000000"}
	// sample: listComments
	for item, err := range c.Engagement.Comments(ctx, client.CommentFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.ID, item.Author.Handle, item.Text)
	}
	// sample: listMentions
	for item, err := range c.Engagement.Mentions(ctx, client.MentionFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.ID, item.Author.Handle, item.Text)
	}
	// sample: markItems
	changed, err := c.Engagement.MarkRead(ctx, item.ID)
	// end
	if err != nil {
		refused(err)
	}
	fmt.Println(changed)
	reply := &client.Reply{ID: "comment_00000000000000000000000000"}
	// sample: createReply
	_, err = c.Engagement.Reply(ctx, item.ID, "Come by on Sunday.")
	// end
	refused(err)
	// sample: getReply
	_, err = c.Engagement.GetReply(ctx, reply.ID)
	// end
	refused(err)
	account := client.Account{ID: "acc_00000000000000000000000000"}
	// sample: getTranscript
	_, err = c.Engagement.Transcript(ctx, client.Captions{AccountID: account.ID, VideoID: "dQw4w9WgXcQ", Language: "en"})
	// end
	refused(err)
}

func figures(ctx context.Context, c *client.Client) {
	// sample: countPosts
	posts, err := c.Analytics.Posts(ctx, client.PostReportFilter{Platform: client.Mastodon})
	// end
	check(err)
	fmt.Println(len(posts.Counts))
	// sample: countFollowers
	followers, err := c.Analytics.Followers(ctx, client.FollowersFilter{})
	// end
	check(err)
	fmt.Println(len(followers.Accounts))
	// sample: getRetention
	retention, err := c.Analytics.Retention(ctx, client.RetentionFilter{Top: 5})
	// end
	check(err)
	fmt.Println(len(retention.Videos))
	// sample: getBestTimes
	times, err := c.Analytics.BestTimes(ctx, client.BestTimesFilter{Timezone: "Europe/Berlin"})
	// end
	check(err)
	fmt.Println(len(times.Times))
}

func keys(ctx context.Context, c *client.Client) {
	// sample: createKey
	key, err := c.Keys.Create(ctx, client.NewKey{Name: "reports", Permission: client.Read, Test: true})
	// end
	check(err)
	// sample: createKey
	fmt.Println(key.ID, key.Secret) // the secret is shown this once
	// sample: listKeys
	for key, err := range c.Keys.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(key.ID, key.Name)
	}
	// sample: getKey
	key, err = c.Keys.Get(ctx, key.ID)
	// end
	check(err)
	// sample: rotateKey
	successor, err := c.Keys.Rotate(ctx, key.ID, time.Hour)
	// end
	check(err)
	fmt.Println(successor.ID)
	// sample: revokeKey
	err = c.Keys.Revoke(ctx, key.ID)
	// end
	check(err)
	// sample: getUsage
	usage, err := c.Usage.Get(ctx)
	// end
	check(err)
	fmt.Println(usage)
}
