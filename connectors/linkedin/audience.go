package linkedin

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

// metricsBatch is how many posts are asked about at once, which LinkedIn gives no bound for
// (organizations/share-statistics): it is what fits an address well.
const metricsBatch = 20

// MetricsBatch implements connectors.MetricsSource.
func (c *Connector) MetricsBatch() int { return metricsBatch }

// statistics are the numbers of a post of an organization.
type statistics struct {
	Impressions *int64 `json:"impressionCount"`
	Reach       *int64 `json:"uniqueImpressionsCount"`
	ShareReach  *int64 `json:"uniqueImpressionsCounts"` // its name in the samples of shares
	Clicks      *int64 `json:"clickCount"`
	Likes       *int64 `json:"likeCount"`
	Comments    *int64 `json:"commentCount"`
	Shares      *int64 `json:"shareCount"`
}

// metrics returns the numbers: those that people take back can be below zero.
func (s statistics) metrics() schema.Metrics {
	for _, n := range []*int64{s.Clicks, s.Likes, s.Comments, s.Shares} {
		if n != nil {
			*n = max(*n, 0)
		}
	}
	return schema.Metrics{
		Impressions: s.Impressions, Reach: cmp.Or(s.Reach, s.ShareReach), Clicks: s.Clicks, Likes: s.Likes, Comments: s.Comments, Shares: s.Shares,
	}
}

// PostMetrics reads posts of an organization. LinkedIn leaves out what it has no numbers of, be it
// gone or new. Of members' posts there are none without r_member_postAnalytics, one number a call.
func (c *Connector) PostMetrics(ctx context.Context, r connectors.Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error) {
	organization := organizationOf(r.Credentials)
	if organization == "" {
		return nil, connectors.ErrNotReported
	}
	var shares, ugcPosts []string
	for _, p := range posts {
		if strings.HasPrefix(p.NativeID, "urn:li:ugcPost:") {
			ugcPosts = append(ugcPosts, url.QueryEscape(p.NativeID))
		} else {
			shares = append(shares, url.QueryEscape(p.NativeID))
		}
	}
	// Parentheses and commas of lists are not escaped, the URNs in them are.
	path := "/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" + url.QueryEscape(organization)
	if len(shares) > 0 {
		path += "&shares=List(" + strings.Join(shares, ",") + ")"
	}
	if len(ugcPosts) > 0 {
		path += "&ugcPosts=List(" + strings.Join(ugcPosts, ",") + ")"
	}
	call := c.call(r.Account, r.Credentials, http.MethodGet, path, opStatistics).Reading(r)
	var list struct {
		Elements []struct {
			Share   string     `json:"share"`
			UGCPost string     `json:"ugcPost"`
			Total   statistics `json:"totalShareStatistics"`
		} `json:"elements"`
	}
	if _, err := c.client.Do(ctx, call, &list); err != nil {
		return nil, fmt.Errorf("reading statistics of posts: %w", err)
	}
	byURN := make(map[string]schema.Metrics, 2*len(list.Elements))
	for _, e := range list.Elements {
		byURN[e.Share], byURN[e.UGCPost] = e.Total.metrics(), e.Total.metrics()
	}
	return connectors.MetricsOf(posts, byURN, schema.PostMetrics{}), nil
}

// Followers implements connectors.FollowersSource, of organizations: of a member LinkedIn tells
// nobody.
func (c *Connector) Followers(ctx context.Context, r connectors.Reading) (schema.Followers, error) {
	organization := organizationOf(r.Credentials)
	if organization == "" {
		return schema.Followers{}, connectors.ErrNotReported
	}
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/rest/networkSizes/"+url.QueryEscape(organization), opNetworkSize).Reading(r)
	call.Query = url.Values{"edgeType": {"COMPANY_FOLLOWED_BY_MEMBER"}}
	var network struct {
		Size *int64 `json:"firstDegreeSize"`
	}
	if _, err := c.client.Do(ctx, call, &network); err != nil {
		return schema.Followers{}, fmt.Errorf("reading how many follow: %w", err)
	}
	return schema.Followers{Followers: network.Size}, nil
}
