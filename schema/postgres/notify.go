package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
	"crier/schema/postgres/internal/tables"
)

// Notify is the store of the notify stage.
type Notify struct {
	*Store
	sealer   tables.Sealer
	lost     *lostClaims[schema.DeliveryID]
	finishes *groupcommit.Group[schema.NotifyResult]
}

// NewNotify starts the committer of finishes; it ends with the store.
func NewNotify(s *Store, sealer tables.Sealer) *Notify {
	n := &Notify{Store: s, sealer: sealer, lost: newLostClaims[schema.DeliveryID]()}
	n.finishes = groupcommit.Start(s.DB, &groupcommit.Group[schema.NotifyResult]{
		Work: "notify", Max: finishBatch, Linger: finishLinger, Commit: n.commitFinishes,
	}, 1)
	return n
}

// Expand makes the deliveries that batches of events ask for, each with its job, and
// takes notify's mark off the batches, in one transaction. Batches without the mark were
// expanded before.
func (n *Notify) Expand(ctx context.Context, batches []schema.EventBatch) ([]schema.NotifyMessage, error) {
	var messages []schema.NotifyMessage
	err := n.Later(ctx, func(tx pgx.Tx) error {
		events, err := unmark(ctx, tx, batches, schema.OwedNotify)
		if err != nil {
			return err
		}
		receivers, err := subscribers(ctx, tx, events)
		if err != nil || len(receivers) == 0 {
			return err
		}
		messages, err = n.insertDeliveries(ctx, tx, events, receivers)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("expanding events: %w", db.Unavailable(err))
	}
	return messages, nil
}

// unmark takes a mark off batches, deletes those nobody is owed any more, and returns
// the events of the batches that bore it.
func unmark(ctx context.Context, tx pgx.Tx, batches []schema.EventBatch, mark schema.Owed) ([]schema.Event, error) {
	ids := make([]schema.BatchID, len(batches))
	for i, b := range batches {
		ids[i] = b.ID
	}
	marked, err := tables.TakeMark(ctx, tx, ids, mark)
	if err != nil {
		return nil, err
	}
	var events []schema.Event
	for _, b := range batches {
		if slices.Contains(marked, b.ID) {
			events = append(events, b.Events...)
		}
	}
	return events, nil
}

// receiver is an active webhook with what it subscribes to.
type receiver struct {
	id        schema.WebhookID
	workspace schema.WorkspaceID
	events    []string
}

func subscribers(ctx context.Context, tx pgx.Tx, events []schema.Event) ([]receiver, error) {
	if len(events) == 0 {
		return nil, nil
	}
	seen := map[schema.WorkspaceID]bool{}
	var workspaces []schema.WorkspaceID
	for _, e := range events {
		if !seen[e.Workspace] {
			seen[e.Workspace] = true
			workspaces = append(workspaces, e.Workspace)
		}
	}
	rows, err := tx.Query(ctx, `
		select id, workspace_id, events from webhooks
		where workspace_id = any($1) and active and disabled_at is null order by id`, workspaces)
	return db.Collect(rows, err, func(row pgx.Row, r *receiver) error {
		return row.Scan((*[16]byte)(&r.id), (*[16]byte)(&r.workspace), &r.events)
	})
}

func (n *Notify) insertDeliveries(ctx context.Context, tx pgx.Tx, events []schema.Event, receivers []receiver) ([]schema.NotifyMessage, error) {
	now := n.Now()
	var rows deliveryRows
	for _, e := range events {
		for _, r := range receivers {
			if r.workspace == e.Workspace && slices.Contains(r.events, string(e.Type)) {
				rows.add(e, r, now)
			}
		}
	}
	if len(rows.ids) == 0 {
		return nil, nil
	}
	batch := &pgx.Batch{}
	rows.queue(batch, now)
	return rows.messages, tx.SendBatch(ctx, batch).Close()
}

type deliveryRows struct {
	ids        []schema.DeliveryID
	webhooks   []schema.WebhookID
	workspaces []schema.WorkspaceID
	eventIDs   []schema.EventID
	events     []string
	bodies     [][]byte
	messages   []schema.NotifyMessage
}

func (r *deliveryRows) add(e schema.Event, to receiver, now time.Time) {
	id := schema.NewDeliveryID(now)
	r.ids, r.webhooks, r.workspaces = append(r.ids, id), append(r.webhooks, to.id), append(r.workspaces, to.workspace)
	r.eventIDs, r.events = append(r.eventIDs, e.ID), append(r.events, string(e.Type))
	r.bodies = append(r.bodies, db.Encode(e.Payload()))
	r.messages = append(r.messages, schema.NotifyMessage{Delivery: id, Workspace: to.workspace, Webhook: to.id, Trace: e.Trace})
}

// queue adds the deliveries and their jobs. The first try is announced at once, so the
// job is due a visibility timeout later.
func (r *deliveryRows) queue(b *pgx.Batch, now time.Time) {
	insertDeliveries.Queue(b, pgx.StrictNamedArgs{
		"ids": r.ids, "webhooks": r.webhooks, "workspaces": r.workspaces, "event_ids": r.eventIDs, "events": r.events, "bodies": r.bodies,
	})
	tables.QueueNotifyJobs(b, r.messages, now)
}

var insertDeliveries = db.NewStatement(`
	insert into deliveries (id, webhook_id, workspace_id, event_id, event, body)
	select * from unnest(@ids::uuid[], @webhooks::uuid[], @workspaces::uuid[], @event_ids::uuid[], @events::text[], @bodies::bytea[])`)

// Claim leases deliveries for one try each. Those of a webhook that is paused or disabled
// end as failed, without counting against it; the jobs of deliveries that are done, or
// whose webhook is gone, are deleted. After an error it can be called again, as that of
// Publish.
func (n *Notify) Claim(ctx context.Context, ids []schema.DeliveryID) ([]schema.NotifyDelivery, error) {
	return claimHeard(n.lost, ids, n.Now, func(tokens []int64, again []bool) ([]schema.NotifyDelivery, error) {
		return n.claim(ctx, ids, tokens, again)
	})
}

func (n *Notify) claim(ctx context.Context, ids []schema.DeliveryID, tokens []int64, again []bool) ([]schema.NotifyDelivery, error) {
	var claimed []schema.NotifyDelivery
	batch := &pgx.Batch{}
	batch.Queue(failInactive, ids)
	batch.Queue(deleteDoneJobs, ids)
	claimDeliveries.Queue(batch, pgx.StrictNamedArgs{
		"ids": ids, "tokens": tokens, "again": again, "node": n.Node, "lease": schema.NotifyLease,
		"settle": time.Duration(0), "latest": n.Clock.Lease.Latest(time.Now()), // a request ends before its lease
	}).Query(func(rows pgx.Rows) (err error) {
		claimed, err = db.Collect(rows, nil, n.scanDelivery)
		return err
	})
	if err := n.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("claiming deliveries: %w", db.Unavailable(err))
	}
	return claimed, nil
}

