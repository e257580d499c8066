package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/schema"
)

// Retention removes what is kept no longer.
type Retention struct{ conn driver.Conn }

// Retention returns the store of what is forgotten.
func (s *Store) Retention() *Retention { return &Retention{conn: s.conn} }

// The tables by how long they are kept: figures, and what other people wrote.
var (
	figureTables = []string{
		"events", "post_metrics", "post_latest", "post_day_looks", "followers", "deliveries", "platform_calls", "api_usage",
		"rollup_outcomes_hourly", "rollup_outcomes_daily", "rollup_platform_outcomes_hourly", "rollup_posts_daily", "rollup_post_hours",
		"rollup_deliveries_hourly", "rollup_api_usage_hourly",
	}
	peopleTables = []string{"inbox_items", "feed_items"}
	inboxTables  = []string{
		"inbox_items", "feed_items", "rollup_feed_hourly", "rollup_feed_daily", "rollup_platform_feed_hourly", "rollup_feed_keywords_daily",
	}
)

// ForgetFigures removes the months of events and figures that ended before a time, one of one
// table at a time; more means that others may be left.
func (r *Retention) ForgetFigures(ctx context.Context, before time.Time) (rows int, more bool, err error) {
	return r.forgetMonth(ctx, figureTables, before)
}

// ForgetPeople is ForgetFigures for what other people wrote.
func (r *Retention) ForgetPeople(ctx context.Context, before time.Time) (rows int, more bool, err error) {
	return r.forgetMonth(ctx, inboxTables, before)
}

func (r *Retention) forgetMonth(ctx context.Context, tables []string, before time.Time) (int, bool, error) {
	type month struct {
		Table     string `ch:"table"`
		Partition string `ch:"partition_id"`
		Rows      uint64 `ch:"rows"`
	}
	var months []month
	// A month that ends where the kept time begins is not older than it in whole.
	err := r.conn.Select(ctx, &months, `
		select table, partition_id, sum(rows) as rows from system.parts
		where database = currentDatabase() and active and table in {tables:Array(String)}
			and match(partition_id, '^[0-9]{6}$') and partition_id < {before:String}
		group by table, partition_id order by partition_id, table limit 1`,
		clickhouse.Named("tables", tables), clickhouse.Named("before", before.UTC().Format("200601")))
	if err != nil || len(months) == 0 {
		return 0, false, forgetting(err)
	}
	// The names come from this file and from the server: digits alone.
	m := months[0]
	if err := r.conn.Exec(ctx, `alter table `+m.Table+` drop partition id '`+m.Partition+`'`); err != nil {
		return 0, false, forgetting(err)
	}
	return int(m.Rows), true, nil
}

// ForgetPersons blanks who wrote what, and the words, in all that was read from a platform
// before a time, and returns in how many rows. The rows stay: they are counted.
func (r *Retention) ForgetPersons(ctx context.Context, platform schema.Platform, before time.Time) (rows int, err error) {
	const these = `platform = {platform:String} and at < fromUnixTimestamp64Micro({before:Int64})
		and (author_id <> '' or author_handle <> '' or author_name <> '' or author_url <> '' or text <> '')`
	args := []any{clickhouse.Named("platform", platformName(platform)), clickhouse.Named("before", before.UnixMicro())}
	for _, table := range peopleTables {
		var found uint64
		if err := r.conn.QueryRow(ctx, `select count() from `+table+` where `+these, args...).Scan(&found); err != nil {
			return rows, forgetting(err)
		}
		if found == 0 {
			continue
		}
		err := mutate(ctx, r.conn, table, `update author_id = '', author_handle = '', author_name = '', author_url = '', text = '' where `+these, args...)
		if err != nil {
			return rows, forgetting(err)
		}
		rows += int(found)
	}
	return rows, nil
}

func forgetting(err error) error { return wrap(err, "forgetting what is kept no longer") }
