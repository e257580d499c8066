package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
	"crier/schema/postgres/internal/tables"
)

// Publish is the store of the publish stage.
type Publish struct {
	*Store
	finishes    *groupcommit.Group[schema.Result]
	lost        *lostClaims[schema.TargetRef]
	constraints func(schema.Platform) schema.Constraints
}

const (
	finishBatch  = 512
	finishLinger = 12 * time.Millisecond
)

// NewPublish starts the committer of finishes; it ends with the store.
func NewPublish(s *Store, constraints func(schema.Platform) schema.Constraints) *Publish {
	p := &Publish{Store: s, constraints: constraints, lost: newLostClaims[schema.TargetRef]()}
	p.finishes = groupcommit.Start(s.DB, &groupcommit.Group[schema.Result]{
		Work: "finish", Max: finishBatch, Linger: finishLinger, Commit: p.commitFinishes,
	}, 1)
	return p
}

// Claim leases targets for one step each and so records that a visible call may follow. A
// target that is cancelled, finished, leased, not due yet or at another version is left
// out of the answer. Where an earlier claim of a visible call was left open, the step is
// StepFind. After an error it can be called again: a claim whose answer was lost is taken
// over.
func (p *Publish) Claim(ctx context.Context, refs []schema.TargetRef) ([]schema.Delivery, error) {
	return claimRemembering(p.lost, refs, p.Now, func(tokens []int64, takeovers []bool) ([]schema.Delivery, error) {
		return p.claim(ctx, refs, tokens, takeovers)
	})
}

func (p *Publish) claim(ctx context.Context, refs []schema.TargetRef, tokens []int64, takeovers []bool) ([]schema.Delivery, error) {
	posts, ns, versions := columnsOf(refs)
	var claimed []schema.Delivery
	batch := &pgx.Batch{}
	db.QueueGenericPlans(batch)
	lockScheduled.Queue(batch, pgx.StrictNamedArgs{"posts": posts, "versions": versions})
	beginPosts.Queue(batch, pgx.StrictNamedArgs{"posts": posts, "ns": ns, "versions": versions, "late": p.Late, "due": p.Clock.Due.Latest(time.Now())})
	claimTargets.Queue(batch, pgx.StrictNamedArgs{
		"posts": posts, "ns": ns, "versions": versions, "tokens": tokens, "takeovers": takeovers, "node": p.Node,
		"lease": schema.Lease, "prepare_lease": schema.PrepareLease, "settle": schema.SettleTime, "late": p.Late,
		"latest": p.Clock.Lease.Latest(time.Now()), "due": p.Clock.Due.Latest(time.Now()),
	}).Query(db.CollectInto(&claimed, p.scanClaim))
	sent := time.Now()
	if err := p.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, db.Wrap(err, "claiming targets")
	}
	if len(claimed) < len(refs) {
		left, _, _ := columnsOf(unclaimed(refs, claimed, func(d *schema.Delivery) schema.TargetRef { return d.Ref }))
		if _, err := p.parkPosts(ctx, left); err != nil {
			return nil, db.Wrap(err, "parking held posts")
		}
	}
	arm(claimed, sent)
	return claimed, nil
}

// unclaimed returns what of a claim's work was left out of its answer: what is held is.
func unclaimed[R comparable](work []R, claimed []schema.Delivery, of func(*schema.Delivery) R) []R {
	taken := make(map[R]bool, len(claimed))
	for i := range claimed {
		taken[of(&claimed[i])] = true
	}
	return slices.DeleteFunc(slices.Clone(work), func(w R) bool { return taken[w] })
}

// arm sets the deadlines of claims that were sent at a time.
func arm(claimed []schema.Delivery, sent time.Time) {
	for i := range claimed {
		claimed[i].Deadline = sent.Add(schema.CallDeadline)
	}
}

