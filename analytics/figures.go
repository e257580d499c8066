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
	Followers(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.FollowersRow, error)
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
	from := filter.From
	filter.From = from.Add(-lookBack)
	rows, err := q.store.Followers(ctx, workspace, filter)
	if err != nil {
		return schema.FollowersReport{}, err
	}
	return followersReport(rows, from, filter.To), nil
}

// followersReport makes the report of the days from and to of rows in the order of their days.
func followersReport(rows []schema.FollowersRow, from, to time.Time) schema.FollowersReport {
	var report schema.FollowersReport
	latest, first := map[schema.AccountID]schema.FollowersRow{}, map[schema.AccountID]schema.FollowersRow{}
	next := 0
	for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
		for ; next < len(rows) && !rows[next].Day.After(day); next++ {
			row := rows[next]
			if row.Followers.Followers == nil {
				continue
			}
			latest[row.Account] = row
			if _, known := first[row.Account]; !known || row.Day.Before(from) {
				first[row.Account] = row
			}
		}
		sum := schema.FollowersDay{Day: day}
		for _, row := range latest {
			if row.Platform != schema.YouTube && day.Sub(row.Day) <= lookBack {
				sum.Followers += *row.Followers.Followers
				sum.Accounts++
			}
		}
		if sum.Accounts > 0 {
			report.Days = append(report.Days, sum)
		}
	}
	for account, row := range latest {
		change := *row.Followers.Followers - *first[account].Followers.Followers
		one := schema.FollowersAccount{Latest: row}
		if first[account].Day.Before(row.Day) {
			one.Change = &change
		}
		report.Accounts = append(report.Accounts, one)
	}
	slices.SortFunc(report.Accounts, func(a, b schema.FollowersAccount) int {
		return slices.Compare(a.Latest.Account[:], b.Latest.Account[:])
	})
	return report
}
