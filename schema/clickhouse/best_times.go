package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"crier/schema"
)

// own tells whose a post is: of the accounts of the filter, or of the workspace's others.
const own = `(` + ofAccounts + `) as own`

// By what SlotSums sums, each rows of account, own, weekday, hour, n, s and q: how many posts there
// are, the sum of their logarithms, and such a share of that of the squares that those of an
// account are right together. Several may be of one hour.
//
// What is counted beforehand is by UTC hours. Days of one weekday have the same hours in a zone
// while its offset does not change: they are added up first, and those on which it changes stand
// alone. The condition is of the sorting key: all versions of a row are in it or out of it, so it
// may stand before FINAL, and arrays of other rows are not read.
const (
	openPostDays = `(select day from rollup_open where kind = 'posts' and workspace = {workspace:UUID} group by day having sum(n) <> 0)`

	slotsCounted = `
				select account, own, toDayOfWeek(at, 0, {zone:String}) as weekday, toHour(at, {zone:String}) as hour, n, s, squares * n / posts as q
				from (
					select account, any(platform) as platform, ` + own + `, toDateTime(any(day), 'UTC') as midnight,
						sumForEach(counts) as ns, sumForEach(sums) as ss, sum(squares) as squares, arraySum(ns) as posts
					from (
						select account, toString(platform) as platform, day, posts as counts, sums, squares
						from rollup_post_hours final
						prewhere workspace = {workspace:UUID} and metric = {metric:String} and day between {from:Date} and {to:Date} and day not in ` + openPostDays + `
						union all
						select account, platform, day, posts as counts, sums, squares
						from counted_post_hours
						where workspace = {workspace:UUID} and metric = {metric:String} and day between {from:Date} and {to:Date} and day in ` + openPostDays + `
					)
					group by account, timezoneOffset(toTimeZone(toDateTime(day, 'UTC'), {zone:String})) as shift,
						if(shift = timezoneOffset(toTimeZone(toDateTime(day + 1, 'UTC'), {zone:String})), toDate(toDayOfWeek(day)), day)
				)
				array join ns as n, ss as s, arrayMap(h -> midnight + 3600 * (h - 1), arrayEnumerate(ns)) as at
				where n > 0`
	slotsOfLooks = `
				select account, own, toDayOfWeek(posted_at, 0, {zone:String}) as weekday, toHour(posted_at, {zone:String}) as hour,
					count() as n, sum(x) as s, sum(x * x) as q
				from (
					select account, posted_at, log1p(greatest(assumeNotNull(%[1]s), 0)) as x, ` + own + `
					from post_day_looks final
					where workspace = {workspace:UUID} and toDate(posted_at) between {from:Date} and {to:Date} and not gone and isNotNull(%[1]s)
				)
				group by account, own, weekday, hour`
)

// SlotSums returns what posts came to a day after they were published, by weekday and hour of a
// time zone, those of the accounts of the filter apart from those of the others. In a zone that
// is not whole hours from UTC it reads the looks at posts themselves.
func (a *Analytics) SlotSums(ctx context.Context, workspace schema.WorkspaceID, query schema.BestTimesQuery) ([]schema.SlotSum, error) {
	metric, ok := expressions[query.Metric]
	if !ok {
		return nil, fmt.Errorf("there is no metric %q", query.Metric)
	}
	if query.Metric == schema.MetricEngagement {
		metric = "engagement"
	}
	slots := slotsCounted
	if !wholeHours(query.Zone, query.From, query.To) {
		slots = fmt.Sprintf(slotsOfLooks, metric)
	}
	var found []struct {
		Own     bool    `ch:"own"`
		Weekday uint8   `ch:"weekday"`
		Hour    uint8   `ch:"hour"`
		Posts   uint64  `ch:"posts"`
		Sum     float64 `ch:"total"`
		Squares float64 `ch:"squares"`
	}
	args := append(selection(workspace, query.AnalyticsFilter), clickhouse.Named("zone", query.Zone.String()), clickhouse.Named("metric", metric))
	err := a.conn.Select(ctx, &found, `
		select own, weekday, hour, sum(n) as posts, sum(s - n * mean) as total, sum(q - 2 * mean * s + n * mean * mean) as squares
		from (
			select own, weekday, hour, n, s, q, sum(s) over (partition by account) / sum(n) over (partition by account) as mean
			from (`+slots+`
			)
		)
		group by own, weekday, hour
		settings do_not_merge_across_partitions_select_final = 1`, args...)
	if err != nil {
		return nil, fmt.Errorf("summing by hour: %w", unavailable(err))
	}
	sums := make([]schema.SlotSum, len(found))
	for i, r := range found {
		sums[i] = schema.SlotSum{
			Own: r.Own, Weekday: time.Weekday(r.Weekday % 7), Hour: int(r.Hour), Posts: int(r.Posts), Sum: r.Sum, Squares: r.Squares,
		}
	}
	return sums, nil
}

// wholeHours tells whether a zone is whole hours from UTC on each day of a range.
func wholeHours(zone *time.Location, from, to time.Time) bool {
	for day := from; !day.After(to.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		if _, offset := day.In(zone).Zone(); offset%3600 != 0 {
			return false
		}
	}
	return true
}
