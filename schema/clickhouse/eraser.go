package clickhouse

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
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
	{"events", `account = {account:UUID} or position(data, {name:String}) > 0`},
	{"post_metrics", `account = {account:UUID}`},
	{"post_latest", `account = {account:UUID}`},
	{"followers", `account = {account:UUID}`},
	{"inbox_items", `account = {account:UUID}`},
	{"feed_items", ``},
	{"deliveries", ``},
	{"api_usage", ``},
}

// Erase removes the rows of workspaces, or of one account in them and the events that name it,
// and returns how many there were: none once they are gone. Parts that hold some are written
// anew; whoever asks before that is done asks again.
func (e *Eraser) Erase(ctx context.Context, of schema.Erasure) (rows int64, err error) {
	for _, from := range erasables {
		n, err := e.erase(ctx, from, of)
		if err != nil {
			return rows, fmt.Errorf("erasing from %s: %w", from.table, unavailable(err))
		}
		rows += n
	}
	return rows, nil
}

func (e *Eraser) erase(ctx context.Context, from erasable, of schema.Erasure) (int64, error) {
	these := `workspace in {workspaces:Array(UUID)}`
	workspaces := make([]string, len(of.Workspaces))
	for i, id := range of.Workspaces {
		workspaces[i] = uuid.UUID(id).String()
	}
	args := []any{clickhouse.Named("workspaces", workspaces)}
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
