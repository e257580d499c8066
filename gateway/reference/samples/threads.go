package main

import (
	"context"
	"time"

	"crier/client"
)

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