const (
	failInactive = `
	update deliveries d set state = ` + tables.DeliveryFailed + `, lease_until = null, error = 'the webhook was not active'
	from webhooks w
	where d.id = any($1) and w.id = d.webhook_id and not w.active
	  and (d.state = ` + tables.DeliveryPending + ` or (d.state = ` + tables.DeliveryClaimed + ` and d.lease_until < now()))`
	deleteDoneJobs = `
	delete from jobs j where j.id = any($1) and not exists (
		select from deliveries d join webhooks w on w.id = d.webhook_id
		where d.id = j.id and d.state in ` + tables.OpenDeliveries + `)`
)

var claimDeliveries = db.NewStatement(`
	update deliveries d set state = ` + tables.DeliveryClaimed + `, claim = d.claim + 1, node = @node, token = u.token, lease_until = now() + @lease::interval
	from unnest(@ids::uuid[], @tokens::int8[], @again::bool[]) u (id, token, again), webhooks w
	where d.id = u.id and w.id = d.webhook_id and w.active
	  and ` + tables.Claimable("d") + `
	returning d.id, d.webhook_id, d.workspace_id, d.event_id, d.event, d.body, d.claim, d.attempts, w.url, w.secret,
		case when w.previous_until > now() then w.previous_secret end`)

func (n *Notify) scanDelivery(row pgx.Row, d *schema.NotifyDelivery) error {
	var secret, previous []byte
	err := row.Scan((*[16]byte)(&d.ID), (*[16]byte)(&d.Webhook), (*[16]byte)(&d.Workspace), (*[16]byte)(&d.EventID), &d.Event, &d.Body,
		&d.Claim, &d.Attempts, &d.URL, &secret, &previous)
	if err != nil {
		return err
	}
	w := schema.Webhook{ID: d.Webhook}
	d.Unreadable = db.Guard(func() error { return tables.OpenSecrets(n.sealer, &w, secret, previous) })
	d.Secrets = w.Secrets(n.Now())
	return nil
}

// Finish stores what a try came to, and moves its job on or deletes it.
func (n *Notify) Finish(ctx context.Context, r schema.NotifyResult) error {
	if err := n.finishes.Do(ctx, &r); err != nil {
		return fmt.Errorf("finishing a delivery: %w", db.Unavailable(err))
	}
	return nil
}

