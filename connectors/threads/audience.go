package threads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// Operations that read what became of posts and accounts
// (developers.facebook.com/docs/threads/insights).
const (
	opInsights        = "GET /{post}/insights"
	opAccountInsights = "GET /me/threads_insights"
)

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return 1 }

// PostMetrics reads the insights of a post, for which a token needs threads_manage_insights.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	return connectors.EachPost(r, posts, func(r connectors.Reading, p schema.PublishedPost) (schema.PostMetrics, error) {
		call := c.Call(schema.Delivery{Account: r.Account, Credentials: r.Credentials}, http.MethodGet, "/"+url.PathEscape(p.NativeID)+"/insights", opInsights).Reading(r)
		call.Query = url.Values{"metric": {"views,likes,replies,reposts,quotes,shares"}}
		var read graph.Insights
		_, err := c.Client.Do(ctx, call, &read)
		if isGone(err) {
			return schema.PostMetrics{Gone: true}, nil
		}
		if err != nil {
			return schema.PostMetrics{}, fmt.Errorf("reading insights: %w", err)
		}
		return schema.PostMetrics{Metrics: schema.Metrics{
			Views: read.Of("views"), Likes: read.Of("likes"), Comments: read.Of("replies"),
			Shares: connectors.Sum(read.Of("reposts"), read.Of("quotes"), read.Of("shares")),
		}}, nil
	})
}

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := c.Call(schema.Delivery{Account: r.Account, Credentials: r.Credentials}, http.MethodGet, "/me/threads_insights", opAccountInsights).Reading(r)
	call.Query = url.Values{"metric": {"followers_count"}}
	var read graph.Insights
	if _, err := c.Client.Do(ctx, call, &read); err != nil {
		return schema.Followers{}, fmt.Errorf("reading insights of the account: %w", err)
	}
	return schema.Followers{Followers: read.Of("followers_count")}, nil
}
