package instagram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// opInsights reads what became of a media (developers.facebook.com/docs/instagram-platform/
// reference/instagram-media/insights).
const opInsights = "GET /{media}/insights"

// Which numbers there are of a post, and of a story: one too many fails the whole call.
const (
	postInsights  = "views,reach,saved,shares,likes,comments"
	storyInsights = "views,reach,shares"
)

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return 1 }

// PostMetrics reads the insights of a media, for which a token needs
// instagram_business_manage_insights. Those of a story Instagram has for a day.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	return connectors.EachPost(r, posts, func(r connectors.Reading, p schema.PublishedPost) (schema.PostMetrics, error) {
		read, err := c.insights(ctx, r, p.NativeID, postInsights)
		if refused, ok := errors.AsType[graph.Error](err); ok && refused.Code == 100 && !isGone(err) {
			r.Reservation = nil
			read, err = c.insights(ctx, r, p.NativeID, storyInsights)
		}
		if isGone(err) {
			return schema.PostMetrics{Gone: true}, nil
		}
		if connectors.IsNotPermitted(err) && c.Scopes().Allows(r.Credentials, connectors.Reads(schema.CollectMetrics)) {
			return schema.PostMetrics{}, nil // it was granted: too few people have seen the media, which Instagram words alike
		}
		if err != nil {
			return schema.PostMetrics{}, fmt.Errorf("reading insights: %w", err)
		}
		return schema.PostMetrics{Metrics: schema.Metrics{
			Views: read.Of("views"), Reach: read.Of("reach"), Saves: read.Of("saved"), Shares: read.Of("shares"),
			Likes: read.Of("likes"), Comments: read.Of("comments"),
		}}, nil
	})
}

func (c *Connector) insights(ctx context.Context, r connectors.Reading, media, names string) (read graph.Insights, err error) {
	call := c.Call(schema.Delivery{Account: r.Account, Credentials: r.Credentials}, http.MethodGet, "/"+url.PathEscape(media)+"/insights", opInsights).Reading(r)
	call.Query = url.Values{"metric": {names}}
	_, err = c.Client.Do(ctx, call, &read)
	return read, err
}

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := c.Call(schema.Delivery{Account: r.Account, Credentials: r.Credentials}, http.MethodGet, "/me", opProfile).Reading(r)
	call.Query = url.Values{"fields": {"followers_count,follows_count,media_count"}}
	var out struct {
		Followers *int64 `json:"followers_count"`
		Following *int64 `json:"follows_count"`
		Posts     *int64 `json:"media_count"`
	}
	if _, err := c.Client.Do(ctx, call, &out); err != nil {
		return schema.Followers{}, fmt.Errorf("reading profile: %w", err)
	}
	return schema.Followers{Followers: out.Followers, Following: out.Following, Posts: out.Posts}, nil
}
