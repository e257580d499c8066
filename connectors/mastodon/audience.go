package mastodon

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/schema"
)

// opStatus reads what became of a status.
const opStatus = "GET /api/v1/statuses/{id}"

// MetricsBatch implements connectors.MetricsSource. Servers before 4.3 give no more than one
// status at a time.
func (c *Connector) MetricsBatch() int { return 1 }

// PostMetrics reads the counts of a status (docs.joinmastodon.org/methods/statuses/#get). Nobody
// counts views; what a server's own users have marked for themselves it tells nobody.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	return connectors.EachPost(r, posts, func(r connectors.Reading, p schema.PublishedPost) (schema.PostMetrics, error) {
		call := c.call(r.Account, r.Credentials, http.MethodGet, "/api/v1/statuses/"+url.PathEscape(p.NativeID), opStatus).Reading(r)
		var counts struct {
			Replies    *int64 `json:"replies_count"`
			Reblogs    *int64 `json:"reblogs_count"`
			Favourites *int64 `json:"favourites_count"`
			Quotes     int64  `json:"quotes_count"` // servers before 4.5 have none
		}
		response, err := c.client.Do(ctx, call, &counts)
		if isGone(response, err) {
			return schema.PostMetrics{Gone: true}, nil
		}
		if err != nil {
			return schema.PostMetrics{}, fmt.Errorf("reading status: %w", err)
		}
		return schema.PostMetrics{Metrics: schema.Metrics{
			Likes: counts.Favourites, Comments: counts.Replies, Shares: connectors.Sum(counts.Reblogs, &counts.Quotes),
		}}, nil
	})
}

// isGone reports whether a server does not have what is asked for. To an account that is gone it
// says the same of everything: the check of its credentials finds that out.
func isGone(response *connectors.Response, err error) bool {
	return err != nil && response != nil && (response.Status == http.StatusNotFound || response.Status == http.StatusGone)
}

// Followers implements connectors.FollowersSource.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/api/v1/accounts/verify_credentials", opVerify).Reading(r)
	var counts struct {
		Followers *int64 `json:"followers_count"`
		Following *int64 `json:"following_count"`
		Posts     *int64 `json:"statuses_count"`
	}
	response, err := c.client.Do(ctx, call, &counts)
	if err != nil {
		return schema.Followers{}, fmt.Errorf("reading account: %w", ofOwnAccount(response, err))
	}
	c.counts.see(r.Account.ID, counts.Posts)
	return schema.Followers{Followers: counts.Followers, Following: counts.Following, Posts: counts.Posts}, nil
}
