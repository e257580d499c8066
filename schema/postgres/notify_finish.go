package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// commitFinishes stores the tries of a batch in one transaction, with their facts and events
// about the webhooks that they disabled. A try whose claim another has followed changes
// nothing, but was made: it is a fact too.
func (n *Notify) commitFinishes(ctx context.Context, batch []*schema.NotifyResult) error {
	var facts []schema.Event
	for _, r := range batch {
		if r.Fact.Type != "" {
			facts = append(facts, r.Fact)
		}
	}
	var outcome *notified
	var encoded []schema.EncodedEvents
	err := n.OnConnection(ctx, func(conn *pgx.Conn) error {
		b := &pgx.Batch{}
		b.Queue("begin")
		db.QueueGenericPlans(b)
		outcome = queueTries(b, byDelivery(batch))
		encoded = tables.QueueFacts(b, facts, n.Now())
		if err := conn.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		b = &pgx.Batch{}
		encoded = append(encoded, tables.QueueEvents(b, outcome.events(n.Store), n.Now())...)
		for _, w := range outcome.disabled {
			audit.Queue(audit.BySystem(ctx, "webhook.disable"), b, n.Now(), audit.Entry{
				Workspace: w.Workspace, Subject: audit.Of("webhook", w.ID, audit.Address(w.URL)), Changes: []people.Change{{Field: "reason", After: w.DisabledReason}},
			})
		}
		b.Queue("commit")
		return conn.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return err
	}
	n.Metrics.Disabled.Add(float64(len(outcome.disabled)))
	for _, w := range outcome.disabled {
		n.Log.WarnContext(ctx, "a webhook is disabled", "webhook", w.ID.String(), "workspace", w.Workspace.String(), "reason", w.DisabledReason)
	}
	n.Announce(schema.Announcement{Jobs: tables.Soon(outcome.moved, n.Now()), Events: encoded})
	return nil
}

// numbered is a try with its place in the order in which they came.
type numbered struct {
	*schema.NotifyResult
	place int32
}

// byDelivery returns tries in the order of their deliveries' ids.
func byDelivery(batch []*schema.NotifyResult) []numbered {
	tries := make([]numbered, len(batch))
	for i, r := range batch {
		tries[i] = numbered{r, int32(i)}
	}
	slices.SortFunc(tries, func(a, b numbered) int { return a.ID.Compare(b.ID) })
	return tries
}

// notified is the effect of a batch of tries.
type notified struct {
	disabled []schema.Webhook
	moved    []schema.Job // of deliveries that go on
}

func (n *notified) events(s *Store) []schema.Event {
	now := s.Now()
	events := make([]schema.Event, len(n.disabled))
	for i := range n.disabled {
		w := &n.disabled[i]
		events[i] = schema.Event{
			ID: schema.NewID[schema.EventID](now), Type: schema.WebhookDisabled, Workspace: w.Workspace, At: now,
			Data: db.Encode(schema.WebhookData{Webhook: w.Summary()}),
		}
	}
	return events
}

// queue adds the statements, which lock as tables.DeleteDeliveries does: the webhooks, on which is
// counted before their deliveries change, then deliveries, then jobs, each in the order of ids.
func queueTries(b *pgx.Batch, tries []numbered) *notified {
	var n notified
	ids := lists.Map(tries, func(t numbered) schema.DeliveryID { return t.ID })
	b.Queue(`select from webhooks where id = any($1) order by id for no key update`,
		lists.Map(tries, func(t numbered) schema.WebhookID { return t.Webhook }))
	finishDeliveries.Queue(b, pgx.StrictNamedArgs{
		"places":    lists.Map(tries, func(t numbered) int32 { return t.place }),
		"ids":       ids,
		"claims":    lists.Map(tries, func(t numbered) int32 { return t.Claim }),
		"enablings": lists.Map(tries, func(t numbered) int32 { return t.Enablings }),
		"states":    lists.Map(tries, func(t numbered) int16 { return int16(t.State) }),
		"codes":     lists.Map(tries, func(t numbered) int16 { return int16(t.ResponseCode) }),
		"millis":    lists.Map(tries, func(t numbered) int32 { return int32(t.ResponseTime.Milliseconds()) }),
		"errors":    lists.Map(tries, func(t numbered) string { return t.Error }),
		"next":      lists.Map(tries, func(t numbered) float64 { return t.NextIn.Seconds() }),
		"responses": lists.Map(tries, func(t numbered) string { return t.Response }), // shortened by the stage
		"most":      disableAfter,
	}).Query(db.CollectInto(&n.disabled, scanDisabled))
	b.Queue(sql.Text(`
		delete from jobs j using deliveries d
		where j.id = any($1) and d.id = j.id and d.state in {ended_deliveries}`), ids)
	if slices.ContainsFunc(tries, func(t numbered) bool { return t.State == schema.DeliveryPending }) {
		b.Queue(sql.Text(`
			update jobs j set due_at = d.next_at from deliveries d
			where j.id = any($1) and d.id = j.id and d.state = {delivery_pending}
			returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`), ids).Query(db.CollectInto(&n.moved, tables.ScanJob))
	}
	return &n
}

// disableAfter is how many deliveries in a row may fail before the webhook is disabled.
const disableAfter = 10

// finishDeliveries stores tries, counts the deliveries that ended on their webhooks, in
// the order in which they came, and returns the webhooks that this disabled. The failure
// that disables a webhook is the last that counts: later ends change nothing on it, nor
// does a try that began before the webhook was enabled, by its count of enablings.
var finishDeliveries = db.NewStatement(`
	with taken as (
		update deliveries d set
			state = u.state, attempts = d.attempts + 1, lease_until = null, next_at = now() + u.next * interval '1 second',
			response_code = nullif(u.code, 0), response_ms = u.ms, error = u.error, response = u.response, delivered_at = now()
		from unnest(@places::int[], @ids::uuid[], @claims::int[], @enablings::int[], @states::int2[], @codes::int2[], @millis::int[], @errors::text[], @next::float8[], @responses::text[])
			u (n, id, claim, enablings, state, code, ms, error, next, response)
		where d.id = u.id and d.claim = u.claim and d.state = {delivery_claimed}
		returning d.webhook_id, d.state, u.enablings, u.n
	), ended as (
		select t.webhook_id, t.n, t.state = {delivery_delivered} ok, w.consecutive_failures before,
			count(*) filter (where t.state = {delivery_delivered}) over (partition by t.webhook_id order by t.n) run
		from taken t join webhooks w on w.id = t.webhook_id
		where t.state in {ended_deliveries} and w.active and w.enablings = t.enablings
	), counted as (
		select webhook_id, n, ok,
			case when run = 0 then before else 0 end + count(*) filter (where not ok) over (partition by webhook_id, run order by n) failures
		from ended
	), reached as (
		select *, min(n) filter (where failures >= @most::int) over (partition by webhook_id) as disabling from counted
	), outcome as (
		select webhook_id, bool_or(ok) delivered, (array_agg(failures order by n desc))[1] failures
		from reached where disabling is null or n <= disabling group by webhook_id
	), stored as (
		update webhooks w set
			last_delivered_at = case when o.delivered then now() else w.last_delivered_at end,
			consecutive_failures = o.failures, active = o.failures < @most::int,
			disabled_at = case when o.failures >= @most::int then now() end,
			disabled_reason = case when o.failures >= @most::int then @most::int || ' deliveries in a row failed' else '' end
		from outcome o where w.id = o.webhook_id
		returning w.*
	)
	select id, workspace_id, url, events, consecutive_failures, disabled_at, disabled_reason from stored where not active`)

func scanDisabled(row pgx.Row, w *schema.Webhook) error {
	var events []string
	err := row.Scan((*[16]byte)(&w.ID), (*[16]byte)(&w.Workspace), &w.URL, &events, &w.ConsecutiveFailures, &w.DisabledAt, &w.DisabledReason)
	for _, e := range events {
		w.Events = append(w.Events, schema.EventType(e))
	}
	return err
}

// Finish stores the result of a try, and moves its job on or deletes it.
func (n *Notify) Finish(ctx context.Context, r schema.NotifyResult) error {
	return db.Wrap(n.finishes.Do(ctx, &r), "finishing a delivery")
}