func (n *Notify) commitFinishes(ctx context.Context, batch []*schema.NotifyResult) error {
	var tries notifyRows
	for _, r := range batch {
		tries.add(r)
	}
	b := &pgx.Batch{}
	outcome := tries.queue(b)
	if err := n.Pool.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	n.Metrics.Disabled.Add(float64(outcome.disabled))
	n.Announce(schema.Announcement{Jobs: tables.Soon(outcome.moved, n.Now())})
	return nil
}

// disableAfter is how many deliveries in a row may fail before the webhook is disabled.
const disableAfter = 10

type notifyRows struct {
	ids      []schema.DeliveryID
	webhooks []schema.WebhookID
	claims   []int32
	states   []int16
	codes    []int16
	millis   []int32
	errors   []string
	next     []float64
	// responses are cut off by the stage.
	responses []string
}

func (r *notifyRows) add(v *schema.NotifyResult) {
	r.ids, r.webhooks, r.claims = append(r.ids, v.ID), append(r.webhooks, v.Webhook), append(r.claims, v.Claim)
	r.states, r.codes = append(r.states, int16(v.State)), append(r.codes, int16(v.ResponseCode))
	r.millis, r.errors = append(r.millis, int32(v.ResponseTime.Milliseconds())), append(r.errors, v.Error)
	r.next, r.responses = append(r.next, v.NextIn.Seconds()), append(r.responses, v.Response)
}

// notified is what came of a batch of tries.
type notified struct {
	disabled int          // webhooks
	moved    []schema.Job // of deliveries that go on
}

// queue adds the statements: the webhooks are counted before their deliveries change,
// each locked in order of id.
func (r *notifyRows) queue(b *pgx.Batch) *notified {
	var n notified
	b.Queue(`select from webhooks where id = any($1) order by id for no key update`, r.webhooks)
	finishDeliveries.Queue(b, pgx.StrictNamedArgs{
		"ids": r.ids, "claims": r.claims, "states": r.states, "codes": r.codes, "millis": r.millis, "errors": r.errors,
		"next": r.next, "responses": r.responses, "most": disableAfter,
	}).Query(func(rows pgx.Rows) error {
		var disabled bool
		_, err := pgx.ForEachRow(rows, []any{&disabled}, func() error {
			if disabled {
				n.disabled++
			}
			return nil
		})
		return err
	})
	b.Queue(`
		delete from jobs j using deliveries d
		where j.id = any($1) and d.id = j.id and d.state in `+tables.EndedDeliveries, r.ids)
	b.Queue(`
		update jobs j set due_at = d.next_at from deliveries d
		where j.id = any($1) and d.id = j.id and d.state = `+tables.DeliveryPending+`
		returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`, r.ids).Query(func(rows pgx.Rows) (err error) {
		n.moved, err = db.Collect(rows, nil, tables.ScanJob)
		return err
	})
	return &n
}

// finishDeliveries stores tries and counts them on their webhooks; it returns of each
// webhook that was counted whether that disabled it.
var finishDeliveries = db.NewStatement(`
	with taken as (
		update deliveries d set
			state = u.state, attempts = d.attempts + 1, lease_until = null, next_at = now() + u.next * interval '1 second',
			response_code = nullif(u.code, 0), response_ms = u.ms, error = u.error, response = u.response, delivered_at = now()
		from unnest(@ids::uuid[], @claims::int[], @states::int2[], @codes::int2[], @millis::int[], @errors::text[], @next::float8[], @responses::text[])
			u (id, claim, state, code, ms, error, next, response)
		where d.id = u.id and d.claim = u.claim and d.state = ` + tables.DeliveryClaimed + `
		returning d.webhook_id, d.state
	), counted as (
		select webhook_id, bool_or(state = ` + tables.DeliveryDelivered + `) delivered, count(*) filter (where state = ` + tables.DeliveryFailed + `) failed
		from taken group by webhook_id having bool_or(state in ` + tables.EndedDeliveries + `)
	)
	update webhooks w set
		last_delivered_at = case when c.delivered then now() else w.last_delivered_at end,
		consecutive_failures = case when c.delivered then 0 else w.consecutive_failures + c.failed end,
		active = w.active and (c.delivered or w.consecutive_failures + c.failed < @most),
		disabled_at = case when c.delivered or w.consecutive_failures + c.failed < @most then w.disabled_at else coalesce(w.disabled_at, now()) end,
		disabled_reason = case when c.delivered or w.consecutive_failures + c.failed < @most then w.disabled_reason else @most || ' deliveries in a row failed' end
	from counted c where w.id = c.webhook_id
	returning coalesce(w.disabled_at = now(), false)`)
