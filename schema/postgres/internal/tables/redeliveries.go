package tables

import (
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// QueueRedeliveries adds new deliveries to a webhook that send again what others of it sent,
// with their jobs. It returns the messages of their first tries, which are to be announced.
func QueueRedeliveries(b *pgx.Batch, workspace schema.WorkspaceID, webhook schema.WebhookID, again []schema.DeliveryID, now time.Time) []schema.NotifyMessage {
	created, messages := make([]schema.DeliveryID, len(again)), make([]schema.NotifyMessage, len(again))
	for i := range again {
		created[i] = schema.NewID[schema.DeliveryID](now)
		messages[i] = schema.NotifyMessage{Delivery: created[i], Workspace: workspace, Webhook: webhook}
	}
	b.Queue(`
		insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, redelivers)
		select u.made, d.webhook_id, d.workspace_id, d.event_id, d.event, d.body, d.id
		from unnest($1::uuid[], $2::uuid[]) u (made, old) join deliveries d on d.id = u.old`, created, again)
	QueueNotifyJobs(b, messages, now)
	return messages
}
