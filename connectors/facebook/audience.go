package facebook

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// opNode reads what became of a post or a video.
const opNode = "GET /{post}"

// What is asked of a post: without the insights a token needs no more than pages_read_engagement.
// One insight that Facebook does not know fails the whole call (developers.facebook.com/docs/
// graph-api/reference/insights, deprecated metrics).
const (
	counts       = "reactions.limit(0).summary(total_count),comments.limit(0).summary(total_count),shares"
	countsAndAll = counts + ",insights.metric(post_media_view,post_total_media_view_unique,post_clicks).period(lifetime){name,values}"
	videoCounts  = "views,likes.limit(0).summary(total_count),comments.limit(0).summary(total_count)"
)

// node is what is read of a post or a video.
type node struct {
	Reactions graph.Summary `json:"reactions"`
	Likes     graph.Summary `json:"likes"`
	Comments  graph.Summary `json:"comments"`
	Shares    struct {
		Count *int64 `json:"count"`
	} `json:"shares"` // left out where there are none
	Views    *int64         `json:"views"`
	Insights graph.Insights `json:"insights"`
}

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return 1 }

// PostMetrics reads the numbers of posts and videos. Insights, for which a token needs read_insights,
// are left out where it may not have them.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	return connectors.EachPost(r, posts, func(r connectors.Reading, p schema.PublishedPost) (schema.PostMetrics, error) {
		fields := countsAndAll
		switch {
		case p.Video:
			fields = videoCounts
		case len(c.Scopes().Missing(r.Credentials)) > 0:
			fields = counts
		}
		read, err := c.node(ctx, r, p.NativeID, fields)
		if connectors.IsNotPermitted(err) && !p.Video {
			r.Reservation = nil
			read, err = c.node(ctx, r, p.NativeID, counts)
		}
		if isGone(err) {
			return schema.PostMetrics{Gone: true}, nil
		}
		if err != nil {
			return schema.PostMetrics{}, fmt.Errorf("reading post: %w", err)
		}
		return schema.PostMetrics{Metrics: read.metrics(p.Video)}, nil
	})
}

func (n node) metrics(isVideo bool) schema.Metrics {
	if isVideo {
		return schema.Metrics{Views: n.Views, Likes: n.Likes.Summary.Total, Comments: n.Comments.Summary.Total}
	}
	return schema.Metrics{
		Likes: n.Reactions.Summary.Total, Comments: n.Comments.Summary.Total, Shares: cmp.Or(n.Shares.Count, new(int64)),
		Impressions: n.Insights.Of("post_media_view"), Reach: n.Insights.Of("post_total_media_view_unique"), Clicks: n.Insights.Of("post_clicks"),
	}
}

func (c *Connector) node(ctx context.Context, r connectors.Reading, id, fields string) (read node, err error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, url.PathEscape(id), opNode).Reading(r)
	call.Query = url.Values{"fields": {fields}}
	_, err = c.client.Do(ctx, call, &read)
	return read, err
}

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, "me", opPage).Reading(r)
	call.Query = url.Values{"fields": {"followers_count"}}
	var page struct {
		Followers *int64 `json:"followers_count"`
	}
	if _, err := c.client.Do(ctx, call, &page); err != nil {
		return schema.Followers{}, fmt.Errorf("reading page: %w", err)
	}
	return schema.Followers{Followers: page.Followers}, nil
}
