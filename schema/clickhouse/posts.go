package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

var metricColumns = map[schema.Metric]string{
	schema.MetricImpressions: "impressions", schema.MetricReach: "reach", schema.MetricViews: "views", schema.MetricLikes: "likes",
	schema.MetricComments: "comments", schema.MetricShares: "shares", schema.MetricSaves: "saves", schema.MetricClicks: "clicks",
	schema.MetricWatchSeconds: "watch_seconds", schema.MetricEngagement: "engagement",
}

// PostFigures returns how the posts do that were published in the days of the filter: all of
// them together, then by day, by account and by platform. A sum of metrics that no platform
// tells is nil.
func (a *Analytics) PostFigures(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostFigures, error) {
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
	rows, err := a.conn.Query(ctx, `
		select day, account, toString(platform) as platform, sum(posts) as posts,
			sum(impressions) as impressions, sum(reach) as reach, sum(views) as views, sum(likes) as likes, sum(comments) as comments,
			sum(shares) as shares, sum(saves) as saves, sum(clicks) as clicks, sum(watch_seconds) as watch_seconds
		from (`+posts+`)
		group by grouping sets ((), (day), (account, platform), (platform))
		order by day, platform, account
		settings do_not_merge_across_partitions_select_final = 1`, append(selection(workspace, filter), clickhouse.Named("open", open))...)
	figures, err := collect(rows, err, scanPostFigures)
	return figures, wrap(err, "summing metrics")
}

// scanPostFigures reads a sum; what it is not apart by is empty.
func scanPostFigures(rows driver.Rows, f *schema.PostFigures) error {
	var day time.Time
	var account uuid.UUID
	var platform string
	var posts uint64
	if err := rows.Scan(append([]any{&day, &account, &platform, &posts}, fieldsOf(&f.Metrics)...)...); err != nil {
		return err
	}
	f.Account, f.Posts = schema.AccountID(account), int(posts)
	if day = day.UTC(); day.Year() > 1970 {
		f.Day = day
	}
	return readPlatform(&f.Platform, platform)
}

// metrics are the columns of metrics, and fieldsOf where their values go.
const metrics = `impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds`

func fieldsOf(m *schema.Metrics) []any {
	return []any{&m.Impressions, &m.Reach, &m.Views, &m.Likes, &m.Comments, &m.Shares, &m.Saves, &m.Clicks, &m.WatchSeconds}
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
	rows, err := a.conn.Query(ctx, `
		select post, account, toString(platform) as platform, native_id, posted_at, at, `+metrics+`
		from post_latest final
		prewhere workspace = {workspace:UUID} and toDate(posted_at) between {from:Date} and {to:Date} and `+days+`
		where `+selected+` and isNotNull(`+by+`)
		order by `+by+` desc, posted_at desc, post, target
		limit {limit:UInt32}
		settings do_not_merge_across_partitions_select_final = 1`,
		append(selection(workspace, filter), clickhouse.Named("limit", top.Limit), clickhouse.Named("open", open))...)
	posts, err := collect(rows, err, scanPostFigure)
	return posts, wrap(err, "looking for the best posts")
}

func scanPostFigure(rows driver.Rows, f *schema.PostFigure) error {
	var post, account uuid.UUID
	var platform string
	into := []any{&post, &account, &platform, &f.NativeID, &f.PostedAt, &f.MeasuredAt}
	if err := rows.Scan(append(into, fieldsOf(&f.Metrics)...)...); err != nil {
		return err
	}
	f.Post, f.Account = schema.PostID(post), schema.AccountID(account)
	f.PostedAt, f.MeasuredAt = f.PostedAt.UTC(), f.MeasuredAt.UTC()
	return readPlatform(&f.Platform, platform)
}

// Followers calls a function with each look at accounts, by day and account: there are as many as
// accounts and days.
func (a *Analytics) Followers(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, take func(schema.FollowersRow)) error {
	rows, err := a.conn.Query(ctx, `
		select day, account, toString(platform), followers, following, posts
		from followers final
		where workspace = {workspace:UUID} and day between {from:Date} and {to:Date}
			and ({platform:String} = '' or platform = {platform:String})
			and (empty({accounts:Array(UUID)}) or account in {accounts:Array(UUID)})
		order by day, account
		settings do_not_merge_across_partitions_select_final = 1`,
		selection(workspace, filter)...)
	return wrap(each(rows, err, func() error {
		var r schema.FollowersRow
		var account uuid.UUID
		var platform string
		if err := rows.Scan(&r.Day, &account, &platform, &r.Followers.Followers, &r.Following, &r.Posts); err != nil {
			return err
		}
		r.Day, r.Account = r.Day.UTC(), schema.AccountID(account)
		if err := readPlatform(&r.Platform, platform); err != nil {
			return err
		}
		take(r)
		return nil
	}), "reading followers")
}