// lockScheduled locks the posts of a claim in the order of their ids, since claims of several would wait for each other
// otherwise. One alone is locked too: beginPosts would judge by what it saw before it waited for whoever postpones the
// post.
var lockScheduled = db.NewStatement(`
	select from posts p join unnest(@posts::uuid[], @versions::int[]) u (id, version) on p.id = u.id and p.version = u.version
	where p.status = {post_scheduled} order by p.id for no key update of p`)

// beginPosts begins posts. One stays scheduled, and can be edited and cancelled, where the claim asks only for targets
// that wait, or all of it is held.
var beginPosts = db.NewStatement(`
	update posts p set status = {post_processing}, updated_at = now()
	from unnest(@posts::uuid[], @ns::int2[], @versions::int[]) u (id, n, version)
	where p.id = u.id and p.version = u.version and p.status = {post_scheduled}
	  and exists (select from targets t where t.post_id = u.id and t.n = u.n and (t.state <> {target_pending} or {is_due(t)}))
	  and ((select not exists (select from holds)) or (not {reviewed(p.id, p.id)}
		and exists (select from targets t where t.post_id = p.id and t.state in {open_targets}
			and (not {paused(p.workspace_id, t.account_id, t.platform)} or coalesce(p.retried_for, p.scheduled_for) + @late::interval < now()))))`)

// claimTargets takes what is claimable.
var claimTargets = db.NewStatement(`
	update targets t set
		state = {target_claimed}, claim = t.claim + 1, node = @node, token = u.token,
		lease_until = now() + case when t.step = {step_prepare} then @prepare_lease::interval else @lease::interval end,
		step = {step_of_claim(t)},
		since = coalesce(t.since, case when t.step = {step_publish} then now() end)
	from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @tokens::int8[], @takeovers::bool[]) u (post, n, version, token, takeover)
	join posts p on p.id = u.post and p.version = u.version
	join accounts a on true
	join workspaces w on w.id = a.workspace_id
	where t.post_id = u.post and t.n = u.n and t.version = u.version and a.id = t.account_id and p.status = {post_processing}
	  and {claimable(t)}
	  and ((select not exists (select from holds)) or (not {reviewed(p.id, p.id)}
	    and (not {paused(p.workspace_id, a.id, a.platform)} or coalesce(p.retried_for, p.scheduled_for) + @late::interval < now())))
	returning {delivery_columns}, {paused(p.workspace_id, a.id, a.platform)}`)

func (p *Publish) scanClaim(row pgx.Row, d *schema.Delivery) error {
	return p.scanDelivery(row, d, &d.Paused)
}

// scanDelivery reads a row of a claim, with further columns of its query. A document that
// cannot be read is noted in the delivery, since the others of the batch are claimed by
// now.
func (p *Publish) scanDelivery(row pgx.Row, d *schema.Delivery, beside ...any) error {
	var failure, receipts, document []byte
	var own string
	a := &d.Account
	err := row.Scan(append([]any{(*[16]byte)(&d.Ref.Post), &d.Ref.N, &d.Ref.Version, &d.Claim, &d.Step, &d.Entry, &d.Attempts, &d.FindAttempts, db.OrZero(&d.Since),
		(*[]byte)(&d.Progress), &failure, &receipts, &d.Unsettled, &d.AcceptDuplicate, &own, &document, db.OrZero(&d.DueAt), &d.Restored}, append(tables.AccountFields(a), beside...)...)...)
	if err != nil {
		return err
	}
	d.Workspace = a.Workspace
	d.Unreadable = guard.Do(func() error {
		var content schema.Content
		if err := db.Decode("error of a target", failure, &d.Error); err != nil {
			return err
		}
		if d.Error != nil {
			d.Lost = d.Error.Lost
		}
		if err := db.Decode("receipts of a target", receipts, &d.Receipts); err != nil {
			return err
		}
		if err := db.Decode("content of a post", document, &content); err != nil {
			return err
		}
		d.Describe(content, own, p.constraints(a.Platform))
		return nil
	})
	return nil
}
