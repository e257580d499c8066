package client

import (
	"context"
	"time"

	"github.com/oapi-codegen/runtime/types"

	"crier/client/internal/api"
)

type (
	// PostReport is how many posts reached platforms, and how they do.
	PostReport = api.PostCountsResponse
	// PostCount is how many posts of a day reached a platform.
	PostCount = api.PostCountsResponse_Counts
	// PostFigures are the metrics of posts together.
	PostFigures = api.PostFigures
	// TopPost is a post that does well.
	TopPost = api.PostCountsResponse_Metrics_Top
	// Metrics are those of a post, or of posts together; nil where they are not known.
	Metrics = api.Metrics
	// FollowersReport is how accounts gain followers.
	FollowersReport = api.FollowersResponse
	// AccountFollowers is who follows an account.
	AccountFollowers = api.FollowersResponse_Accounts
	// RetentionReport is how long videos are watched.
	RetentionReport = api.RetentionResponse
	// VideoRetention is how long a video is watched.
	VideoRetention = api.RetentionResponse_Videos
	// BestTimes are the hours of the week in which posts do best.
	BestTimes = api.BestTimesResponse
	// BestTime is one such hour, of a weekday.
	BestTime = api.BestTimesResponse_Times
	// Confidence is how far something can be trusted.
	Confidence = api.Confidence
)

// What is counted.
const (
	CountPosted = api.PostCountsResponseCountsStatusPosted
	CountFailed = api.PostCountsResponseCountsStatusFailed
)

// AnalyticsService says how posts and accounts do, as crier last read it from their platforms.
// What no platform tells is nil, which is not zero.
type AnalyticsService struct{ api *caller }

// Metric is what is counted of a post.
type Metric string

// Metrics of posts.
const (
	MetricImpressions  Metric = "impressions"
	MetricReach        Metric = "reach"
	MetricViews        Metric = "views"
	MetricLikes        Metric = "likes"
	MetricComments     Metric = "comments"
	MetricShares       Metric = "shares"
	MetricSaves        Metric = "saves"
	MetricClicks       Metric = "clicks"
	MetricWatchSeconds Metric = "watchSeconds"
	MetricEngagement   Metric = "engagement" // likes, comments, shares, saves and clicks together
)

// PostReportFilter selects posts; what is zero selects what the server does by default.
type PostReportFilter struct {
	From, To  time.Time // days, in UTC, both included; the 30 before today
	Platform  Platform
	AccountID string
	BrandID   string
	PostID    string
	Best      Metric // by what the top posts are chosen; MetricEngagement
	Top       int    // how many of them there are; 10
}

// Posts counts what was posted and what failed, by day and platform, and tells how those do
// that were published in the range.
func (a *AnalyticsService) Posts(ctx context.Context, filter PostReportFilter) (*PostReport, error) {
	return read[PostReport](a.api.get(ctx, &api.CountPostsParams{
		From: day(filter.From), To: day(filter.To), Platform: optional(filter.Platform), AccountID: optional(filter.AccountID), BrandID: optional(filter.BrandID),
		PostID: optional(filter.PostID), SortBy: optional(api.CountPostsParamsSortBy(filter.Best)), Top: optional(filter.Top),
	}, "analytics", "posts"))
}

// FollowersFilter selects accounts; what is zero selects what the server does by default.
type FollowersFilter struct {
	From, To  time.Time // days, in UTC, both included; the 30 before today
	Platform  Platform
	AccountID string
	BrandID   string
}

// Followers tells how accounts gain followers.
func (a *AnalyticsService) Followers(ctx context.Context, filter FollowersFilter) (*FollowersReport, error) {
	return read[FollowersReport](a.api.get(ctx, &api.CountFollowersParams{
		From: day(filter.From), To: day(filter.To), Platform: optional(filter.Platform), AccountID: optional(filter.AccountID), BrandID: optional(filter.BrandID),
	}, "analytics", "followers"))
}

// RetentionFilter selects videos on youtube; what is zero selects what the server does by default.
type RetentionFilter struct {
	From, To  time.Time // days, in UTC, both included; the 30 before today
	AccountID string
	BrandID   string
	PostID    string
	Top       int // how many videos there are; 20
}

// Retention tells how long videos on youtube are watched, the most viewed first.
func (a *AnalyticsService) Retention(ctx context.Context, filter RetentionFilter) (*RetentionReport, error) {
	return read[RetentionReport](a.api.get(ctx, &api.GetRetentionParams{
		From: day(filter.From), To: day(filter.To), AccountID: optional(filter.AccountID), BrandID: optional(filter.BrandID),
		PostID: optional(filter.PostID), Limit: optional(filter.Top),
	}, "analytics", "retention"))
}

// BestTimesFilter selects the history that is looked at; what is zero selects what the server
// does by default.
type BestTimesFilter struct {
	From, To  time.Time // days, in UTC, both included; the 365 before today
	Platform  Platform
	AccountID string
	BrandID   string
	Timezone  string // of the hours; UTC
	Best      Metric // by what posts are compared; MetricEngagement
	Top       int    // how many hours there are; 10
}

// BestTimes tells in which hours of the week posts do best by their own history, and how far
// that can be trusted.
func (a *AnalyticsService) BestTimes(ctx context.Context, filter BestTimesFilter) (*BestTimes, error) {
	return read[BestTimes](a.api.get(ctx, &api.GetBestTimesParams{
		From: day(filter.From), To: day(filter.To), Platform: optional(filter.Platform), AccountID: optional(filter.AccountID), BrandID: optional(filter.BrandID),
		Timezone: optional(filter.Timezone), Metric: optional(api.GetBestTimesParamsMetric(filter.Best)), Limit: optional(filter.Top),
	}, "analytics", "best-times"))
}

func day(at time.Time) *types.Date {
	if at.IsZero() {
		return nil
	}
	return &types.Date{Time: at.UTC()}
}
