package webhooks

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// recordFields are where the values of {delivery_record_columns} go, and what makes a record of
// them once they are read.
func recordFields(r *schema.DeliveryRecord) (fields []any, finish func()) {
	var millis int64
	var attempts int
	var redelivers *[16]byte
	fields = []any{
		(*[16]byte)(&r.ID), &r.Event, (*[16]byte)(&r.EventID), &r.State, &r.ResponseCode, &millis, &attempts,
		&r.Error, &r.Response, db.OrZero(&r.DeliveredAt), &redelivers,
	}
	return fields, func() {
		r.ResponseTime, r.Retries = time.Duration(millis)*time.Millisecond, max(0, attempts-1)
		if redelivers != nil {
			r.Redelivers = *redelivers
		}
	}
}

func scanRecord(row pgx.Row, r *schema.DeliveryRecord) error {
	fields, finish := recordFields(r)
	err := row.Scan(fields...)
	finish()
	return err
}

// Deliveries returns a webhook and the deliveries to it that the filter selects, newest
// first, both as they stand at one moment.
func (s *Store) Deliveries(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, f schema.DeliveryFilter) (schema.Webhook, []schema.DeliveryRecord, error) {
	var webhook schema.Webhook
	var records []schema.DeliveryRecord
	err := pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(webhookByID, id, workspace).QueryRow(func(row pgx.Row) error { return s.scanWebhook(row, &webhook) })
		b.Queue(selectDeliveries, deliveryParameters(workspace, id, f)).Query(db.CollectInto(&records, scanRecord))
		return tx.SendBatch(ctx, b).Close()
	})
	return webhook, records, db.Wrap(db.OrNotFound(err, "webhook"), "reading deliveries")
}

var selectDeliveries = sql.Text(`
	select {delivery_record_columns} from deliveries d
	where d.webhook_id = @webhook and d.workspace_id = @workspace
	  and (cardinality(@states::int2[]) = 0 or d.state = any(@states))
	  and (@event::text = '' or d.event = @event) and (@event_id::uuid is null or d.event_id = @event_id)
	  and (@after::uuid is null or d.id >= @after) and (@before::uuid is null or d.id < @before) and (@below::uuid is null or d.id < @below)
	  and (not @tried::bool or d.attempts > 0 or d.state = {delivery_failed})
	order by d.id desc limit @limit`)

func deliveryParameters(workspace schema.WorkspaceID, webhook schema.WebhookID, f schema.DeliveryFilter) pgx.StrictNamedArgs {
	var after, before schema.DeliveryID
	if !f.After.IsZero() {
		after = schema.FirstID[schema.DeliveryID](f.After)
	}
	if !f.Before.IsZero() {
		before = schema.FirstID[schema.DeliveryID](f.Before)
	}
	states := lists.Map(f.States, func(s schema.DeliveryState) int16 { return int16(s) })
	return pgx.StrictNamedArgs{
		"webhook": webhook, "workspace": workspace, "states": states, "event": string(f.Event), "event_id": f.EventID,
		"after": after, "before": before, "below": f.Below, "tried": f.Tried, "limit": f.Limit,
	}
}

// Delivery returns one delivery to a webhook, with what is sent.
func (s *Store) Delivery(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, id schema.DeliveryID) (schema.DeliveryRecord, error) {
	var r schema.DeliveryRecord
	fields, finish := recordFields(&r)
	err := s.Pool.QueryRow(ctx, sql.Text(`select {delivery_record_columns}, d.body from deliveries d
		where d.id = $1 and d.webhook_id = $2 and d.workspace_id = $3`), id, webhook, workspace).Scan(append(fields, &r.Body)...)
	finish()
	return r, db.OrNotFound(err, "delivery")
}

// doubleClick is how long after a delivery was sent again the same wish is the same one.
const doubleClick = 5 * time.Second

