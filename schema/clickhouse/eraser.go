package clickhouse

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/lists"
)

// Eraser removes what tables hold of what is deleted.
type Eraser struct{ conn driver.Conn }

// Eraser returns the store of deletions.
func (s *Store) Eraser() *Eraser { return &Eraser{conn: s.conn} }

// erasable is a table that holds rows of workspaces. ofAccount selects the rows of an account in
// it; empty: it has none.
type erasable struct{ table, ofAccount string }

// erasables are all tables but that of calls to platforms, which belong to no workspace. What
// others are made of stands before them, so that nothing is made anew of what is gone.
var erasables = []erasable{
	{table: "events", ofAccount: `account = {account:UUID} or position(data, {name:String}) > 0`},
	{table: "post_metrics", ofAccount: `account = {account:UUID}`},
	{table: "post_latest", ofAccount: `account = {account:UUID}`},
	{table: "post_day_looks", ofAccount: `account = {account:UUID}`},
	{table: "followers", ofAccount: `account = {account:UUID}`},
	{table: "inbox_items", ofAccount: `account = {account:UUID}`},
	{table: "feed_items"},
	{table: "deliveries"},
	{table: "api_usage"},
	{table: "rollup_outcomes_hourly", ofAccount: `account = {account:UUID}`},
	{table: "rollup_outcomes_daily", ofAccount: `account = {account:UUID}`},
	{table: "rollup_platform_outcomes_hourly"}, // counted anew without the account, see recount
	{table: "rollup_posts_daily", ofAccount: `account = {account:UUID}`},
	{table: "rollup_post_hours", ofAccount: `account = {account:UUID}`},
	{table: "rollup_deliveries_hourly"},
	{table: "rollup_api_usage_hourly"},
	{table: "rollup_feed_hourly"},
	{table: "rollup_feed_daily"},
	{table: "rollup_platform_feed_hourly"},
	{table: "rollup_feed_keywords_daily"},
	{table: "rollup_open"},
}

// Erase removes the rows of workspaces, or of one account in them and the events that name it,
// and returns how many there were: none once they are gone. Parts that hold some are written
// anew; whoever asks before that is done asks again.
func (e *Eraser) Erase(ctx context.Context, of schema.Erasure) (rows int64, err error) {
	for _, from := range erasables {
		if from.table == firstRollup {
			counting, err := e.counting(ctx)
			if err != nil {
				return rows, wrap(err, "erasing what is counted")
			}
			rows += counting
			if err := e.recount(ctx, of); err != nil {
				return rows, wrap(err, "opening the days of what is erased")
			}
		}
		n, err := e.erase(ctx, from, of)
		if err != nil {
			return rows, wrap(err, "erasing from "+from.table)
		}
		rows += n
	}
	return rows, nil
}

// recount opens the days in which targets of an account were counted: its part of counts without
// accounts cannot be taken out of them. Its facts are gone by then, and counts with accounts tell
// the days until they are erased too, by which this is done again when it was cut off. What
// counted the facts before they went keeps such a day open, or, while it still does, makes who
// erases come again.
func (e *Eraser) recount(ctx context.Context, of schema.Erasure) error {
	if of.Account.IsZero() {
		return nil
	}
	return e.conn.Exec(ctx, `
		insert into rollup_open (kind, workspace, day, minute, n)
		select {kind:String}, workspace, day, toStartOfMinute(now('UTC')), reinterpretAsInt64(rand64())
		from rollup_outcomes_daily
		where workspace in {workspaces:Array(UUID)} and account = {account:UUID}
		group by workspace, day`,
		clickhouse.Named("kind", string(schema.RollupOutcomes)), clickhouse.Named("workspaces", ids(of.Workspaces)), id("account", of.Account))
}

func ids(workspaces []schema.WorkspaceID) []string {
	return lists.Map(workspaces, func(w schema.WorkspaceID) string { return uuid.UUID(w).String() })
}

// firstRollup is the first of erasables that is counted from those before it.
const firstRollup = "rollup_outcomes_hourly"

// counting returns how many statements are counting facts. One that began before these were
// erased could bring them back: who erases comes again.
func (e *Eraser) counting(ctx context.Context) (statements int64, err error) {
	var running uint64
	err = e.conn.QueryRow(ctx, `
		select count() from system.processes
		where query_kind = 'Insert' and current_database = currentDatabase() and position(query, {statement:String}) > 0`,
		clickhouse.Named("statement", "from counted_")).Scan(&running)
	return int64(running), err
}

func (e *Eraser) erase(ctx context.Context, from erasable, of schema.Erasure) (int64, error) {
	these := `workspace in {workspaces:Array(UUID)}`
	args := []any{clickhouse.Named("workspaces", ids(of.Workspaces))}
	if !of.Account.IsZero() {
		if from.ofAccount == "" {
			return 0, nil
		}
		these += ` and (` + from.ofAccount + `)`
		args = append(args, id("account", of.Account), clickhouse.Named("name", of.Account.String()))
	}
	var found uint64
	if err := e.conn.QueryRow(ctx, `select count() from `+from.table+` where `+these, args...).Scan(&found); err != nil || found == 0 {
		return 0, err
	}
	return int64(found), mutate(ctx, e.conn, from.table, `delete where `+these, args...)
}

// mutate changes the rows of a table, and waits for it, unless an earlier change still runs:
// then it does nothing, and whoever asked comes again.
func mutate(ctx context.Context, conn driver.Conn, table, change string, args ...any) error {
	var running uint64
	err := conn.QueryRow(ctx, `
		select count() from system.mutations where database = currentDatabase() and table = {table:String} and not is_done`,
		clickhouse.Named("table", table)).Scan(&running)
	if err != nil || running > 0 {
		return err
	}
	return conn.Exec(ctx, `alter table `+table+` `+change+` settings mutations_sync = 1`, args...)
}
