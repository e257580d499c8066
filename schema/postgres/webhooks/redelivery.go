package webhooks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/tables"
)

// beginRedelivery asks for all that failed since a time to be sent again, in the transaction
// that holds the webhook's lock: whoever stored something for it while it was disabled has
// committed. Maintenance does it, a chunk at a time; asked for again it starts from the beginning, and finds
// what was sent meanwhile not failed.
func (s *Store) beginRedelivery(ctx context.Context, tx pgx.Tx, w *schema.Webhook) error {
	if !w.Active {
		return tables.InvalidState("the webhook is not active; enable it in the same request with isActive true")
	}
	until := s.Now().Add(time.Second) // clocks of processes differ by less
	_, err := tx.Exec(ctx, `
		insert into redeliveries (webhook_id, after_id, until_id, looked_at) values ($1, $2, $3, 'epoch')
		on conflict (webhook_id) do update set
			after_id = excluded.after_id, until_id = excluded.until_id, looked_at = excluded.looked_at`,
		w.ID, schema.FirstID[schema.DeliveryID](w.RedeliverSince), schema.FirstID[schema.DeliveryID](until))
	return err
}
