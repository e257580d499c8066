// Package webhooks keeps webhooks with their secrets, and what was delivered to them.
package webhooks

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store keeps webhooks and reads what was delivered to them.
type Store struct {
	*db.DB
	sealer tables.Sealer
}

// New returns the store of webhooks, whose secrets sealer seals.
func New(d *db.DB, sealer tables.Sealer) *Store { return &Store{d, sealer} }

// maxWebhooks bounds the webhooks of a workspace: each gets every event.
const maxWebhooks = 100

// CreateWebhook stores a new webhook, its secret sealed, unless the workspace has as many as it may.
func (s *Store) CreateWebhook(ctx context.Context, w schema.Webhook) error {
	sealed, err := s.sealer.SealText(tables.SecretData(w.ID), w.Secret)
	if err != nil {
		return fmt.Errorf("sealing the secret of a webhook: %w", err)
	}
	return s.InTx(ctx, "creating a webhook", func(tx pgx.Tx) error {
		if err := tables.Admit(ctx, tx, w.Workspace, tables.Bound{Table: "webhooks", Max: maxWebhooks}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into webhooks (id, workspace_id, url, events, secret, active, created_at)
			values (@id, @workspace, @url, @events, @secret, @active, @created)`, pgx.StrictNamedArgs{
			"id": w.ID, "workspace": w.Workspace, "url": w.URL, "events": eventNames(w.Events), "secret": sealed,
			"active": w.Active, "created": w.CreatedAt,
		})
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), entry(w, schema.Webhook{}))
	})
}

var webhookByID = sql.Text(`select {webhook_columns} from webhooks where id = $1 and workspace_id = $2`)

// scanWebhook reads a webhook with its secret opened.
func (s *Store) scanWebhook(row pgx.Row, w *schema.Webhook) error {
	var events []string
	var secret, previous []byte
	err := row.Scan((*[16]byte)(&w.ID), (*[16]byte)(&w.Workspace), &w.URL, &events, &secret, &w.Active, &w.CreatedAt, db.OrZero(&w.LastDeliveredAt),
		&w.ConsecutiveFailures, db.OrZero(&w.DisabledAt), &w.DisabledReason, &previous)
	if err != nil {
		return err
	}
	for _, e := range events {
		w.Events = append(w.Events, schema.EventType(e))
	}
	return tables.OpenSecrets(s.sealer, w, secret, previous)
}

// Webhooks returns the webhooks of a workspace, oldest first.
func (s *Store) Webhooks(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Webhook, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {webhook_columns} from webhooks where workspace_id = $1 order by id`), workspace)
	webhooks, err := db.Collect(rows, err, s.scanWebhook)
	return webhooks, db.Wrap(err, "reading webhooks")
}

// Webhook returns a webhook of a workspace.
func (s *Store) Webhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) (schema.Webhook, error) {
	var w schema.Webhook
	row := s.Pool.QueryRow(ctx, webhookByID, id, workspace)
	return w, db.OrNotFound(s.scanWebhook(row, &w), "webhook")
}

// UpdateWebhook changes a webhook.
func (s *Store) UpdateWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, change func(*schema.Webhook) error) (schema.Webhook, error) {
	var w schema.Webhook
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, sql.Text(`select {webhook_columns} from webhooks where id = $1 and workspace_id = $2 for update`), id, workspace)
		if err := s.scanWebhook(row, &w); err != nil {
			return err
		}
		before := w
		if err := change(&w); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			update webhooks set url = @url, events = @events, active = @active, consecutive_failures = @failures,
				disabled_at = @disabled, disabled_reason = @reason, enablings = enablings + (@active and not active)::int
			where id = @id`, pgx.StrictNamedArgs{
			"id": id, "url": w.URL, "events": eventNames(w.Events), "active": w.Active, "failures": w.ConsecutiveFailures,
			"disabled": db.OrNull(w.DisabledAt), "reason": w.DisabledReason,
		})
		if err == nil {
			err = audit.Write(ctx, tx, s.Now(), entry(w, before))
		}
		if err != nil || w.RedeliverSince.IsZero() {
			return err
		}
		return s.beginRedelivery(ctx, tx, &w)
	})
	return w, db.OrNotFound(err, "webhook")
}

// DeleteWebhook removes a webhook: nothing is sent to it any more. A chore deletes its history and the
// jobs of what is pending, which may be a million.
func (s *Store) DeleteWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) error {
	return s.InTx(ctx, "deleting a webhook", func(tx pgx.Tx) error {
		var address string
		err := tx.QueryRow(ctx, `delete from webhooks where id = $1 and workspace_id = $2 returning url`, id, workspace).Scan(&address)
		if err != nil {
			return db.OrNotFound(err, "webhook")
		}
		b := &pgx.Batch{}
		b.Queue(`insert into deleted_webhooks (id) values ($1)`, id)
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("webhook", id, audit.Address(address))})
		return tx.SendBatch(ctx, b).Close()
	})
}

func eventNames(events []schema.EventType) []string {
	return lists.Map(events, func(e schema.EventType) string { return string(e) })
}

// entry is what the audit log says of a webhook that is made, or changed.
func entry(w, before schema.Webhook) audit.Entry {
	return audit.Entry{Workspace: w.Workspace, Subject: audit.Of("webhook", w.ID, audit.Address(w.URL)), Changes: audit.Differences(
		people.Change{Field: "url", Before: audit.Address(before.URL), After: audit.Address(w.URL)},
		people.Change{Field: "events", Before: strings.Join(eventNames(before.Events), ", "), After: strings.Join(eventNames(w.Events), ", ")},
		people.Change{Field: "active", Before: strconv.FormatBool(before.Active), After: strconv.FormatBool(w.Active)},
	)}
}
