package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/schema"
)

// own tells whose a post is: of the accounts of the filter, or of the workspace's others.
const own = `(` + ofAccounts + `) as own`

// What is summed over, each rows of own, weekday, hour, n, s, q and mean: how many posts there are,
// the sum of their logarithms, such a share of that of the squares that those of an account are
// right together, and the mean of all posts of the account.
//
// What is counted beforehand is by UTC hours. Days of one weekday have the same hours in a zone
// while its offset does not change: they are added up first, and those on which it changes stand
// alone.
const (
	slotsCounted = `
			select own, toDayOfWeek(at, 0, {zone:String}) as weekday, toHour(at, {zone:String}) as hour, n, s, squares * n / posts as q, mean
			from (
				select own, midnight, ns, ss, squares, arraySum(ns) as posts, sum(arraySum(ss)) over (partition by account) / sum(posts) over (partition by account) as mean
				from (
					select account, any(name) as platform, ` + own + `, toDateTime(any(day), 'UTC') as midnight,
						sumForEach(posts) as ns, sumForEach(sums) as ss, sum(squares) as squares
					from (%s
					)
					group by account, if(has({changes:Array(Date)}, day), day, toDate(toDayOfWeek(day) + 7 * arrayCount(c -> c < day, {changes:Array(Date)})))
				)
			)
			array join ns as n, ss as s, arrayMap(h -> midnight + 3600 * (h - 1), arrayEnumerate(ns)) as at
			where n > 0`
	slotsOfLooks = `
			select own, weekday, hour, n, s, q, sum(s) over (partition by account) / sum(n) over (partition by account) as mean
			from (
				select account, own, toDayOfWeek(posted_at, 0, {zone:String}) as weekday, toHour(posted_at, {zone:String}) as hour,
					count() as n, sum(x) as s, sum(x * x) as q
				from (
					select account, posted_at, log1p(greatest(assumeNotNull(%[1]s), 0)) as x, ` + own + `
					from post_day_looks final
					where workspace = {workspace:UUID} and toDate(posted_at) between {from:Date} and {to:Date} and not gone and isNotNull(%[1]s)
				)
				group by account, own, weekday, hour
			)`
)

// SlotSums returns what posts came to a day after they were published, by weekday and hour of a
// time zone, those of the accounts of the filter apart from those of the others. In a zone that
// is not whole hours from UTC it reads the looks at posts themselves.
func (a *Analytics) SlotSums(ctx context.Context, workspace schema.WorkspaceID, query schema.BestTimesQuery) ([]schema.SlotSum, error) {
	metric, ok := metricColumns[query.Metric]
	if !ok {
		return nil, fmt.Errorf("there is no metric %q", query.Metric)
	}
	slots := fmt.Sprintf(slotsOfLooks, metric)
	changes, whole := offsetChanges(query.Zone, query.From, query.To)
	var open []string
	if whole {
		var err error
		if open, err = a.openDays(ctx, workspace, schema.RollupPosts, query.AnalyticsFilter); err != nil {
			return nil, err
		}
		slots = fmt.Sprintf(slotsCounted,
			daysOf("post_hours", `account, toString(platform) as name, day, posts, sums, squares`, ` and metric = {metric:String}`, open))
	}
	args := append(selection(workspace, query.AnalyticsFilter), clickhouse.Named("zone", query.Zone.String()), clickhouse.Named("metric", metric),
		clickhouse.Named("open", open), clickhouse.Named("changes", changes))
	rows, err := a.conn.Query(ctx, `
		select own, weekday, hour, sum(n) as posts, sum(s - n * mean) as total, sum(q - 2 * mean * s + n * mean * mean) as squares
		from (`+slots+`
		)
		group by own, weekday, hour
		settings do_not_merge_across_partitions_select_final = 1`, args...)
	sums, err := collect(rows, err, func(rows driver.Rows, s *schema.SlotSum) error {
		var weekday, hour uint8
		var posts uint64
		err := rows.Scan(&s.Own, &weekday, &hour, &posts, &s.Sum, &s.Squares)
		s.Weekday, s.Hour, s.Posts = time.Weekday(weekday%7), int(hour), int(posts)
		return err
	})
	return sums, wrap(err, "summing by hour")
}

// offsetChanges returns the UTC days of a range in which the offset of a zone changes; whole is
// false where it is not whole hours on each day.
func offsetChanges(zone *time.Location, from, to time.Time) (changes []string, whole bool) {
	offset := func(day time.Time) int {
		_, seconds := day.In(zone).Zone()
		return seconds
	}
	for day := from.UTC().Truncate(24 * time.Hour); !day.After(to); day = day.AddDate(0, 0, 1) {
		next := offset(day.AddDate(0, 0, 1))
		if offset(day)%3600 != 0 || next%3600 != 0 {
			return nil, false
		}
		if next != offset(day) {
			changes = append(changes, day.Format(time.DateOnly))
		}
	}
	return changes, true
}
