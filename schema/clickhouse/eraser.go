package clickhouse

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

// Eraser removes events of what is deleted.
type Eraser struct{ conn driver.Conn }

// Eraser returns the store of deletions.
func (s *Store) Eraser() *Eraser { return &Eraser{conn: s.conn} }

// Erase removes the events of workspaces, or of one account in them and those that name it, and
// returns how many there were: none once they are gone. Parts that hold some are written anew;
// whoever asks before that is done asks again.
func (e *Eraser) Erase(ctx context.Context, of schema.Erasure) (events int64, err error) {
	workspaces := make([]string, len(of.Workspaces))
	for i, id := range of.Workspaces {
		workspaces[i] = uuid.UUID(id).String()
	}
	account := ""
	if !of.Account.IsZero() {
		account = of.Account.String()
	}
	args := []any{clickhouse.Named("workspaces", workspaces), id("account", of.Account), clickhouse.Named("name", account)}
	const these = `workspace in {workspaces:Array(UUID)} and ({name:String} = '' or account = {account:UUID} or position(data, {name:String}) > 0)`
	var found, running uint64
	if err := e.conn.QueryRow(ctx, `select count() from events where `+these, args...).Scan(&found); err != nil {
		return 0, fmt.Errorf("looking for events to erase: %w", unavailable(err))
	}
	if found == 0 {
		return 0, nil
	}
	err = e.conn.QueryRow(ctx, `select count() from system.mutations where database = currentDatabase() and table = 'events' and not is_done`).Scan(&running)
	if err == nil && running == 0 {
		err = e.conn.Exec(ctx, `alter table events delete where `+these+` settings mutations_sync = 1`, args...)
	}
	if err != nil {
		return 0, fmt.Errorf("erasing events: %w", unavailable(err))
	}
	return int64(found), nil
}
