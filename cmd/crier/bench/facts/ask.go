package facts

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

// rawShare is how many of the requests of a query are made of the facts alone, one of as many.
const rawShare = 7

// query is something that is asked about a year of the largest workspace.
type query struct {
	name string
	ask  func(context.Context) error
	raw  func(context.Context) error // the same, from the facts; nil: it is not counted beforehand
}

// dashboardQueries are those of Grafana's dashboards, by their panels; a test compares them.
var dashboardQueries = []struct{ name, sql string }{
	{"outcomes by day", `select day as time, outcome, sum(targets) as targets from crier_v1_outcomes_daily where workspace = toUUID('${workspace}') and $__dateFilter(day) group by day, outcome order by day`},
	{"lateness by hour", `select hour as time, sum(lateness_seconds_total) / sum(targets) as mean, max(lateness_seconds_max) as latest from crier_v1_platform_outcomes_hourly where workspace = toUUID('${workspace}') and $__timeFilter(hour) and outcome = 'posted' group by hour order by hour`},
	{"failures by code", `select platform, code, sum(targets) as failed from crier_v1_outcomes_daily where workspace = toUUID('${workspace}') and $__dateFilter(day) and outcome = 'failed' group by platform, code order by failed desc limit 50`},
	{"best posts", `select post, platform, posted_at, engagement, impressions, views from (select *, toDate(posted_at) as day from crier_v1_posts) where workspace = toUUID('${workspace}') and $__dateFilter(day) and engagement is not null and (day, account) in (select day, account from crier_v1_posts_daily where workspace = toUUID('${workspace}') and $__dateFilter(day) and most_engagement is not null order by most_engagement desc limit 20 with ties) order by engagement desc limit 20`},
	{"engagement by day", `select day as time, platform, sum(engagement) as total from crier_v1_posts_daily where workspace = toUUID('${workspace}') and $__dateFilter(day) group by day, platform order by day`},
	{"followers by day", `select day as time, platform, sum(followers) as total from crier_v1_followers where workspace = toUUID('${workspace}') and $__dateFilter(day) group by day, platform order by day`},
	{"deliveries by hour", `select hour as time, outcome, sum(tries) as total from crier_v1_deliveries_hourly where workspace = toUUID('${workspace}') and $__timeFilter(hour) group by hour, outcome order by hour`},
	{"requests by hour", `select hour as time, route, sum(requests) as total from crier_v1_api_usage_hourly where workspace = toUUID('${workspace}') and $__timeFilter(hour) group by hour, route order by hour`},
	{"unread inbox", `select account, platform, kind, count() as unread, min(written_at) as oldest from crier_v1_inbox where workspace = toUUID('${workspace}') and $__timeFilter(written_at) and read_at is null and not deleted group by account, platform, kind order by unread desc`},
	{"finds by monitor", `select day as time, toString(monitor) as monitor, sum(items) as total from crier_v1_feed_daily where workspace = toUUID('${workspace}') and $__dateFilter(day) group by day, monitor order by day`},
	{"finds by platform", `select hour as time, platform, sum(items) as total from crier_v1_platform_feed_hourly where workspace = toUUID('${workspace}') and $__timeFilter(hour) group by hour, platform order by hour`},
	{"delay of finds", `select hour as time, platform, max(delay_seconds_p99) as p99 from crier_v1_platform_feed_hourly where workspace = toUUID('${workspace}') and $__timeFilter(hour) group by hour, platform order by hour`},
	{"keywords", `select keyword, sum(items) as finds from crier_v1_feed_keywords_daily where workspace = toUUID('${workspace}') and $__dateFilter(day) group by keyword order by finds desc limit 50`},
}

// ask measures each query, and what it takes from the facts alone.
func (b *bench) ask(ctx context.Context) error {
	var id uuid.UUID
	if err := b.conn.QueryRow(ctx, `select bench_id('workspace', 0)`).Scan(&id); err != nil {
		return err
	}
	b.large = schema.WorkspaceID(id)
	for _, q := range append(b.endpointQueries(), b.panelQueries()...) {
		took, err := timed(ctx, b.Asks, q.ask)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		result := Result{Name: q.name, Took: took}
		if q.raw != nil {
			if result.Raw, err = timed(ctx, b.Asks/rawShare+1, q.raw); err != nil {
				return fmt.Errorf("%s, from the facts: %w", q.name, err)
			}
		}
		if err := b.Report(result); err != nil {
			return err
		}
	}
	return nil
}

// timed does something often, and up to three times before.
func timed(ctx context.Context, times int, do func(context.Context) error) (took []time.Duration, err error) {
	warming := min(3, times-1)
	for n := range times + warming {
		began := time.Now()
		if err := do(ctx); err != nil {
			return nil, err
		}
		if n >= warming {
			took = append(took, time.Since(began))
		}
	}
	return took, nil
}

