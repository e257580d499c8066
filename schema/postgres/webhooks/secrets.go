package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// RotateSecret puts a new secret in place of a webhook's; those before go on signing until
// a time.
func (s *Store) RotateSecret(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, secret string, overlap time.Duration) (schema.Webhook, error) {
	var w schema.Webhook
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, sql.Text(`select {webhook_columns} from webhooks where id = $1 and workspace_id = $2 for no key update`), id, workspace)
		if err := s.scanWebhook(row, &w); err != nil {
			return err
		}
		now := s.Now()
		until := now.Add(overlap)
		if !w.Rotate(secret, now, until) {
			return tables.InvalidState(fmt.Sprintf("%d replaced secrets sign still; rotate once one has ended, or all at once with overlapSeconds 0", schema.MaxOldSecrets))
		}
		current, previous, err := tables.SealSecrets(s.sealer, &w)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update webhooks set secret = $2, previous_secret = $3, previous_until = $4 where id = $1`,
			id, current, previous, until)
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, now, audit.Entry{Workspace: workspace, Subject: audit.Of("webhook", id, audit.Address(w.URL))})
	})
	return w, db.OrNotFound(err, "webhook")
}
