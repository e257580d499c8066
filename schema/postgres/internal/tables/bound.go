package tables

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Bound is how many rows of a table a workspace may have.
type Bound struct {
	Table string // also how they are called
	Max   int
}

// Admit locks a workspace that gets one more row, so that no other request does at the same time.
// It is InvalidState where the workspace has as many as it may, NotFound where it is gone.
func Admit(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, b Bound) error {
	tag, err := tx.Exec(ctx, `select from workspaces where id = $1 and deleting_at is null for no key update`, workspace)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return db.NotFound("workspace")
	}
	var has int
	if err := tx.QueryRow(ctx, sql.Text(`select count(*) from {table} where workspace_id = $1`, "table", b.Table), workspace).Scan(&has); err != nil {
		return err
	}
	if has >= b.Max {
		return InvalidState(fmt.Sprintf("the workspace has %d %s, as many as it may; delete one first", b.Max, b.Table))
	}
	return nil
}
