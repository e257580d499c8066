package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// CreateWebhook stores a new webhook, its secret sealed.
func (g *Gateway) CreateWebhook(ctx context.Context, w schema.Webhook) error {
	sealed, err := g.sealer.SealText(secretData(w.ID), w.Secret)
	if err != nil {
		return fmt.Errorf("sealing the secret of a webhook: %w", err)
	}
	_, err = g.pool.Exec(ctx, `
		insert into webhooks (id, workspace_id, url, events, secret, active, created_at)
		values (@id, @workspace, @url, @events, @secret, @active, @created)`, pgx.StrictNamedArgs{
		"id": w.ID, "workspace": w.Workspace, "url": w.URL, "events": eventNames(w.Events), "secret": sealed,
		"active": w.Active, "created": w.CreatedAt,
	})
	if err != nil {
		return fmt.Errorf("creating a webhook: %w", unavailable(err))
	}
	return nil
}

const webhookColumns = `id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
	consecutive_failures, disabled_at, disabled_reason, previous_secret`

const oneWebhook = `select ` + webhookColumns + ` from webhooks where id = $1 and workspace_id = $2`

// scanWebhook reads a webhook with its secret opened.
func (g *Gateway) scanWebhook(row pgx.Row, w *schema.Webhook) error {
	var events []string
	var secret, previous []byte
	var delivered, disabled *time.Time
	err := row.Scan((*[16]byte)(&w.ID), (*[16]byte)(&w.Workspace), &w.URL, &events, &secret, &w.Active, &w.CreatedAt, &delivered,
		&w.ConsecutiveFailures, &disabled, &w.DisabledReason, &previous)
	if err != nil {
		return err
	}
	for _, e := range events {
		w.Events = append(w.Events, schema.EventType(e))
	}
	w.CreatedAt, w.LastDeliveredAt, w.DisabledAt = w.CreatedAt.UTC(), fromNull(delivered), fromNull(disabled)
	return openSecrets(g.sealer, w, secret, previous)
}

// Webhooks returns the webhooks of a workspace, oldest first.
func (g *Gateway) Webhooks(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Webhook, error) {
	rows, err := g.pool.Query(ctx, `select `+webhookColumns+` from webhooks where workspace_id = $1 order by id`, workspace)
	webhooks, err := collect(rows, err, func(rows pgx.Rows, w *schema.Webhook) error { return g.scanWebhook(rows, w) })
	if err != nil {
		return nil, fmt.Errorf("reading webhooks: %w", unavailable(err))
	}
	return webhooks, nil
}

// Webhook returns a webhook of a workspace.
func (g *Gateway) Webhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) (schema.Webhook, error) {
	var w schema.Webhook
	row := g.pool.QueryRow(ctx, oneWebhook, id, workspace)
	return w, orNotFound(g.scanWebhook(row, &w), "webhook")
}

// UpdateWebhook changes a webhook.
func (g *Gateway) UpdateWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, change func(*schema.Webhook) error) (schema.Webhook, error) {
	var w schema.Webhook
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, `select `+webhookColumns+` from webhooks where id = $1 and workspace_id = $2 for update`, id, workspace)
		if err := g.scanWebhook(row, &w); err != nil {
			return err
		}
		if err := change(&w); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			update webhooks set url = @url, events = @events, active = @active, consecutive_failures = @failures,
				disabled_at = @disabled, disabled_reason = @reason
			where id = @id`, pgx.StrictNamedArgs{
			"id": id, "url": w.URL, "events": eventNames(w.Events), "active": w.Active, "failures": w.ConsecutiveFailures,
			"disabled": orNull(w.DisabledAt), "reason": w.DisabledReason,
		})
		return err
	})
	if err != nil {
		return schema.Webhook{}, orNotFound(err, "webhook")
	}
	return w, nil
}

// DeleteWebhook removes a webhook with its history. Deliveries that are pending stop: their
// claim finds no webhook, and drops their job. What is left of a history that is too long
// to be deleted while the caller waits goes with its age.
func (g *Gateway) DeleteWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) error {
	tag, err := g.pool.Exec(ctx, `delete from webhooks where id = $1 and workspace_id = $2`, id, workspace)
	if err != nil {
		return fmt.Errorf("deleting a webhook: %w", unavailable(err))
	}
	if tag.RowsAffected() == 0 {
		return notFound("webhook")
	}
	for range historyChunks {
		tag, err := g.pool.Exec(ctx, `
			delete from deliveries where id in (select id from deliveries where webhook_id = $1 limit $2)`, id, historyChunk)
		if err != nil {
			g.log.WarnContext(ctx, "deleting the history of a webhook failed; it goes with its age", "err", err)
			return nil
		}
		if tag.RowsAffected() < historyChunk {
			return nil
		}
	}
	return nil
}

// Deliveries are deleted in chunks, so that no transaction is long.
const (
	historyChunk  = 5000
	historyChunks = 20 // while a caller waits
)

func eventNames(events []schema.EventType) []string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e)
	}
	return names
}
