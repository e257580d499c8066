package clickhouse

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/sleep"
)

// Rollups counts facts beforehand, by buckets: the UTC days of workspaces. A fact that arrives
// opens its bucket (the materialised views rollup_open_* see to that), and views read the facts
// of open buckets and what was counted of all others. Counting a bucket again replaces all that
// was counted of it, so that repetitions, late facts, crashes and two processes at once change
// nothing.
type Rollups struct {
	conn    driver.Conn
	settled time.Duration
}

// countedBefore is how long counts are visible before their buckets are closed: longer than
// what lies between the moments at which one query sees its tables.
const countedBefore = 2 * time.Second

// Rollups returns the store of what is counted beforehand.
func (s *Store) Rollups() *Rollups { return &Rollups{conn: s.conn, settled: countedBefore} }

// rollup is a table of counts, made from the view counted_*.
type rollup struct {
	name string   // of rollup_* and counted_*
	keys string   // what is counted apart
	sums []string // what is counted
}

var (
	outcomeSums = []string{"targets", "lateness_seconds_total", "lateness_seconds_max", "late_targets"}
	feedSums    = []string{"items", "delay_seconds_total", "delay_seconds_max"}
	postSums    = []string{
		"posts", "impressions", "reach", "views", "likes", "comments", "shares", "saves", "clicks", "watch_seconds", "engagement",
		"most_impressions", "most_reach", "most_views", "most_likes", "most_comments", "most_shares", "most_saves", "most_clicks",
		"most_watch_seconds", "most_engagement",
	}
)

// rollupKinds are the kinds of buckets, by what opens them. Those of a kind are counted in their
// order: what knows no accounts after what does, which tells the days to who erases an account.
var rollupKinds = map[schema.RollupKind][]rollup{
	schema.RollupOutcomes: {
		{"outcomes_hourly", "workspace, day, hour, account, platform, outcome, code", outcomeSums},
		{"outcomes_daily", "workspace, day, account, platform, outcome, code", outcomeSums},
		{"platform_outcomes_hourly", "workspace, day, hour, platform, outcome", outcomeSums},
	},
	schema.RollupPosts: {
		{"posts_daily", "workspace, day, account, platform", postSums},
		{"post_hours", "workspace, day, account, platform, metric", []string{"posts", "sums", "squares"}},
	},
	schema.RollupDeliveries: {{
		"deliveries_hourly", "workspace, day, hour, webhook, event, outcome, code",
		[]string{"tries", "answer_seconds_total", "lateness_seconds_total", "lateness_seconds_max"},
	}},
	schema.RollupAPIUsage: {{"api_usage_hourly", "workspace, day, hour, key, method, route, status", []string{"requests", "seconds"}}},
	schema.RollupFeed: {
		{"feed_hourly", "workspace, day, hour, monitor, platform", feedSums},
		{"feed_daily", "workspace, day, found, monitor, platform", feedSums},
		{"platform_feed_hourly", "workspace, day, hour, platform", append(slices.Clone(feedSums), "delay_seconds_p99")},
		{"feed_keywords_daily", "workspace, day, found, keyword", []string{"items"}},
	},
}

// openBucket is a bucket, with what opened it.
type openBucket struct {
	Workspace uuid.UUID   `ch:"workspace"`
	Day       time.Time   `ch:"day"`
	Minutes   []time.Time `ch:"minutes"`
	Sums      []int64     `ch:"sums"`
}

// Close counts open buckets of a kind into which nothing arrived for a while, at most limit of
// them, the oldest months first, and returns how many; more says that others may be left. quiet
// must be longer than a block takes to be stored, since its mark may be seen before it.
func (r *Rollups) Close(ctx context.Context, kind schema.RollupKind, quiet time.Duration, limit int) (closed int, more bool, err error) {
	open, err := r.find(ctx, kind, quiet, limit)
	if err != nil || len(open) == 0 {
		return 0, false, err
	}
	if err := r.finish(ctx, kind, open); err != nil {
		return 0, false, err
	}
	return len(open), true, nil
}

