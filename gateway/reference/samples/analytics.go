package main

import (
	"context"
	"fmt"

	"crier/client"
)

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
