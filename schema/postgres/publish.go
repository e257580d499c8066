package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Publish is the store of the publish stage.
type Publish struct {
	*Store
	finishes    *group[schema.Result]
	lost        *lostClaims[schema.TargetRef]
	constraints func(schema.Platform) schema.Constraints
}

const (
	finishBatch  = 512
	finishLinger = 4 * time.Millisecond
)

// NewPublish starts the committer of finishes; it ends with the store.
func NewPublish(s *Store, constraints func(schema.Platform) schema.Constraints) *Publish {
	p := &Publish{Store: s, constraints: constraints, lost: newLostClaims[schema.TargetRef]()}
	p.finishes = startGroup(s, &group[schema.Result]{
		work: "finish", max: finishBatch, linger: finishLinger, commit: p.commitFinishes,
	}, 1)
	return p
}

// Claim leases targets for one step each and so records that a visible call may follow.
// A target that is cancelled, finished, leased, not due yet or at another version is
// left out of the answer. Where an earlier claim of a visible call was left open, the
// step is StepFind. After an error it can be called again: what was claimed without this
// process hearing of it is claimed anew.
func (p *Publish) Claim(ctx context.Context, refs []schema.TargetRef) ([]schema.Delivery, error) {
	return claimHeard(p.lost, refs, p.Now, func(tokens []int64, again []bool) ([]schema.Delivery, error) {
		return p.claim(ctx, refs, tokens, again)
	})
}

func (p *Publish) claim(ctx context.Context, refs []schema.TargetRef, tokens []int64, again []bool) ([]schema.Delivery, error) {
	n := len(refs)
	posts, ns, versions := make([]schema.PostID, n), make([]int16, n), make([]int32, n)
	for i, r := range refs {
		posts[i], ns[i], versions[i] = r.Post, r.N, r.Version
	}
	batch := &pgx.Batch{}
	batch.Queue(anyHold)
	batch.Queue(`
		select from posts p join unnest($1::uuid[], $2::int[]) u (id, version) on p.id = u.id and p.version = u.version
		where p.status = $3 order by p.id for no key update of p`, posts, versions, int16(schema.Scheduled))
	begin, late := beginPosts, []any{}
	if p.holding.Load() {
		begin, late = beginPosts+` and `+hasFreeTarget, []any{p.late.String()}
	}
	batch.Queue(begin, append([]any{posts, versions, int16(schema.Processing), int16(schema.Scheduled)}, late...)...)
	batch.Queue(claimTargets, posts, ns, versions, p.node, schema.Lease.String(), schema.SettleTime.String(), schema.PrepareLease.String(), p.late.String(), tokens, again, p.clock.lease.latest(time.Now()))

	sent := time.Now()
	results := p.pool.SendBatch(ctx, batch)
	defer results.Close()
	holding, err := p.readHolding(results)
	if err != nil {
		return nil, fmt.Errorf("claiming targets: %w", unavailable(err))
	}
	for range 2 {
		if _, err := results.Exec(); err != nil {
			return nil, fmt.Errorf("claiming targets: %w", unavailable(err))
		}
	}
	rows, err := results.Query()
	claimed, err := collect(rows, err, p.scanClaim)
	if err != nil {
		return nil, fmt.Errorf("claiming targets: %w", unavailable(err))
	}
	if err := results.Close(); err != nil {
		return nil, fmt.Errorf("claiming targets: %w", unavailable(err))
	}
	if holding && len(claimed) < n {
		if err := p.parkPosts(ctx, posts); err != nil {
			return nil, fmt.Errorf("parking held posts: %w", unavailable(err))
		}
	}
	return claimed, p.arm(ctx, claimed, sent)
}

const beginPosts = `
	update posts p set status = $3, updated_at = now()
	from unnest($1::uuid[], $2::int[]) u (id, version)
	where p.id = u.id and p.version = u.version and p.status = $4`

// arm sets the deadline of claims that were sent at a time, and reads what a look-up must
// know.
func (s *Store) arm(ctx context.Context, claimed []schema.Delivery, sent time.Time) error {
	for i := range claimed {
		claimed[i].Deadline = sent.Add(schema.CallDeadline)
		if claimed[i].Step != schema.StepFind {
			continue
		}
		if err := s.addKnown(ctx, &claimed[i]); err != nil {
			return err
		}
	}
	return nil
}

