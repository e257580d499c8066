package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Notify is the store of the notify stage.
type Notify struct {
	*Store
	sealer   tables.Sealer
	lost     *lostClaims[schema.DeliveryID]
	finishes *groupcommit.Group[schema.NotifyResult]

	expansions *groupcommit.Group[expansion]
}

// NewNotify starts the committers of finishes and of expansions; they end with the store.
func NewNotify(s *Store, sealer tables.Sealer) *Notify {
	n := &Notify{Store: s, sealer: sealer, lost: newLostClaims[schema.DeliveryID]()}
	n.finishes = groupcommit.Start(s.DB, &groupcommit.Group[schema.NotifyResult]{
		Work: "notify", Max: finishBatch, Linger: finishLinger, Commit: n.commitFinishes,
	}, 1)
	n.expansions = groupcommit.Start(s.DB, &groupcommit.Group[expansion]{
		Work: "expand", Max: expandBatch, Weight: func(e *expansion) int { return len(e.batches) }, Linger: finishLinger, Commit: n.commitExpansions,
	}, 1)
	return n
}

// expansion is batches of events to be expanded, and what came of them.
type expansion struct {
	batches  []schema.EventBatch
	messages []schema.NotifyMessage
}

const (
	expandBatch = 512 // batches of events of a transaction
	// expandLimit is how many deliveries are made in a transaction, unless one batch of events asks
	// for more.
	expandLimit = 5000
)

// Expand makes the deliveries that batches of events ask for, each with its job, and takes notify's
// mark off the batches, in a transaction with those of other calls. Batches without the mark were
// expanded before. After an error some of them may be expanded.
func (n *Notify) Expand(ctx context.Context, batches []schema.EventBatch) ([]schema.NotifyMessage, error) {
	call := &expansion{batches: batches}
	err := n.expansions.Do(ctx, call)
	return call.messages, db.Wrap(err, "expanding events")
}

// commitExpansions expands what several calls ask for, in as many transactions as it takes.
func (n *Notify) commitExpansions(ctx context.Context, calls []*expansion) error {
	var batches []schema.EventBatch
	for _, c := range calls {
		batches = append(batches, c.batches...)
	}
	messages := map[schema.BatchID][]schema.NotifyMessage{}
	for len(batches) > 0 {
		expanded, err := n.expandSome(ctx, batches, messages)
		if err != nil {
			return err
		}
		batches = batches[expanded:]
	}
	for _, c := range calls {
		for _, b := range c.batches {
			c.messages = append(c.messages, messages[b.ID]...)
			delete(messages, b.ID) // another call may have it, too
		}
	}
	return nil
}

// expandSome expands the first of batches and returns how many these are. It does not wait for the
// disk: if the transaction is lost, the outbox sends again what is still marked.
func (n *Notify) expandSome(ctx context.Context, batches []schema.EventBatch, messages map[schema.BatchID][]schema.NotifyMessage) (expanded int, err error) {
	var rows deliveryRows
	err = n.OnConnection(ctx, func(conn *pgx.Conn) error {
		to, err := n.beginWithSubscribers(ctx, conn, batches)
		if err != nil {
			return err
		}
		expanded = to.fitting(batches)
		marked, err := unmark(ctx, conn, batches[:expanded], schema.OwedNotify)
		if err != nil {
			return err
		}
		rows = to.deliveries(marked, n.Now())
		b := &pgx.Batch{}
		rows.queue(b, n.Now())
		if n.SendsMail {
			tables.QueueMailNotes(b, marked, n.Now())
		}
		b.Queue("commit")
		return conn.SendBatch(ctx, b).Close()
	})
	if err == nil {
		maps.Copy(messages, rows.messages)
	}
	return expanded, err
}

