package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"

	"crier/schema"
)

// metricRow is how a look at metrics is read.
type metricRow struct {
	Impressions  *int64 `ch:"impressions"`
	Reach        *int64 `ch:"reach"`
	Views        *int64 `ch:"views"`
	Likes        *int64 `ch:"likes"`
	Comments     *int64 `ch:"comments"`
	Shares       *int64 `ch:"shares"`
	Saves        *int64 `ch:"saves"`
	Clicks       *int64 `ch:"clicks"`
	WatchSeconds *int64 `ch:"watch_seconds"`
}

func (r *metricRow) metrics() schema.Metrics { return schema.Metrics(*r) }

var metricColumns = map[schema.Metric]string{
	schema.MetricImpressions: "impressions", schema.MetricReach: "reach", schema.MetricViews: "views", schema.MetricLikes: "likes",
	schema.MetricComments: "comments", schema.MetricShares: "shares", schema.MetricSaves: "saves", schema.MetricClicks: "clicks",
	schema.MetricWatchSeconds: "watch_seconds", schema.MetricEngagement: "engagement",
}

// PostFigures returns how the posts do that were published in the days of the filter: all of
// them together, then by day, by account and by platform. A sum of metrics that no platform
// tells is nil.
func (a *Analytics) PostFigures(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostFigures, error) {
	var found []struct {
		Day      time.Time `ch:"day"`
		Account  uuid.UUID `ch:"account"`
		Platform string    `ch:"platform"`
		Posts    uint64    `ch:"posts"`
		metricRow
	}
	const metrics = `impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds`
	var open []string
	var posts string
	var err error
	if filter.Post.IsZero() {
		if open, err = a.openDays(ctx, workspace, schema.RollupPosts, filter); err != nil {
			return nil, err
		}
		posts = `
			select * from (` + daysOf("posts_daily", `day, account, toString(platform) as platform, posts, `+metrics, ``, open) + `
			)
			where posts > 0 and ` + ofAccounts
	} else { // what is counted beforehand knows no posts
		posts = `
			select toDate(posted_at) as day, account, platform, 1 as posts, ` + metrics + `
			from post_latest final
			where workspace = {workspace:UUID} and toDate(posted_at) between {from:Date} and {to:Date} and ` + selected
	}
	err = a.conn.Select(ctx, &found, `
		select day, account, toString(platform) as platform, sum(posts) as posts,
			sum(impressions) as impressions, sum(reach) as reach, sum(views) as views, sum(likes) as likes, sum(comments) as comments,
			sum(shares) as shares, sum(saves) as saves, sum(clicks) as clicks, sum(watch_seconds) as watch_seconds
		from (`+posts+`)
		group by grouping sets ((), (day), (account, platform), (platform))
		order by day, platform, account
		settings do_not_merge_across_partitions_select_final = 1`, append(selection(workspace, filter), clickhouse.Named("open", open))...)
	if err != nil {
		return nil, wrap(err, "summing metrics")
	}
	figures := make([]schema.PostFigures, len(found))
	for i := range found {
		r := &found[i]
		figures[i] = schema.PostFigures{Account: schema.AccountID(r.Account), Posts: int(r.Posts), Metrics: r.metrics()}
		if day := r.Day.UTC(); day.Year() > 1970 {
			figures[i].Day = day
		}
		if r.Platform != "" {
			if err := figures[i].Platform.UnmarshalText([]byte(r.Platform)); err != nil {
				return nil, fmt.Errorf("summing metrics: %w", err)
			}
		}
	}
	return figures, nil
}

// TopPosts returns those posts of the filter that do best by a metric; those of which it is
// not known are left out. Of the accounts' days only those are looked at whose best posts are
// among as many best ones as are asked for: no other day can hold one.
func (a *Analytics) TopPosts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, top schema.TopQuery) ([]schema.PostFigure, error) {
	by, ok := metricColumns[top.By]
	if !ok {
		return nil, fmt.Errorf("there is no metric %q", top.By)
	}
	var open []string
	var err error
	days := `true`
	if filter.Post.IsZero() { // which may be none of the best
		if open, err = a.openDays(ctx, workspace, schema.RollupPosts, filter); err != nil {
			return nil, err
		}
		maximum := `most_` + by
		days = `(toDate(posted_at), account) in (
				select day, account from (` + daysOf("posts_daily", `day, account, toString(platform) as platform, posts, `+maximum, ``, open) + `
				)
				where posts > 0 and ` + ofAccounts + ` and isNotNull(` + maximum + `)
				order by ` + maximum + ` desc
				limit {limit:UInt32} with ties)`
	}
	var found []struct {
		Post     uuid.UUID `ch:"post"`
		Account  uuid.UUID `ch:"account"`
		Platform string    `ch:"platform"`
		NativeID string    `ch:"native_id"`
		PostedAt time.Time `ch:"posted_at"`
		At       time.Time `ch:"at"`
		metricRow
	}
	err = a.conn.Select(ctx, &found, `
		select post, account, toString(platform) as platform, native_id, posted_at, at,
			impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds
		from post_latest final
		prewhere workspace = {workspace:UUID} and toDate(posted_at) between {from:Date} and {to:Date} and `+days+`
		where `+selected+` and isNotNull(`+by+`)
		order by `+by+` desc, posted_at desc, post, target
		limit {limit:UInt32}
		settings do_not_merge_across_partitions_select_final = 1`,
		append(selection(workspace, filter), clickhouse.Named("limit", top.Limit), clickhouse.Named("open", open))...)
	if err != nil {
		return nil, wrap(err, "looking for the best posts")
	}
	posts := make([]schema.PostFigure, len(found))
	for i := range found {
		r := &found[i]
		posts[i] = schema.PostFigure{
			Post: schema.PostID(r.Post), Account: schema.AccountID(r.Account), NativeID: r.NativeID,
			PostedAt: r.PostedAt.UTC(), MeasuredAt: r.At.UTC(), Metrics: r.metrics(),
		}
		if err := posts[i].Platform.UnmarshalText([]byte(r.Platform)); err != nil {
			return nil, fmt.Errorf("looking for the best posts: %w", err)
		}
	}
	return posts, nil
}

// Followers calls a function with each look at accounts, by day and account: there are as many as
// accounts and days.
func (a *Analytics) Followers(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, each func(schema.FollowersRow)) error {
	rows, err := a.conn.Query(ctx, `
		select day, account, toString(platform), followers, following, posts
		from followers final
		where workspace = {workspace:UUID} and day between {from:Date} and {to:Date}
			and ({platform:String} = '' or platform = {platform:String})
			and (empty({accounts:Array(UUID)}) or account in {accounts:Array(UUID)})
		order by day, account
		settings do_not_merge_across_partitions_select_final = 1`,
		selection(workspace, filter)...)
	if err != nil {
		return wrap(err, "reading followers")
	}
	defer rows.Close() // rows.Err reports its errors
	for rows.Next() {
		var r schema.FollowersRow
		var account uuid.UUID
		var platform string
		if err := rows.Scan(&r.Day, &account, &platform, &r.Followers.Followers, &r.Following, &r.Posts); err != nil {
			return wrap(err, "reading followers")
		}
		r.Day, r.Account = r.Day.UTC(), schema.AccountID(account)
		if err := r.Platform.UnmarshalText([]byte(platform)); err != nil {
			return fmt.Errorf("reading followers: %w", err)
		}
		each(r)
	}
	return wrap(rows.Err(), "reading followers")
}
