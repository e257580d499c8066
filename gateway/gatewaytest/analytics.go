package gatewaytest

import (
	"context"
	"time"

	"crier/schema"
)

// PostCounts is what analytics would count.
type PostCounts []schema.PostCount

// PostCounts returns them whatever is asked.
func (c PostCounts) PostCounts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostCount, error) {
	return c, nil
}

// noAnalytics answers that nothing is known.
type noAnalytics struct{}

func (noAnalytics) PostFigures(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostFigures, error) {
	return nil, nil
}

func (noAnalytics) TopPosts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter, schema.TopQuery) ([]schema.PostFigure, error) {
	return nil, nil
}

func (noAnalytics) Followers(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) (schema.FollowersReport, error) {
	return schema.FollowersReport{}, nil
}

func (noAnalytics) BestTimes(context.Context, schema.WorkspaceID, schema.BestTimesQuery) (schema.BestTimes, error) {
	return schema.BestTimes{Confidence: schema.NoConfidence}, nil
}

// EventPages are the events that ClickHouse would have, all of any workspace's.
type EventPages struct{ Page schema.EventPage }

// Events returns the one page.
func (p EventPages) Events(context.Context, schema.WorkspaceID, schema.EventQuery) (schema.EventPage, error) {
	return p.Page, nil
}

// Analytics are what analytics would answer.
type Analytics struct {
	PostCounter
	EventReader
	noAnalytics
}

// FeedItems is what ClickHouse has of a monitor: one post.
func (Analytics) FeedItems(_ context.Context, _ schema.WorkspaceID, q schema.FeedItemQuery) ([]schema.MatchedItem, error) {
	if !q.Before.IsZero() {
		return nil, nil
	}
	at := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	all := []schema.MatchedItem{{Platform: schema.Bluesky, NativeID: "at://b", Text: "tea", WrittenAt: at}, {Platform: schema.Bluesky, NativeID: "at://a", Text: "tea", WrittenAt: at}}
	return all[:min(q.Limit, len(all))], nil
}

// PostCounter counts posts.
type PostCounter interface {
	PostCounts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostCount, error)
}

// EventReader reads a workspace's events.
type EventReader interface {
	Events(context.Context, schema.WorkspaceID, schema.EventQuery) (schema.EventPage, error)
}