// Redeliver sends an event to a webhook again, by a new delivery. Where one of the same
// event is on its way, or was just asked for, that one is the answer.
func (s *Store) Redeliver(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, id schema.DeliveryID) (schema.DeliveryRecord, error) {
	var under []schema.DeliveryID
	created, err := s.redeliver(ctx, workspace, webhook, func(tx pgx.Tx) ([]schema.DeliveryID, error) {
		var event schema.EventID
		err := tx.QueryRow(ctx, `select event_id from deliveries where id = $1 and webhook_id = $2 and workspace_id = $3`,
			id, webhook, workspace).Scan((*[16]byte)(&event))
		if err != nil {
			return nil, db.OrNotFound(err, "delivery")
		}
		under, err = deliveryIDs(ctx, tx, sql.Text(`
			select id from deliveries
			where event_id = $1 and webhook_id = $2 and (state in {open_deliveries} or (redelivers is not null and id >= $3))
			order by id desc limit 1`), event, webhook, schema.FirstID[schema.DeliveryID](s.Now().Add(-doubleClick)))
		if err != nil || len(under) > 0 {
			return nil, err
		}
		return []schema.DeliveryID{id}, nil
	})
	if err != nil {
		return schema.DeliveryRecord{}, db.Wrap(err, "sending a delivery again")
	}
	return s.Delivery(ctx, workspace, webhook, append(created, under...)[0])
}

// RedeliverFailed sends the events again whose last delivery to a webhook failed, of
// deliveries that were queued within a time, oldest first: at most MaxRedeliveries. It
// returns how many, and whether there are more.
func (s *Store) RedeliverFailed(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, since, until time.Time) (n int, more bool, err error) {
	created, err := s.redeliver(ctx, workspace, webhook, func(tx pgx.Tx) ([]schema.DeliveryID, error) {
		failed, err := deliveryIDs(ctx, tx, sql.Text(`
			select d.id from deliveries d
			where d.webhook_id = $1 and d.workspace_id = $2 and d.id >= $3 and d.id < $4 and d.state = {delivery_failed}
			  and not exists (
				select from deliveries o
				where o.event_id = d.event_id and o.webhook_id = d.webhook_id and (o.state <> {delivery_failed} or o.id > d.id))
			order by d.id limit $5`),
			webhook, workspace, schema.FirstID[schema.DeliveryID](since), schema.FirstID[schema.DeliveryID](until), schema.MaxRedeliveries+1)
		more = len(failed) > schema.MaxRedeliveries
		return failed[:min(len(failed), schema.MaxRedeliveries)], err
	})
	if err != nil {
		return 0, false, db.Wrap(err, "sending deliveries again")
	}
	return len(created), more, nil
}

func deliveryIDs(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]schema.DeliveryID, error) {
	rows, err := tx.Query(ctx, sql, args...)
	return db.Collect(rows, err, db.ScanID[schema.DeliveryID])
}

// redeliver makes new deliveries of those that choose names, while the webhook is locked:
// two requests do not choose the same.
func (s *Store) redeliver(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, choose func(pgx.Tx) ([]schema.DeliveryID, error)) ([]schema.DeliveryID, error) {
	var created []schema.DeliveryID
	var messages []schema.NotifyMessage
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if err := lockActive(ctx, tx, workspace, webhook); err != nil {
			return err
		}
		again, err := choose(tx)
		if err != nil || len(again) == 0 {
			return err
		}
		b := &pgx.Batch{}
		messages = tables.QueueRedeliveries(b, workspace, webhook, again, s.Now())
		for _, m := range messages {
			created = append(created, m.Delivery)
		}
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("webhook", webhook, ""), Changes: audit.Differences(
			people.Change{Field: "deliveries sent again", After: strconv.Itoa(len(created))},
		)})
		return tx.SendBatch(ctx, b).Close()
	})
	if err == nil {
		s.Announce(schema.Announcement{Notify: messages})
	}
	return created, err
}

// lockActive locks a webhook and refuses one that takes no deliveries.
func lockActive(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.WebhookID) error {
	var active bool
	var reason string
	err := tx.QueryRow(ctx, `
		select active, disabled_reason from webhooks where id = $1 and workspace_id = $2 for no key update`, id, workspace).Scan(&active, &reason)
	switch {
	case err != nil:
		return db.OrNotFound(err, "webhook")
	case active:
		return nil
	case reason != "":
		return tables.InvalidState("the webhook is disabled (" + reason + "); enable it with isActive true first")
	default:
		return tables.InvalidState("the webhook is paused; enable it with isActive true first")
	}
}
