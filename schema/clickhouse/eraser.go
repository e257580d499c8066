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

// Eraser removes what tables hold of what is deleted.
type Eraser struct {
	conn  driver.Conn
	ahead time.Duration
}

// erasedBefore is how far ahead of its time a day is opened from which facts are erased: counting
// it waits so much longer than for facts that arrive.
const erasedBefore = 10 * time.Minute

// Eraser returns the store of deletions.
func (s *Store) Eraser() *Eraser { return &Eraser{s.conn, erasedBefore} }

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
	{table: "rollup_platform_outcomes_hourly"}, // whose days an account's erasure opens
	{table: "rollup_posts_daily", ofAccount: `account = {account:UUID}`},
	{table: "rollup_deliveries_hourly"},
	{table: "rollup_api_usage_hourly"},
	{table: "rollup_feed_hourly"},
	{table: "rollup_feed_daily"},
	{table: "rollup_open"},
}

// Erase removes the rows of workspaces, or of one account in them and the events that name it,
// and returns how many there were: none once they are gone. Parts that hold some are written
// anew; whoever asks before that is done asks again.
func (e *Eraser) Erase(ctx context.Context, of schema.Erasure) (rows int64, err error) {
	if !of.Account.IsZero() {
		if err := e.open(ctx, of); err != nil {
			return 0, fmt.Errorf("opening the days of an account: %w", unavailable(err))
		}
	}
	for _, from := range erasables {
		if from.table == firstRollup {
			counting, err := e.counting(ctx)
			if err != nil {
				return rows, fmt.Errorf("erasing what is counted: %w", unavailable(err))
			}
			rows += counting
		}
		n, err := e.erase(ctx, from, of)
		if err != nil {
			return rows, fmt.Errorf("erasing from %s: %w", from.table, unavailable(err))
		}
		rows += n
	}
	return rows, nil
}

// open opens the days in which targets of an account ended, before these are erased: counts without
// accounts have to be made anew. They stay open until erasing is over, or was begun again, since
// what was not there when a day was looked for keeps it open.
func (e *Eraser) open(ctx context.Context, of schema.Erasure) error {
	return e.conn.Exec(ctx, `
		insert into rollup_open (kind, workspace, day, minute, n)
		select 'outcomes', workspace, toDate(at) as day, toStartOfMinute(now('UTC') + {ahead:UInt32}), reinterpretAsInt64(rand64())
		from events
		where workspace in {workspaces:Array(UUID)} and account = {account:UUID} and type in ('target.posted', 'target.failed')
		group by workspace, day`,
		clickhouse.Named("workspaces", ids(of.Workspaces)), id("account", of.Account), clickhouse.Named("ahead", uint32(e.ahead.Seconds())))
}

func ids(workspaces []schema.WorkspaceID) []string {
	texts := make([]string, len(workspaces))
	for i, w := range workspaces {
		texts[i] = uuid.UUID(w).String()
	}
	return texts
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
