package twitter

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// metricsBatch is how many posts GET /2/tweets takes.
const metricsBatch = 100

// notFoundType is the problem of a post that X does not have.
const notFoundType = "/problems/resource-not-found"

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return metricsBatch }

// publicMetrics are the numbers of a post that X shows everybody. Those for its author alone X
// gives for 30 days, and refuses the whole post after that.
type publicMetrics struct {
	Impressions *int64 `json:"impression_count"`
	Likes       *int64 `json:"like_count"`
	Replies     *int64 `json:"reply_count"`
	Reposts     *int64 `json:"repost_count"`
	Retweets    *int64 `json:"retweet_count"` // by the older name
	Quotes      *int64 `json:"quote_count"`
	Bookmarks   *int64 `json:"bookmark_count"`
}

func (m publicMetrics) metrics() schema.Metrics {
	return schema.Metrics{
		Impressions: m.Impressions, Likes: m.Likes, Comments: m.Replies, Shares: connectors.Sum(cmp.Or(m.Reposts, m.Retweets), m.Quotes), Saves: m.Bookmarks,
	}
}

// PostMetrics reads posts by their ids. What X does not have it says beside the others, in a 200; of
// a post that it gives for no other reason nothing is known.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/2/tweets", opPosts).Reading(r)
	call.Query = url.Values{"ids": {strings.Join(connectors.NativeIDs(posts), ",")}}
	out, _, err := readPosts(ctx, c, call, postQuery{fields: "public_metrics"}, countedPosts.areWhole)
	if err != nil {
		return nil, fmt.Errorf("reading posts: %w", err)
	}
	found := make(map[string]schema.PostMetrics, len(posts))
	for _, e := range out.Errors {
		if strings.HasSuffix(e.Type, notFoundType) {
			found[e.ID], found[e.Value] = schema.PostMetrics{Gone: true}, schema.PostMetrics{Gone: true}
		}
	}
	for _, p := range out.Data {
		if p.Metrics != nil {
			found[p.ID] = schema.PostMetrics{Metrics: p.Metrics.metrics()}
		}
	}
	metrics := make([]schema.PostMetrics, len(posts))
	for i, p := range posts {
		metrics[i] = found[p.NativeID]
	}
	return metrics, nil
}

// countedPosts are posts with their numbers, and what X does not give of those that were asked for.
type countedPosts struct {
	Data []struct {
		ID      string         `json:"id"`
		Metrics *publicMetrics `json:"public_metrics"`
	} `json:"data"`
	Errors []struct {
		Type  string `json:"type"`
		ID    string `json:"resource_id"`
		Value string `json:"value"`
	} `json:"errors"`
}

// areWhole reports whether a post that is there has its numbers.
func (p countedPosts) areWhole() bool { return len(p.Data) == 0 || p.Data[0].Metrics != nil }

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/2/users/me", opMe).Reading(r)
	call.Query = url.Values{"user.fields": {"public_metrics"}}
	var out struct {
		Data struct {
			Metrics struct {
				Followers *int64 `json:"followers_count"`
				Following *int64 `json:"following_count"`
				Posts     *int64 `json:"post_count"`
				Tweets    *int64 `json:"tweet_count"` // by the older name
			} `json:"public_metrics"`
		} `json:"data"`
	}
	if _, err := c.client.Do(ctx, call, &out); err != nil {
		return schema.Followers{}, fmt.Errorf("reading account: %w", err)
	}
	m := out.Data.Metrics
	return schema.Followers{Followers: m.Followers, Following: m.Following, Posts: cmp.Or(m.Posts, m.Tweets)}, nil
}
