package youtube

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// metricsBatch is how many videos videos.batchGetStats takes.
const metricsBatch = 50

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return metricsBatch }

// PostMetrics reads the statistics of videos, by a call with a quota of its own: it takes no unit
// that publishing may need. Videos that are gone are left out of the answer.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	call := about(c.call(r.Account, r.Credentials, http.MethodGet, "/youtube/v3/videos:batchGetStats", opStats), "id", "statistics").Reading(r)
	call.Query["id"] = connectors.NativeIDs(posts)
	var read struct {
		Kind  string `json:"kind"`
		Items []struct {
			ID         string `json:"id"`
			Statistics struct {
				Views    *int64 `json:"viewCount,string"`
				Likes    *int64 `json:"likeCount,string"`
				Comments *int64 `json:"commentCount,string"`
			} `json:"statistics"`
		} `json:"items"`
	}
	if _, err := c.do(ctx, r.Account, r.Credentials, call, &read); err != nil {
		return nil, fmt.Errorf("reading statistics of videos: %w", err)
	}
	if !strings.HasSuffix(read.Kind, "tatsResponse") {
		return nil, platform.Strange("is no list of statistics")
	}
	found := make(map[string]schema.Metrics, len(read.Items))
	for _, video := range read.Items {
		found[video.ID] = schema.Metrics{Views: video.Statistics.Views, Likes: video.Statistics.Likes, Comments: video.Statistics.Comments}
	}
	return connectors.MetricsOf(posts, found, schema.PostMetrics{Gone: true}), nil
}

// Followers reads the channel's subscribers, which YouTube rounds to three digits. A channel may
// hide them from all but its owner, who is asked here.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := about(c.call(r.Account, r.Credentials, http.MethodGet, "/youtube/v3/channels", opChannels), "id", "statistics").Reading(r)
	call.Query.Set("mine", "true")
	var read list[struct {
		Statistics struct {
			Subscribers *int64 `json:"subscriberCount,string"`
			Videos      *int64 `json:"videoCount,string"`
		} `json:"statistics"`
	}]
	if _, err := c.do(ctx, r.Account, r.Credentials, call, &read); err != nil {
		return schema.Followers{}, fmt.Errorf("reading statistics of the channel: %w", err)
	}
	if len(read.Items) == 0 {
		return schema.Followers{}, platform.Strange("names no channel")
	}
	s := read.Items[0].Statistics
	return schema.Followers{Followers: s.Subscribers, Posts: s.Videos}, nil
}
