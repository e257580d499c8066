package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// RotateSecret puts a new secret in place of a webhook's; those before go on signing until
// a time.
func (g *Gateway) RotateSecret(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, secret string, overlap time.Duration) (schema.Webhook, error) {
	var w schema.Webhook
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, `select `+webhookColumns+` from webhooks where id = $1 and workspace_id = $2 for no key update`, id, workspace)
		if err := g.scanWebhook(row, &w); err != nil {
			return err
		}
		now := g.Now()
		until := now.Add(overlap)
		if !w.Rotate(secret, now, until) {
			return invalidState(fmt.Sprintf("%d replaced secrets sign still; rotate once one has ended, or all at once with overlapSeconds 0", schema.MaxOldSecrets))
		}
		current, previous, err := sealSecrets(g.sealer, &w)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update webhooks set secret = $2, previous_secret = $3, previous_until = $4 where id = $1`,
			id, current, previous, until)
		return err
	})
	if err != nil {
		return schema.Webhook{}, orNotFound(err, "webhook")
	}
	return w, nil
}

// sealSecrets seals the secrets of a webhook: the one in place, and those before together.
func sealSecrets(sealer Sealer, w *schema.Webhook) (current, previous []byte, err error) {
	if current, err = sealer.SealText(secretData(w.ID), w.Secret); err != nil {
		return nil, nil, fmt.Errorf("sealing the secret of a webhook: %w", err)
	}
	if len(w.Previous) == 0 {
		return current, nil, nil
	}
	if previous, err = sealer.SealText(previousData(w.ID), string(encode(w.Previous))); err != nil {
		return nil, nil, fmt.Errorf("sealing the secrets of a webhook: %w", err)
	}
	return current, previous, nil
}

// openSecrets opens what sealSecrets has sealed.
func openSecrets(sealer Sealer, w *schema.Webhook, current, previous []byte) (err error) {
	if w.Secret, err = sealer.OpenText(secretData(w.ID), current); err != nil || len(previous) == 0 {
		return err
	}
	text, err := sealer.OpenText(previousData(w.ID), previous)
	if err != nil {
		return err
	}
	return decode("secrets of a webhook", []byte(text), &w.Previous)
}

// secretData binds a webhook's sealed secret to its row.
func secretData(id schema.WebhookID) string { return "webhook " + id.String() }

func previousData(id schema.WebhookID) string { return secretData(id) + " previous" }