// read reads all rows of a query.
func (b *bench) read(sql string) func(context.Context) error {
	return func(ctx context.Context) error {
		rows, err := b.conn.Query(ctx, sql)
		if err != nil {
			return err
		}
		defer rows.Close() // rows.Err reports its errors
		for rows.Next() {
		}
		return rows.Err()
	}
}

// panelQueries are those of the dashboards as Grafana asks them.
func (b *bench) panelQueries() (queries []query) {
	for _, panel := range dashboardQueries {
		sql := b.asGrafana(panel.sql)
		q := query{name: "dashboard: " + panel.name, ask: b.read(sql)}
		if raw := regexp.MustCompile(`crier_v1_(\w+_(?:hourly|daily))`).ReplaceAllString(sql, "counted_$1"); raw != sql {
			q.raw = b.read(raw)
		}
		queries = append(queries, q)
	}
	return queries
}

// asGrafana fills in what Grafana and its plugin of ClickHouse do.
func (b *bench) asGrafana(sql string) string {
	from, to := begin, begin.AddDate(1, 0, 0)
	sql = strings.ReplaceAll(sql, "${workspace}", uuid.UUID(b.large).String())
	sql = regexp.MustCompile(`\$__timeFilter\((\w+)\)`).ReplaceAllString(sql,
		"$1 >= toDateTime('"+from.Format(time.DateTime)+"', 'UTC') and $1 <= toDateTime('"+to.Format(time.DateTime)+"', 'UTC')")
	return regexp.MustCompile(`\$__dateFilter\((\w+)\)`).ReplaceAllString(sql,
		"$1 >= toDate('"+from.Format(time.DateOnly)+"') and $1 <= toDate('"+to.Format(time.DateOnly)+"')")
}

// endpointQueries are those of GET /analytics/….
func (b *bench) endpointQueries() []query {
	store := b.store.Analytics()
	filter := schema.AnalyticsFilter{From: begin, To: begin.AddDate(1, 0, 0)}
	between := func(day string) string {
		return fmt.Sprintf(`workspace = toUUID('%s') and %s between toDate('%s') and toDate('%s')`, uuid.UUID(b.large), day,
			filter.From.Format(time.DateOnly), filter.To.Format(time.DateOnly))
	}
	const sums = `sum(impressions), sum(reach), sum(views), sum(likes), sum(comments), sum(shares), sum(saves), sum(clicks), sum(watch_seconds)`
	const alone = ` settings do_not_merge_across_partitions_select_final = 1`
	return []query{
		{
			name: "posts: counts",
			ask:  func(ctx context.Context) error { _, err := store.PostCounts(ctx, b.large, filter); return err },
			raw: b.read(`select toDate(at) as day, platform, type, count() from events final
				where ` + between(`toDate(at)`) + ` and type in ('target.posted', 'target.failed') group by day, platform, type` + alone),
		},
		{
			name: "posts: metrics",
			ask:  func(ctx context.Context) error { _, err := store.PostFigures(ctx, b.large, filter); return err },
			raw: b.read(`select toDate(posted_at) as day, account, platform, count(), ` + sums + ` from post_latest final
				where ` + between(`toDate(posted_at)`) + ` group by grouping sets ((), (day), (account, platform), (platform))` + alone),
		},
		{
			name: "posts: the best",
			ask: func(ctx context.Context) error {
				_, err := store.TopPosts(ctx, b.large, filter, schema.TopQuery{By: schema.MetricEngagement, Limit: 10})
				return err
			},
			raw: b.read(`select post, account, native_id, posted_at, likes + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0) as engagement
				from post_latest final where ` + between(`toDate(posted_at)`) + ` order by engagement desc limit 10` + alone),
		},
		{
			name: "followers",
			ask: func(ctx context.Context) error {
				return store.Followers(ctx, b.large, filter, func(schema.FollowersRow) {})
			},
		},
		{
			name: "best times",
			ask: func(ctx context.Context) error {
				_, err := store.SlotSums(ctx, b.large, schema.BestTimesQuery{AnalyticsFilter: filter, Metric: schema.MetricEngagement, Zone: time.UTC})
				return err
			},
			raw: b.read(`select weekday, hour, count(), sum(y), sum(y * y) from (
				select toDayOfWeek(posted_at) as weekday, toHour(posted_at) as hour, x - avg(x) over (partition by account) as y from (
					select account, posted_at, log1p(likes + ifNull(comments, 0) + ifNull(shares, 0) + ifNull(saves, 0) + ifNull(clicks, 0)) as x
					from post_metrics final where ` + between(`toDate(posted_at)`) + ` and slot = 3 and not gone))
				group by weekday, hour` + alone),
		},
	}
}
