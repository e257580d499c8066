package bluesky

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/schema"
)

// metricsBatch is how many posts app.bsky.feed.getPosts takes.
const metricsBatch = 25

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return metricsBatch }

// postCounts are those of app.bsky.feed.defs#postView. What a server leaves out it does not
// count.
type postCounts struct {
	URI       string `json:"uri"`
	Replies   *int64 `json:"replyCount"`
	Reposts   *int64 `json:"repostCount"`
	Likes     *int64 `json:"likeCount"`
	Quotes    *int64 `json:"quoteCount"`
	Bookmarks *int64 `json:"bookmarkCount"`
}

// PostMetrics asks the account's own server, which asks its AppView: posts that are gone are left
// out of the answer. Views are counted by nobody.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	var answer struct {
		Posts []postCounts `json:"posts"`
	}
	if _, err := c.reads(ctx, r, getPosts, url.Values{"uris": connectors.NativeIDs(posts)}, &answer); err != nil {
		return nil, fmt.Errorf("reading posts: %w", err)
	}
	found := make(map[string]schema.Metrics, len(answer.Posts))
	for _, p := range answer.Posts {
		found[p.URI] = schema.Metrics{Likes: p.Likes, Comments: p.Replies, Shares: connectors.Sum(p.Reposts, p.Quotes), Saves: p.Bookmarks}
	}
	return connectors.MetricsOf(posts, found, schema.PostMetrics{Gone: true}), nil
}

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	var answer struct {
		Followers *int64 `json:"followersCount"`
		Following *int64 `json:"followsCount"`
		Posts     *int64 `json:"postsCount"`
	}
	d := schema.Delivery{Account: r.Account, Credentials: r.Credentials}
	_, err := c.ask(ctx, d, &answer, func(s session) connectors.Call {
		get := call(d, http.MethodGet, s.PDS, getProfile, s.Access).Reading(r)
		get.Query = url.Values{"actor": {s.DID}} // an account of the sandbox is of no person before it logs in
		return get
	})
	if err != nil {
		return schema.Followers{}, fmt.Errorf("reading profile: %w", err)
	}
	return schema.Followers{Followers: answer.Followers, Following: answer.Following, Posts: answer.Posts}, nil
}