// unmark removes a mark from batches, deletes those without any mark left, and returns
// the batches that had it, each once.
func unmark(ctx context.Context, q db.Querier, batches []schema.EventBatch, mark schema.Owed) ([]schema.EventBatch, error) {
	ids := lists.Map(batches, func(b schema.EventBatch) schema.BatchID { return b.ID })
	marked, err := tables.TakeMark(ctx, q, ids, mark)
	if err != nil {
		return nil, err
	}
	had := make(map[schema.BatchID]bool, len(marked))
	for _, id := range marked {
		had[id] = true
	}
	return slices.DeleteFunc(slices.Clone(batches), func(b schema.EventBatch) bool {
		first := had[b.ID]
		delete(had, b.ID)
		return !first
	}), nil
}

// receiver is a webhook with what it subscribes to. One that is not active was disabled:
// its deliveries are stored as failed, so that its owner can have them sent.
type receiver struct {
	id        schema.WebhookID
	workspace schema.WorkspaceID
	events    []string
	active    bool
}

// receivers are those of each workspace.
type receivers map[schema.WorkspaceID][]receiver

// of returns those that subscribe to an event.
func (r receivers) of(e schema.Event) (all []receiver) {
	for _, subscriber := range r[e.Workspace] {
		if slices.Contains(subscriber.events, string(e.Type)) {
			all = append(all, subscriber)
		}
	}
	return all
}

// fitting returns how many of the first batches ask for no more than expandLimit deliveries together:
// one at least.
func (r receivers) fitting(batches []schema.EventBatch) int {
	deliveries := 0
	for n, b := range batches {
		for _, e := range b.Events {
			deliveries += len(r.of(e))
		}
		if n > 0 && deliveries > expandLimit {
			return n
		}
	}
	return len(batches)
}

// beginWithSubscribers begins a transaction and returns the webhooks of the workspaces that events
// are of.
func (n *Notify) beginWithSubscribers(ctx context.Context, conn *pgx.Conn, batches []schema.EventBatch) (receivers, error) {
	workspaces := map[schema.WorkspaceID]bool{}
	for _, b := range batches {
		for _, e := range b.Events {
			workspaces[e.Workspace] = true
		}
	}
	var found []receiver
	b := &pgx.Batch{}
	b.Queue("begin")
	db.QueueAsync(b)
	b.Queue(`
		select id, workspace_id, events, active from webhooks
		where workspace_id = any($1) and (active or disabled_at > now() - $2::interval) order by id`, slices.Collect(maps.Keys(workspaces)), n.Keep.Deliveries.String()).
		Query(db.CollectInto(&found, func(row pgx.Row, r *receiver) error {
			return row.Scan((*[16]byte)(&r.id), (*[16]byte)(&r.workspace), &r.events, &r.active)
		}))
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if err := confirmDisabled(ctx, conn, found); err != nil {
		return nil, err
	}
	by := receivers{}
	for _, r := range found {
		by[r.workspace] = append(by[r.workspace], r)
	}
	return by, nil
}

// confirmDisabled locks the disabled webhooks, so that none is enabled before the
// deliveries it misses are stored: whoever enables one and has everything sent again
// misses nothing.
func confirmDisabled(ctx context.Context, q db.Querier, receivers []receiver) error {
	var disabled []schema.WebhookID
	for _, r := range receivers {
		if !r.active {
			disabled = append(disabled, r.id)
		}
	}
	if len(disabled) == 0 {
		return nil
	}
	rows, err := q.Query(ctx, `select id, active from webhooks where id = any($1) order by id for key share`, disabled)
	if err != nil {
		return err
	}
	var id schema.WebhookID
	var active bool
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&id), &active}, func() error {
		i := slices.IndexFunc(receivers, func(r receiver) bool { return r.id == id })
		receivers[i].active = active
		return nil
	})
	return err
}

