package tiktok

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// metricsBatch is how many videos TikTok takes in one question.
const metricsBatch = 20

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return metricsBatch }

// PostMetrics reads videos by their ids. TikTok leaves out what it does not have. One that only its
// creator sees has no id, and no numbers.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	metrics := make([]schema.PostMetrics, len(posts))
	var ids []string
	for _, p := range posts {
		if isVideoID(p.NativeID) {
			ids = append(ids, p.NativeID)
		}
	}
	if len(ids) == 0 {
		return metrics, nil
	}
	call := c.call(r.Account, r.Credentials, http.MethodPost, "/v2/video/query/", opVideos).Reading(r)
	call.Query = url.Values{"fields": {"id,view_count,like_count,comment_count,share_count"}}
	call.JSON = map[string]any{"filters": map[string]any{"video_ids": ids}}
	data, err := ask[struct {
		Videos []struct {
			ID       string `json:"id"`
			Views    *int64 `json:"view_count"`
			Likes    *int64 `json:"like_count"`
			Comments *int64 `json:"comment_count"`
			Shares   *int64 `json:"share_count"`
		} `json:"videos"`
	}](ctx, c, call)
	if err != nil {
		return nil, fmt.Errorf("reading videos: %w", err)
	}
	found := make(map[string]schema.Metrics, len(ids))
	for _, v := range data.Videos {
		found[v.ID] = schema.Metrics{Views: v.Views, Likes: v.Likes, Comments: v.Comments, Shares: v.Shares}
	}
	for i, p := range posts {
		m, isThere := found[p.NativeID]
		metrics[i] = schema.PostMetrics{Metrics: m, Gone: !isThere && isVideoID(p.NativeID)}
	}
	return metrics, nil
}

// isVideoID tells a video's id from that of the publication which it is called by otherwise.
func isVideoID(id string) bool { return id != "" && strings.Trim(id, "0123456789") == "" }

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/v2/user/info/", opUser).Reading(r)
	call.Query = url.Values{"fields": {"follower_count,following_count,video_count"}}
	data, err := ask[struct {
		User struct {
			Followers *int64 `json:"follower_count"`
			Following *int64 `json:"following_count"`
			Videos    *int64 `json:"video_count"`
		} `json:"user"`
	}](ctx, c, call)
	if err != nil {
		return schema.Followers{}, fmt.Errorf("reading account: %w", err)
	}
	return schema.Followers{Followers: data.User.Followers, Following: data.User.Following, Posts: data.User.Videos}, nil
}
