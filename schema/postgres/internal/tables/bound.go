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

// LockWorkspace lets changes of what a workspace has happen in turn. It is NotFound where the workspace is gone.
func LockWorkspace(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) error {
	return db.ExecOr(ctx, tx, db.NotFound("workspace"), `select from workspaces where id = $1 and deleting_at is null for no key update`, workspace)
}

// Admit locks a workspace that gets one more row, so that no other request does at the same time.
// It is InvalidState where the workspace has as many as it may, NotFound where it is gone.
func Admit(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, b Bound) error {
	if err := LockWorkspace(ctx, tx, workspace); err != nil {
		return err
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