// deliveries are those that events ask for.
func (r receivers) deliveries(batches []schema.EventBatch, now time.Time) deliveryRows {
	rows := deliveryRows{messages: map[schema.BatchID][]schema.NotifyMessage{}}
	for _, b := range batches {
		for _, e := range b.Events {
			for _, to := range r.of(e) {
				if m := rows.add(e, to, now); to.active {
					rows.messages[b.ID] = append(rows.messages[b.ID], m)
				}
			}
		}
	}
	return rows
}

type deliveryRows struct {
	ids        []schema.DeliveryID
	webhooks   []schema.WebhookID
	workspaces []schema.WorkspaceID
	eventIDs   []schema.EventID
	events     []string
	bodies     [][]byte
	states     []int16
	messages   map[schema.BatchID][]schema.NotifyMessage // to those that are active
}

func (r *deliveryRows) add(e schema.Event, to receiver, now time.Time) schema.NotifyMessage {
	id := schema.NewID[schema.DeliveryID](now)
	r.ids, r.webhooks, r.workspaces = append(r.ids, id), append(r.webhooks, to.id), append(r.workspaces, to.workspace)
	r.eventIDs, r.events = append(r.eventIDs, e.ID), append(r.events, string(e.Type))
	r.bodies = append(r.bodies, db.Encode(e.Payload()))
	state := schema.DeliveryPending
	if !to.active {
		state = schema.DeliveryFailed
	}
	r.states = append(r.states, int16(state))
	return schema.NotifyMessage{Delivery: id, Workspace: to.workspace, Webhook: to.id, Trace: e.Trace}
}

// queue adds the statements that store the deliveries with their jobs. The first try is announced at
// once, so the job is due a visibility timeout later.
func (r *deliveryRows) queue(b *pgx.Batch, now time.Time) {
	if len(r.ids) == 0 {
		return
	}
	insertDeliveries.Queue(b, pgx.StrictNamedArgs{
		"ids": r.ids, "webhooks": r.webhooks, "workspaces": r.workspaces, "event_ids": r.eventIDs, "events": r.events, "bodies": r.bodies,
		"states": r.states,
	})
	var messages []schema.NotifyMessage
	for _, of := range r.messages {
		messages = append(messages, of...)
	}
	tables.QueueNotifyJobs(b, messages, now)
}

var insertDeliveries = db.NewStatement(`
	insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, error)
	select u.*, case when u.state = {delivery_failed} then 'the webhook was not active' else '' end
	from unnest(@ids::uuid[], @webhooks::uuid[], @workspaces::uuid[], @event_ids::uuid[], @events::text[], @bodies::bytea[], @states::int2[])
		u (id, webhook, workspace, event_id, event, body, state)`)

// Claim leases deliveries for one try each. Those of a webhook that is paused or disabled
// end as failed, without counting against it; the jobs of deliveries that are done, or
// whose webhook is gone, are deleted. After an error it can be called again, as that of
// Publish. It does not wait for the disk: after a crash of the server a delivery is tried once more,
// as after one of this process, by the id that stays. It locks in the order of ids, as tables.DeleteDeliveries.
func (n *Notify) Claim(ctx context.Context, ids []schema.DeliveryID) ([]schema.NotifyDelivery, error) {
	ids = slices.SortedFunc(slices.Values(ids), schema.DeliveryID.Compare)
	return claimRemembering(n.lost, ids, n.Now, func(tokens []int64, takeovers []bool) ([]schema.NotifyDelivery, error) {
		return n.claim(ctx, ids, tokens, takeovers)
	})
}

func (n *Notify) claim(ctx context.Context, ids []schema.DeliveryID, tokens []int64, takeovers []bool) ([]schema.NotifyDelivery, error) {
	var claimed []schema.NotifyDelivery
	batch := &pgx.Batch{}
	db.QueueAsync(batch)
	claimDeliveries.Queue(batch, pgx.StrictNamedArgs{
		"ids": ids, "tokens": tokens, "takeovers": takeovers, "node": n.Node, "lease": schema.NotifyLease,
		"settle": time.Duration(0), "due": n.Clock.Due.Latest(time.Now()), "latest": n.Clock.Lease.Latest(time.Now()), // a request ends before its lease
	}).Query(db.CollectInto(&claimed, n.scanDelivery))
	if err := n.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, db.Wrap(err, "claiming deliveries")
	}
	if len(claimed) < len(ids) {
		n.endUnclaimed(ctx, ids)
	}
	return claimed, nil
}

