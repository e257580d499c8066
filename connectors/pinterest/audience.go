package pinterest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/schema"
)

// MetricsBatch implements connectors.MetricsSource: only a call in beta, which most apps may not
// make, takes several pins.
func (c *Connector) MetricsBatch() int { return 1 }

// PostMetrics reads a pin with its numbers since it was pinned.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	return connectors.EachPost(r, posts, func(r connectors.Reading, p schema.PublishedPost) (schema.PostMetrics, error) {
		call := c.call(r.Account, r.Credentials, http.MethodGet, "/pins/"+url.PathEscape(p.NativeID), opPin).Reading(r)
		call.Query = url.Values{"pin_metrics": {"true"}}
		var pin struct {
			Metrics struct {
				Lifetime struct {
					Impressions *int64 `json:"impression"`
					Clicks      *int64 `json:"clickthrough"`
					Reactions   *int64 `json:"reaction"`
					Comments    *int64 `json:"comment"`
				} `json:"lifetime_metrics"`
			} `json:"pin_metrics"`
		}
		response, err := c.client.Do(ctx, call, &pin)
		if response != nil && response.Status == http.StatusNotFound {
			return schema.PostMetrics{Gone: true}, nil
		}
		if err != nil {
			return schema.PostMetrics{}, fmt.Errorf("reading pin: %w", err)
		}
		m := pin.Metrics.Lifetime
		return schema.PostMetrics{Metrics: schema.Metrics{Impressions: m.Impressions, Clicks: m.Clicks, Likes: m.Reactions, Comments: m.Comments}}, nil
	})
}

// Followers implements connectors.FollowersSource: they are the board's.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	to, err := readDestination(r.Credentials.EntityID)
	if err != nil {
		return schema.Followers{}, err
	}
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/boards/"+to.board, opBoard).Reading(r)
	var board struct {
		Followers *int64 `json:"follower_count"`
		Pins      *int64 `json:"pin_count"`
	}
	if response, err := c.client.Do(ctx, call, &board); err != nil {
		return schema.Followers{}, fmt.Errorf("reading the board: %w", ofBoard(response, err))
	}
	return schema.Followers{Followers: board.Followers, Posts: board.Pins}, nil
}
