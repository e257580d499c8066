package maintenance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// The kinds of what a sweep repairs.
const (
	repairNoJob      = "post_without_job"
	repairOtherJob   = "post_with_job_of_another_version"
	repairCounts     = "counters_disagree"
	repairLease      = "lease_over_and_no_job_due"
	repairAhead      = "clock_was_ahead"
	repairOrphan     = "job_without_its_post"
	repairNoComment  = "comment_without_job"
	repairNoDelivery = "delivery_without_job"
	repairNoRenewal  = "renewal_without_job"
	repairNoCollect  = "collection_without_job"
)

const (
	// sweepRest is how long after the end of a pass no other begins, in whatever process.
	sweepRest = 5 * time.Second
	// A pass over all posts that took less than sweepQuick spares that over recent ones for as long.
	sweepQuick = 30 * time.Second
	// sweepOverlap is how far before its beginning a pass leaves rows to the next one as well:
	// longer than a transaction that makes some lasts, and than clocks differ.
	sweepOverlap = 2 * time.Minute
	// sweepBack is how far back in time comments and deliveries are looked for: past their
	// deadline they have ended.
	sweepBack = 26 * time.Hour
)

// pass is how far a sweep is. One over posts goes by place, any other by id alone.
type pass struct {
	after   duePlace
	open    [16]byte // of the first open row it has met; zero: none
	next    [16]byte // with its end: what the next one begins after
	beganAt time.Time
}

// chunk is a part of a pass, and its transaction.
type chunk struct {
	*Store
	tx           pgx.Tx
	pass         *pass
	repaired     map[string]int
	announcement schema.Announcement
}

// sweeps are how a chunk of each is made: each moves its pass on and reports whether that is
// not at its end.
var sweeps = map[schema.Sweep]func(*chunk, context.Context) (more bool, err error){
	schema.SweepPosts:       (*chunk).posts,
	schema.SweepRecentPosts: (*chunk).recentPosts,
	schema.SweepJobs:        (*chunk).jobs,
	schema.SweepComments:    (*chunk).comments,
	schema.SweepDeliveries:  (*chunk).deliveries,
	schema.SweepRenewals:    (*chunk).renewals,
	schema.SweepCollections: (*chunk).collections,
}

// Sweep makes a chunk of a pass that finds what should not be and repairs it, and returns how
// many of each kind. The state of a row and its job change in one transaction, so what a
// statement sees is never half done. All processes make one pass together, a chunk at a time.
func (s *Store) Sweep(ctx context.Context, over schema.Sweep) (repaired map[string]int, more bool, err error) {
	c := &chunk{Store: s, repaired: map[string]int{
		repairNoJob: 0, repairOtherJob: 0, repairCounts: 0, repairLease: 0, repairAhead: 0, repairOrphan: 0, repairNoComment: 0, repairNoDelivery: 0, repairNoRenewal: 0, repairNoCollect: 0,
	}}
	err = s.Alone(ctx, "sweep of "+string(over), func(tx pgx.Tx) error {
		c.tx = tx
		if c.pass, err = s.nextPass(ctx, tx, over); err != nil || c.pass == nil {
			return err
		}
		if _, err := tx.Exec(ctx, keysetPlans); err != nil {
			return err
		}
		if more, err = sweeps[over](c, ctx); err != nil {
			return err
		}
		return keepPass(ctx, tx, over, c.pass, more)
	})
	if err != nil {
		return nil, false, db.Wrap(err, fmt.Sprintf("sweeping %s", over))
	}
	s.Announce(c.announcement)
	return c.repaired, more, nil
}

// keysetPlans keeps a chunk to what it reads by index: by statistics of another time the
// planner would read a whole table for it.
const keysetPlans = `
	select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true)`

// nextPass returns the pass that goes on, or a new one; nil where one has ended just now, or where
// a quick one over all posts has.
func (s *Store) nextPass(ctx context.Context, tx pgx.Tx, over schema.Sweep) (*pass, error) {
	var p pass
	var ended, rests bool
	err := tx.QueryRow(ctx, `
		select workspace_id, due_at, id, open_id, began_at, ended_at is not null, coalesce(ended_at between now() - @rest::interval and now(), false)
			or name = @recent and exists (
				select from sweeps p where p.name = @all and p.ended_at between now() - @quick::interval and now() and p.ended_at - p.began_at < @quick
			)
		from sweeps where name = @over`, pgx.StrictNamedArgs{
		"over": over, "rest": sweepRest, "recent": schema.SweepRecentPosts, "all": schema.SweepPosts, "quick": sweepQuick,
	}).Scan(&p.after.workspace, &p.after.due, &p.after.id, &p.open, &p.beganAt, &ended, &rests)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &pass{beganAt: s.Now()}, nil
	case err != nil || rests:
		return nil, err
	case ended:
		return &pass{after: duePlace{id: p.after.id}, beganAt: s.Now()}, nil
	}
	return &p, nil
}

func keepPass(ctx context.Context, tx pgx.Tx, over schema.Sweep, p *pass, more bool) error {
	if !more {
		p.after = duePlace{id: p.next}
	}
	_, err := tx.Exec(ctx, `
		insert into sweeps (name, workspace_id, due_at, id, open_id, began_at, ended_at)
		values (@name, @workspace, @due, @id, @open, @began, case when not @more then now() end)
		on conflict (name) do update set workspace_id = excluded.workspace_id, due_at = excluded.due_at, id = excluded.id,
			open_id = excluded.open_id, began_at = excluded.began_at, ended_at = excluded.ended_at`,
		pgx.StrictNamedArgs{
			"name": over, "workspace": p.after.workspace, "due": p.after.due, "id": p.after.id,
			"open": p.open, "began": p.beganAt, "more": more,
		})
	return err
}
