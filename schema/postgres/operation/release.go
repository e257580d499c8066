package operation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Unreleased is a post that stays under review, and why.
type Unreleased struct {
	Post   schema.PostID
	Reason *schema.Error
}

// Release lets posts under review go out, as if they were due now; all of them where ids
// is empty. A target goes out today, so it takes a unit of today's cap instead of that of
// the day it was scheduled for. A post that today has no room for is kept under review.
// It works batch by batch, those created first before others, and returns how many are
// released, after an error too.
func (a *Admin) Release(ctx context.Context, ids []schema.PostID, constraints func(schema.Platform) schema.Constraints) (released int, unreleased []Unreleased, err error) {
	var last schema.PostID
	for {
		r, err := a.releaseBatch(ctx, ids, last, constraints)
		if err != nil || len(r.posts) == 0 {
			return released, unreleased, err
		}
		released += len(r.posts) - len(r.unreleased)
		unreleased = append(unreleased, r.unreleased...)
		last = r.posts[len(r.posts)-1]
	}
}

// release is one batch of posts under review, in the order of their ids.
type release struct {
	posts      []schema.PostID
	demands    map[schema.PostID]*tables.Demand
	moved      tables.Charges
	unreleased []Unreleased
}

func (a *Admin) releaseBatch(ctx context.Context, ids []schema.PostID, after schema.PostID, constraints func(schema.Platform) schema.Constraints) (r release, err error) {
	for range tables.MaxRefusals {
		err = pgx.BeginFunc(ctx, a.Pool, func(tx pgx.Tx) (err error) {
			r, err = a.tryRelease(ctx, tx, ids, after, constraints)
			return err
		})
		if !tables.IsFull(err) {
			break
		}
		err = tables.Crowded() // others took the last units since they were counted
	}
	return r, db.Wrap(err, "releasing posts")
}

func (a *Admin) tryRelease(ctx context.Context, tx pgx.Tx, ids []schema.PostID, after schema.PostID, constraints func(schema.Platform) schema.Constraints) (r release, err error) {
	if r.posts, err = a.lockReviewed(ctx, tx, ids, after); err != nil || len(r.posts) == 0 {
		return r, err
	}
	b := &pgx.Batch{}
	going, err := a.queueRelease(ctx, tx, b, &r, constraints)
	if err != nil {
		return r, err
	}
	b.Queue(`delete from holds where kind = $1 and subject = any($2)`, int16(schema.UnderReview), going)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return r, err
	}
	return r, a.tellNumber(ctx, tx, "posts", len(going))
}

// queueRelease chooses those posts of a release that today has room for, and adds the statements by which
// they go out: what is past its time now, what is due later when it is due.
func (a *Admin) queueRelease(ctx context.Context, tx pgx.Tx, b *pgx.Batch, r *release, constraints func(schema.Platform) schema.Constraints) (going []schema.PostID, err error) {
	now := a.Now()
	if err := r.readDemands(ctx, tx, schema.DayOf(now), constraints); err != nil {
		return nil, err
	}
	if going, err = r.choose(ctx, tx, now); err != nil {
		return nil, err
	}
	b.Queue(sql.Text(`
		update posts set retried_for = now()
		where id = any($1) and status in {open_posts} and coalesce(retried_for, scheduled_for) < now()`), going)
	b.Queue(sql.Text(`update targets set charged_on = $2 where post_id = any($1) and state in {open_targets} and charged_on < $2`), going, schema.DayOf(now))
	b.Queue(sql.Text(`
		with parked as (
			select id from jobs
			where (id = any($1) or id in (select id from comments where post_id = any($1) and state in {open_comments}))
			  and overdue_since is not null and held
			order by id for update
		)
		update jobs j set due_at = now(), held = false from parked where j.id = parked.id`), going)
	r.moved.Queue(b)
	return going, nil
}

// readDemands finds what the open targets take of today, and what they give back of the day
// they were scheduled for: nothing where something of them is on the platform, or may be.
func (r *release) readDemands(ctx context.Context, tx pgx.Tx, today time.Time, constraints func(schema.Platform) schema.Constraints) error {
	type open struct {
		tables.TargetRow
		gives bool
	}
	rows, err := tx.Query(ctx, sql.Text(`
		select post_id, n, account_id, platform, charged_on,
			state = {target_pending} and json_array_length(receipts) = 0 and unsettled = 0 and coalesce(error ->> 'code', '') <> $3
		from targets where post_id = any($1) and state in {open_targets} and charged_on < $2 order by post_id, n`),
		r.posts, today, schema.CodeOutcomeUnknown)
	targets, err := db.Collect(rows, err, func(row pgx.Row, t *open) error {
		return row.Scan((*[16]byte)(&t.Post), &t.N, (*[16]byte)(&t.Account), &t.Platform, &t.ChargedOn, &t.gives)
	})
	if err != nil {
		return err
	}
	r.demands = map[schema.PostID]*tables.Demand{}
	for _, t := range targets {
		d := r.demands[t.Post]
		if d == nil {
			d = &tables.Demand{Post: &schema.Post{ID: t.Post}}
			r.demands[t.Post] = d
		}
		d.Post.Targets = append(d.Post.Targets, t.Target)
		d.Charges = append(d.Charges, tables.ChargeDay(t.Account, today, constraints(t.Platform).DailyCap))
		if t.gives {
			d.Refunds = append(d.Refunds, tables.RefundDay(t.Account, t.ChargedOn))
		}
	}
	return nil
}

// choose returns the posts that today has room for, in their order, and notes why the
// others stay.
func (r *release) choose(ctx context.Context, tx pgx.Tx, now time.Time) (going []schema.PostID, err error) {
	demands := make([]*tables.Demand, 0, len(r.demands))
	for _, d := range r.demands {
		demands = append(demands, d)
	}
	used, err := tables.ReadUsed(ctx, tx, tables.KeysOf(demands))
	if err != nil {
		return nil, err
	}
	r.moved = tables.Charges{}
	short := map[schema.PostID][]tables.Shortage{}
	var full []tables.Charge
	for _, id := range r.posts {
		d := r.demands[id]
		if d == nil {
			going = append(going, id)
			continue
		}
		if missing := d.Take(used); len(missing) > 0 {
			short[id] = missing
			for _, s := range missing {
				full = append(full, s.Charge)
			}
			continue
		}
		going = append(going, id)
		r.moved.Add(d.Charges...)
		r.moved.Add(d.Refunds...)
	}
	free, err := tables.NextFreeDays(ctx, tx, full)
	for _, id := range r.posts {
		if missing := short[id]; missing != nil {
			r.unreleased = append(r.unreleased, Unreleased{id, tables.RefusalOf(missing, free, now)})
		}
	}
	return going, err
}

// reviewBatch is how many posts under review are decided on in one transaction.
const reviewBatch = 200

// lockReviewed locks posts under review after an id, and returns which: nothing is parked
// meanwhile. Of those done already only first comments are under review.
func (a *Admin) lockReviewed(ctx context.Context, tx pgx.Tx, ids []schema.PostID, after schema.PostID) ([]schema.PostID, error) {
	if _, err := tx.Exec(ctx, tables.LockHolds); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, sql.Text(`
		select subject from holds
		where kind = $1 and (cardinality($2::uuid[]) = 0 or subject = any($2)) and subject > coalesce($3::uuid, {no_id})
		order by subject limit $4 for update`),
		int16(schema.UnderReview), append([]schema.PostID{}, ids...), after, reviewBatch)
	reviewed, err := db.Collect(rows, err, db.ScanID[schema.PostID])
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, tables.LockPosts, reviewed)
	return reviewed, err
}