// earlyBy is how much before its time a message may be claimed: no more than clocks
// and rounding differ, so that a job which fires on time is not put off.
const earlyBy = "100 milliseconds"

// claimTargets takes what is pending and due, or whose lease is over for a settle time, by
// the server's clock and by $11, or what it has taken already without an answer.
var claimTargets = `
	update targets t set
		state = 1, claim = t.claim + 1, node = $4, token = u.token, lease_until = now() + case when t.step = 0 then $7::interval else $5::interval end,
		step = case when t.state = 1 and t.step = 1 and not (u.again and t.token is not distinct from u.token) then 2 else t.step end,
		since = coalesce(t.since, case when t.step = 1 then now() end)
	from unnest($1::uuid[], $2::int2[], $3::int[], $9::int8[], $10::bool[]) u (post, n, version, token, again)
	join posts p on p.id = u.post and p.version = u.version
	join accounts a on true
	join workspaces w on w.id = a.workspace_id
	where t.post_id = u.post and t.n = u.n and t.version = u.version and a.id = t.account_id and p.status = 3
	  and ((t.state = 0 and coalesce(t.next_at, now()) <= now() + interval '` + earlyBy + `')
	    or (t.state = 1 and (t.lease_until + $6::interval < least(now(), $11) or (u.again and t.token = u.token))))
	  and not exists (select from holds h where h.subject = p.id)
	  and (not ` + pausedAccount + ` or coalesce(p.retried_for, p.scheduled_for) + $8::interval < now())
	returning ` + deliveryColumns + `, ` + pausedAccount

const deliveryColumns = `t.post_id, t.n, t.version, t.claim, t.step, t.entry, t.attempts, t.looked, t.since, t.progress, t.receipts, t.content,
		p.content, coalesce(p.retried_for, p.scheduled_for), ` + accountColumns

func (p *Publish) scanClaim(rows pgx.Rows, d *schema.Delivery) error {
	return p.scanDelivery(rows, d, &d.Paused)
}

// scanDelivery reads what a claim returns, and what the query returns beside it. Documents
// that cannot be read are the delivery's matter: its neighbours are claimed by now.
func (p *Publish) scanDelivery(rows pgx.Row, d *schema.Delivery, beside ...any) error {
	var since, due *time.Time
	var receipts, document []byte
	var own string
	a := &d.Account
	err := rows.Scan(append([]any{(*[16]byte)(&d.Ref.Post), &d.Ref.N, &d.Ref.Version, &d.Claim, &d.Step, &d.Entry, &d.Attempts, &d.Looked, &since,
		(*[]byte)(&d.Progress), &receipts, &own, &document, &due}, append(accountFields(a), beside...)...)...)
	if err != nil {
		return err
	}
	d.Workspace, d.Since, d.DueAt = a.Workspace, fromNull(since), fromNull(due)
	d.Unreadable = guard(func() error {
		var content schema.Content
		if err := decode("receipts of a target", receipts, &d.Receipts); err != nil {
			return err
		}
		if err := decode("content of a post", document, &content); err != nil {
			return err
		}
		d.Describe(content, own, p.constraints(a.Platform))
		return nil
	})
	return nil
}

// addKnown reads what other posts and comments of the account are known to have made
// since the call whose outcome is looked for: none of it is ours.
func (s *Store) addKnown(ctx context.Context, d *schema.Delivery) error {
	rows, err := s.pool.Query(ctx, `
		select r ->> 'id' from posts p
		join targets t on t.post_id = p.id and t.account_id = $2
		cross join json_array_elements(t.receipts) r
		where p.workspace_id = $1 and p.scheduled_for > $3::timestamptz - interval '26 hours'
		  and not (t.post_id = $4 and t.n = $5)
		union all
		select c.native_id from posts p
		join comments c on c.post_id = p.id and c.account_id = $2 and c.native_id <> ''
		where p.workspace_id = $1 and p.scheduled_for > $3::timestamptz - interval '26 hours'`,
		d.Workspace, d.Account.ID, d.Since, d.Ref.Post, d.Ref.N)
	known, err := collect(rows, err, func(rows pgx.Rows, id *string) error { return rows.Scan(id) })
	if err != nil {
		return fmt.Errorf("reading known posts: %w", unavailable(err))
	}
	d.Known = known
	return nil
}