// endWithin is how long ending may take: the leases of what was claimed run.
const endWithin = 2 * time.Second

// endUnclaimed ends those of the deliveries that no claim will take, and drops the jobs of what has
// ended. It locks as tables.DeleteDeliveries does; the locks of webhooks keep them from being enabled
// until their deliveries have ended: see confirmDisabled. Where it fails their jobs fire once more.
func (n *Notify) endUnclaimed(ctx context.Context, ids []schema.DeliveryID) {
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	batch := &pgx.Batch{}
	db.QueueAsync(batch)
	batch.Queue(`select from webhooks where id = any(array(select webhook_id from deliveries where id = any($1))) and not active order by id for key share`, ids)
	batch.Queue(`
		select from deliveries d where id = any($1) and not exists (select from webhooks w where w.id = d.webhook_id and w.active)
		order by id for update`, ids)
	batch.Queue(failInactive, ids)
	batch.Queue(deleteOrphans, ids)
	batch.Queue(deleteDoneJobs, ids)
	if err := n.Pool.SendBatch(ctx, batch).Close(); err != nil {
		n.Log.WarnContext(ctx, "ending deliveries that cannot be claimed failed; their jobs fire once more", "err", err)
	}
}

var (
	failInactive = sql.Text(`
	update deliveries d set state = {delivery_failed}, lease_until = null, error = 'the webhook was not active'
	from webhooks w
	where d.id = any($1) and w.id = d.webhook_id and not w.active
	  and (d.state = {delivery_pending} or (d.state = {delivery_claimed} and d.lease_until < now()))`)
	// A webhook may have been deleted while deliveries to it were being made.
	deleteOrphans = `
	delete from deliveries d where d.id = any($1) and not exists (select from webhooks w where w.id = d.webhook_id)`
	deleteDoneJobs = sql.Text(`
	with done as materialized (
		select id from jobs j where j.id = any($1) and not exists (
			select from deliveries d join webhooks w on w.id = d.webhook_id
			where d.id = j.id and d.state in {open_deliveries})
		order by id for update
	)
	delete from jobs j using done where j.id = done.id`)
)

var claimDeliveries = db.NewStatement(`
	update deliveries d set state = {delivery_claimed}, claim = d.claim + 1, node = @node, token = u.token, lease_until = now() + @lease::interval
	from unnest(@ids::uuid[], @tokens::int8[], @takeovers::bool[]) u (id, token, takeover), webhooks w
	where d.id = u.id and w.id = d.webhook_id and w.active
	  and {claimable(d)}
	returning d.id, d.webhook_id, d.workspace_id, d.event_id, d.event, d.body, d.claim, d.attempts, d.redelivers is not null, w.enablings, w.url, w.secret,
		case when w.previous_until > now() then w.previous_secret end`)

func (n *Notify) scanDelivery(row pgx.Row, d *schema.NotifyDelivery) error {
	var secret, previous []byte
	err := row.Scan((*[16]byte)(&d.ID), (*[16]byte)(&d.Webhook), (*[16]byte)(&d.Workspace), (*[16]byte)(&d.EventID), &d.Event, &d.Body,
		&d.Claim, &d.Attempts, &d.Again, &d.Enablings, &d.URL, &secret, &previous)
	if err != nil {
		return err
	}
	w := schema.Webhook{ID: d.Webhook}
	d.Unreadable = guard.Do(func() error { return tables.OpenSecrets(n.sealer, &w, secret, previous) })
	d.Secrets = w.Secrets(n.Now())
	return nil
}
