package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Kept is a post that stays under review.
type Kept struct {
	Post   schema.PostID
	Reason *schema.Error
}

// Release lets posts under review go out, as if they were due now; all of them where ids
// is empty. A target goes out today, so it takes a unit of today's cap instead of that of
// the day it was scheduled for. A post that today has no room for is kept under review.
// It works batch by batch, those created first before others, and returns how many are
// released, after an error too.
func (a *Admin) Release(ctx context.Context, ids []schema.PostID, constraints func(schema.Platform) schema.Constraints) (released int, kept []Kept, err error) {
	var last schema.PostID
	for {
		r, err := a.releaseBatch(ctx, ids, last, constraints)
		if err != nil || len(r.posts) == 0 {
			return released, kept, err
		}
		released += len(r.posts) - len(r.kept)
		kept = append(kept, r.kept...)
		last = r.posts[len(r.posts)-1]
	}
}

// release is one batch of posts under review, in the order of their ids.
type release struct {
	posts   []schema.PostID
	demands map[schema.PostID]*demand
	moved   charges
	kept    []Kept
}

func (a *Admin) releaseBatch(ctx context.Context, ids []schema.PostID, after schema.PostID, constraints func(schema.Platform) schema.Constraints) (r release, err error) {
	for range maxRefusals {
		err = pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) (err error) {
			r, err = a.tryRelease(ctx, tx, ids, after, constraints)
			return err
		})
		if !isFull(err) {
			break
		}
		err = crowded() // others took the last units since they were counted
	}
	if err != nil {
		return r, fmt.Errorf("releasing posts: %w", unavailable(err))
	}
	return r, nil
}

func (a *Admin) tryRelease(ctx context.Context, tx pgx.Tx, ids []schema.PostID, after schema.PostID, constraints func(schema.Platform) schema.Constraints) (r release, err error) {
	if r.posts, err = a.lockReviewed(ctx, tx, ids, after); err != nil || len(r.posts) == 0 {
		return r, err
	}
	now := a.Now()
	if err := r.readDemands(ctx, tx, schema.DayOf(now), constraints); err != nil {
		return r, err
	}
	going, err := r.choose(ctx, tx, now)
	if err != nil {
		return r, err
	}
	b := &pgx.Batch{}
	b.Queue(`delete from holds where kind = $1 and subject = any($2)`, int16(schema.UnderReview), going)
	b.Queue(`update posts set retried_for = now() where id = any($1) and status in `+openPosts, going)
	b.Queue(`update targets set charged_on = $2 where post_id = any($1) and state in `+openTargets+` and charged_on < $2`, going, schema.DayOf(now))
	b.Queue(`
		with parked as (
			select id from jobs
			where (id = any($1) or id in (select id from comments where post_id = any($1) and state in `+openComments+`))
			  and overdue_since is not null and held
			order by id for update
		)
		update jobs j set due_at = now(), held = false from parked where j.id = parked.id`, going)
	r.moved.queue(b)
	return r, tx.SendBatch(ctx, b).Close()
}

// readDemands finds what the open targets take of today, and what they give back of the day
// they were scheduled for: nothing where something of them is on the platform, or may be.
func (r *release) readDemands(ctx context.Context, tx pgx.Tx, today time.Time, constraints func(schema.Platform) schema.Constraints) error {
	type open struct {
		targetRow
		gives bool
	}
	rows, err := tx.Query(ctx, `
		select post_id, n, account_id, platform, charged_on,
			state = `+targetPending+` and json_array_length(receipts) = 0 and unsettled = 0 and coalesce(error ->> 'code', '') <> $3
		from targets where post_id = any($1) and state in `+openTargets+` and charged_on < $2 order by post_id, n`,
		r.posts, today, schema.CodeOutcomeUnknown)
	targets, err := collect(rows, err, func(rows pgx.Rows, t *open) error {
		return rows.Scan((*[16]byte)(&t.post), &t.N, (*[16]byte)(&t.Account), &t.Platform, &t.ChargedOn, &t.gives)
	})
	if err != nil {
		return err
	}
	r.demands = map[schema.PostID]*demand{}
	for _, t := range targets {
		d := r.demands[t.post]
		if d == nil {
			d = &demand{post: &schema.Post{ID: t.post}}
			r.demands[t.post] = d
		}
		d.post.Targets = append(d.post.Targets, t.Target)
		d.charges = append(d.charges, charge{dayKey(t.Account, today), 1, constraints(t.Platform).DailyCap})
		if t.gives {
			d.given = append(d.given, charge{key: dayKey(t.Account, t.ChargedOn), n: -1})
		}
	}
	return nil
}

// choose returns the posts that today has room for, in their order, and notes why the
// others stay.
func (r *release) choose(ctx context.Context, tx pgx.Tx, now time.Time) (going []schema.PostID, err error) {
	demands := make([]*demand, 0, len(r.demands))
	for _, d := range r.demands {
		demands = append(demands, d)
	}
	used, err := readUsed(ctx, tx, keysOf(demands))
	if err != nil {
		return nil, err
	}
	r.moved = charges{}
	short := map[schema.PostID][]shortage{}
	var full []charge
	for _, id := range r.posts {
		d := r.demands[id]
		if d == nil {
			going = append(going, id)
			continue
		}
		if missing := d.take(used); len(missing) > 0 {
			short[id] = missing
			for _, s := range missing {
				full = append(full, s.charge)
			}
			continue
		}
		going = append(going, id)
		r.moved.add(d.charges...)
		r.moved.add(d.given...)
	}
	free, err := nextFreeDays(ctx, tx, full)
	for _, id := range r.posts {
		if missing := short[id]; missing != nil {
			r.kept = append(r.kept, Kept{id, refusalOf(missing, free, now)})
		}
	}
	return going, err
}

// reviewBatch is how many posts under review are decided on in one transaction.
const reviewBatch = 200

// lockReviewed locks posts under review after an id, and returns which: nothing is parked
// meanwhile. Of those done already only first comments are under review.
func (a *Admin) lockReviewed(ctx context.Context, tx pgx.Tx, ids []schema.PostID, after schema.PostID) ([]schema.PostID, error) {
	if _, err := tx.Exec(ctx, lockHolds); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		select subject from holds
		where kind = $1 and (cardinality($2::uuid[]) = 0 or subject = any($2)) and subject > coalesce($3::uuid, `+noID+`)
		order by subject limit $4 for update`,
		int16(schema.UnderReview), append([]schema.PostID{}, ids...), after, reviewBatch)
	reviewed, err := collect(rows, err, func(rows pgx.Rows, id *schema.PostID) error { return rows.Scan((*[16]byte)(id)) })
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `select from posts where id = any($1) order by id for no key update`, reviewed)
	return reviewed, err
}
