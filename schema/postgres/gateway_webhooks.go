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
		insert into webhooks (id, workspace_id, url, events, secret, active, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
		w.ID, w.Workspace, w.URL, eventNames(w.Events), sealed, w.Active, w.CreatedAt)
	if err != nil {
		return fmt.Errorf("creating a webhook: %w", unavailable(err))
	}
	return nil
}

const webhookColumns = `id, workspace_id, url, events, secret, active, created_at, last_delivered_at,
	consecutive_failures, disabled_at, disabled_reason`

// scanWebhook reads a webhook with its secret opened.
func (g *Gateway) scanWebhook(row pgx.Row, w *schema.Webhook) error {
	var events []string
	var secret []byte
	var delivered, disabled *time.Time
	err := row.Scan((*[16]byte)(&w.ID), (*[16]byte)(&w.Workspace), &w.URL, &events, &secret, &w.Active, &w.CreatedAt, &delivered,
		&w.ConsecutiveFailures, &disabled, &w.DisabledReason)
	if err != nil {
		return err
	}
	for _, e := range events {
		w.Events = append(w.Events, schema.EventType(e))
	}
	w.CreatedAt, w.LastDeliveredAt, w.DisabledAt = w.CreatedAt.UTC(), fromNull(delivered), fromNull(disabled)
	w.Secret, err = g.sealer.OpenText(secretData(w.ID), secret)
	return err
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
	row := g.pool.QueryRow(ctx, `select `+webhookColumns+` from webhooks where id = $1 and workspace_id = $2`, id, workspace)
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
			update webhooks set url = $2, events = $3, active = $4, consecutive_failures = $5, disabled_at = $6, disabled_reason = $7
			where id = $1`, id, w.URL, eventNames(w.Events), w.Active, w.ConsecutiveFailures, orNull(w.DisabledAt), w.DisabledReason)
		return err
	})
	if err != nil {
		return schema.Webhook{}, orNotFound(err, "webhook")
	}
	return w, nil
}

// DeleteWebhook removes a webhook with its history. Deliveries that are pending stop:
// their claim finds no webhook.
func (g *Gateway) DeleteWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) error {
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from webhooks where id = $1 and workspace_id = $2`, id, workspace)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return notFound("webhook")
		}
		b := &pgx.Batch{}
		b.Queue(`delete from jobs where id in (select id from deliveries where webhook_id = $1 and state in (0, 1))`, id)
		b.Queue(`delete from deliveries where webhook_id = $1`, id)
		return tx.SendBatch(ctx, b).Close()
	})
	return unavailable(err)
}

// Deliveries returns the latest deliveries to a webhook that were tried, newest first.
func (g *Gateway) Deliveries(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, limit int) ([]schema.DeliveryRecord, error) {
	rows, err := g.pool.Query(ctx, `
		select id, event, event_id, state, coalesce(response_code, 0), coalesce(response_ms, 0), attempts, error, delivered_at
		from deliveries where webhook_id = $1 and workspace_id = $2 and attempts > 0 order by id desc limit $3`, id, workspace, limit)
	records, err := collect(rows, err, func(rows pgx.Rows, r *schema.DeliveryRecord) error {
		var millis int64
		var attempts int
		var at *time.Time
		err := rows.Scan((*[16]byte)(&r.ID), &r.Event, (*[16]byte)(&r.EventID), &r.State, &r.ResponseCode, &millis, &attempts, &r.Error, &at)
		r.ResponseTime, r.Retries, r.DeliveredAt = time.Duration(millis)*time.Millisecond, max(0, attempts-1), fromNull(at)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading deliveries: %w", unavailable(err))
	}
	return records, nil
}

func eventNames(events []schema.EventType) []string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e)
	}
	return names
}
