package analytics

import (
	"context"
	"slices"
	"time"

	"crier/schema"
)

// figuresStore answers questions about how posts and accounts do.
type figuresStore interface {
	PostFigures(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostFigures, error)
	TopPosts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, top schema.TopQuery) ([]schema.PostFigure, error)
	// Followers calls a function with each look at accounts, in the order of their days.
	Followers(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, each func(schema.FollowersRow)) error
	SlotSums(ctx context.Context, workspace schema.WorkspaceID, query schema.BestTimesQuery) ([]schema.SlotSum, error)
}

// PostFigures returns how posts do: all together, by day, by account and by platform; the
// error is Unavailable when ClickHouse does not answer, as of all that follow.
func (q *Queries) PostFigures(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostFigures, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.PostFigures(ctx, workspace, filter)
}

// TopPosts returns the posts that do best by a metric.
func (q *Queries) TopPosts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, top schema.TopQuery) ([]schema.PostFigure, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.TopPosts(ctx, workspace, filter, top)
}

// lookBack is how old a look at an account may be that stands for a day without one.
const lookBack = 7 * 24 * time.Hour

// Followers returns how accounts gain followers. An account that was not looked at on a day
// counts with its last look, for a week.
func (q *Queries) Followers(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) (schema.FollowersReport, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	sum := followersSum{
		from: filter.From, next: filter.From, to: filter.To,
		latest: map[schema.AccountID]schema.FollowersRow{}, first: map[schema.AccountID]schema.FollowersRow{},
	}
	filter.From = filter.From.Add(-lookBack)
	if err := q.store.Followers(ctx, workspace, filter, sum.add); err != nil {
		return schema.FollowersReport{}, err
	}
	return sum.report(), nil
}

// followersSum makes the report of the days from and to of looks that come in the order of their
// days. It holds two looks of each account, however many there are.
type followersSum struct {
	from, to      time.Time
	next          time.Time // the first day that is not summed yet
	latest, first map[schema.AccountID]schema.FollowersRow
	days          []schema.FollowersDay
}

func (s *followersSum) add(row schema.FollowersRow) {
	s.sumBefore(row.Day)
	if row.Followers.Followers == nil {
		return
	}
	s.latest[row.Account] = row
	if _, known := s.first[row.Account]; !known || row.Day.Before(s.from) {
		s.first[row.Account] = row
	}
}

// sumBefore sums the days before one, of which no look will come any more.
func (s *followersSum) sumBefore(end time.Time) {
	for ; s.next.Before(end) && !s.next.After(s.to); s.next = s.next.AddDate(0, 0, 1) {
		day := schema.FollowersDay{Day: s.next}
		for _, row := range s.latest {
			if row.Platform != schema.YouTube && s.next.Sub(row.Day) <= lookBack {
				day.Followers += *row.Followers.Followers
				day.Accounts++
			}
		}
		if day.Accounts > 0 {
			s.days = append(s.days, day)
		}
	}
}

func (s *followersSum) report() schema.FollowersReport {
	s.sumBefore(s.to.AddDate(0, 0, 1))
	report := schema.FollowersReport{Days: s.days}
	for account, row := range s.latest {
		change := *row.Followers.Followers - *s.first[account].Followers.Followers
		entry := schema.FollowersAccount{Latest: row}
		if s.first[account].Day.Before(row.Day) {
			entry.Change = &change
		}
		report.Accounts = append(report.Accounts, entry)
	}
	slices.SortFunc(report.Accounts, func(a, b schema.FollowersAccount) int {
		return slices.Compare(a.Latest.Account[:], b.Latest.Account[:])
	})
	return report
}
