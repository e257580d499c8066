package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
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
	tries := triesOf(batch)
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
		outcome = tries.queue(b)
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

// notifyRows are tries in the order of their deliveries' ids.
type notifyRows struct {
	places    []int32 // in the order in which they came
	ids       []schema.DeliveryID
	webhooks  []schema.WebhookID
	claims    []int32
	enablings []int32
	states    []int16
	codes     []int16
	millis    []int32
	errors    []string
	next      []float64
	// responses were shortened by the stage.
	responses []string
}

func triesOf(batch []*schema.NotifyResult) (r notifyRows) {
	for i := range batch {
		r.places = append(r.places, int32(i))
	}
	slices.SortFunc(r.places, func(a, b int32) int { return batch[a].ID.Compare(batch[b].ID) })
	for _, i := range r.places {
		r.add(batch[i])
	}
	return r
}

func (r *notifyRows) add(v *schema.NotifyResult) {
	r.ids, r.webhooks, r.claims = append(r.ids, v.ID), append(r.webhooks, v.Webhook), append(r.claims, v.Claim)
	r.enablings = append(r.enablings, v.Enablings)
	r.states, r.codes = append(r.states, int16(v.State)), append(r.codes, int16(v.ResponseCode))
	r.millis, r.errors = append(r.millis, int32(v.ResponseTime.Milliseconds())), append(r.errors, v.Error)
	r.next, r.responses = append(r.next, v.NextIn.Seconds()), append(r.responses, v.Response)
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
func (r *notifyRows) queue(b *pgx.Batch) *notified {
	var n notified
	b.Queue(`select from webhooks where id = any($1) order by id for no key update`, r.webhooks)
	finishDeliveries.Queue(b, pgx.StrictNamedArgs{
		"places": r.places, "ids": r.ids, "claims": r.claims, "enablings": r.enablings, "states": r.states, "codes": r.codes, "millis": r.millis, "errors": r.errors,
		"next": r.next, "responses": r.responses, "most": disableAfter,
	}).Query(db.CollectInto(&n.disabled, scanDisabled))
	b.Queue(sql.Text(`
		delete from jobs j using deliveries d
		where j.id = any($1) and d.id = j.id and d.state in {ended_deliveries}`), r.ids)
	if slices.Contains(r.states, int16(schema.DeliveryPending)) {
		b.Queue(sql.Text(`
			update jobs j set due_at = d.next_at from deliveries d
			where j.id = any($1) and d.id = j.id and d.state = {delivery_pending}
			returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`), r.ids).Query(db.CollectInto(&n.moved, tables.ScanJob))
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