// find returns open buckets of one month, in the order in which tables hold their facts.
func (r *Rollups) find(ctx context.Context, kind schema.RollupKind, quiet time.Duration, limit int) (open []openBucket, err error) {
	if err := r.conn.Select(ctx, &open, `
		select workspace, day, groupArray(minute) as minutes, groupArray(s) as sums
		from (
			select workspace, day, minute, sum(n) as s
			from rollup_open
			where kind = {kind:String}
			group by workspace, day, minute
			having s <> 0
		)
		group by workspace, day
		having max(minute) <= now() - {quiet:UInt32}
		order by toYYYYMM(day), workspace, day
		limit {limit:UInt32}`,
		clickhouse.Named("kind", string(kind)), clickhouse.Named("quiet", uint32(quiet.Seconds())), clickhouse.Named("limit", limit),
	); err != nil {
		return nil, wrap(err, "looking for buckets to count")
	}
	for i := range open {
		if open[i].Day.Month() != open[0].Day.Month() || open[i].Day.Year() != open[0].Day.Year() {
			return open[:i], nil
		}
	}
	return open, nil
}

// finish counts buckets, and closes them once queries see the counts. A process that dies in
// between leaves them open, which is right.
func (r *Rollups) finish(ctx context.Context, kind schema.RollupKind, open []openBucket) error {
	if err := r.count(ctx, kind, open); err != nil {
		return err
	}
	if err := sleep.For(ctx, r.settled); err != nil {
		return err
	}
	return wrap(r.close(ctx, kind, open), "closing buckets")
}

// count counts buckets of one month anew, and others that are open between the first and the
// last of them. A row that was counted before and has nothing to count any more is replaced by
// one of zero. A version is never below the one before, whatever the clock says.
func (r *Rollups) count(ctx context.Context, kind schema.RollupKind, buckets []openBucket) error {
	first, last := buckets[0], buckets[len(buckets)-1]
	const these = `(workspace, day) in (
					select workspace, day from rollup_open
					where kind = {kind:String} and workspace between {first:UUID} and {last:UUID} and toYYYYMM(day) = toYYYYMM({month:Date})
					group by workspace, day
					having sum(n) <> 0)`
	for _, into := range rollupKinds[kind] {
		sums := strings.Join(into.sums, ", ")
		// The names come from this file; buckets are parameters.
		if err := r.conn.Exec(ctx, `
			insert into rollup_`+into.name+` (`+into.keys+`, version, `+sums+`)
			select `+into.keys+`, greatest(toUnixTimestamp64Micro(now64(6)), max(before) + 1), anyIf(`+strings.Join(into.sums, `, counted), anyIf(`)+`, counted)
			from (
				select `+into.keys+`, `+sums+`, toInt64(0) as before, true as counted
				from counted_`+into.name+`
				where `+these+`
				union all
				select `+into.keys+`, `+sums+`, version as before, false as counted
				from rollup_`+into.name+`
				where `+these+`
			)
			group by `+into.keys+`
			settings max_bytes_before_external_group_by = 200000000`,
			clickhouse.Named("kind", string(kind)), clickhouse.Named("first", first.Workspace.String()),
			clickhouse.Named("last", last.Workspace.String()), day("month", first.Day)); err != nil {
			return wrap(err, "counting into rollup_"+into.name)
		}
	}
	return nil
}

// close takes away what opened buckets when they were looked for. What came since stays, and
// keeps them open, as does another process that closes them at the same time.
func (r *Rollups) close(ctx context.Context, kind schema.RollupKind, buckets []openBucket) (err error) {
	block, err := r.conn.PrepareBatch(ctx, `insert into rollup_open (kind, workspace, day, minute, n)`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, block.Close()) }()
	for _, b := range buckets {
		for i, minute := range b.Minutes {
			if err := block.Append(string(kind), b.Workspace, b.Day, minute, -b.Sums[i]); err != nil {
				return err
			}
		}
	}
	return block.Send()
}

// Open returns how many buckets of each kind are open.
func (r *Rollups) Open(ctx context.Context) (map[schema.RollupKind]int, error) {
	var found []struct {
		Kind    string `ch:"kind"`
		Buckets uint64 `ch:"buckets"`
	}
	if err := r.conn.Select(ctx, &found, `
		select toString(kind) as kind, count() as buckets
		from (select kind, workspace, day from rollup_open group by kind, workspace, day having sum(n) <> 0)
		group by kind`); err != nil {
		return nil, wrap(err, "counting open buckets")
	}
	open := map[schema.RollupKind]int{}
	for _, f := range found {
		open[schema.RollupKind(f.Kind)] = int(f.Buckets)
	}
	return open, nil
}
