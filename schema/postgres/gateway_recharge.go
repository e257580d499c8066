package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// charging runs work in a transaction that takes units of daily caps or of a plan. Where
// it fails for want of room, it returns the error that says so, from the demand that work
// returned with its own error.
func (g *Gateway) charging(ctx context.Context, work func(pgx.Tx) (*demand, error)) error {
	for range maxRefusals {
		var taken *demand
		err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) (err error) {
			taken, err = work(tx)
			return err
		})
		if !isFull(err) {
			return err
		}
		used, err := readUsed(ctx, g.pool, keysOf([]*demand{taken}))
		if err != nil {
			return err
		}
		missing := taken.take(used)
		if len(missing) == 0 {
			continue // what was missing has been given back meanwhile
		}
		refusals, err := g.explain(ctx, map[*demand][]shortage{taken: missing})
		if err != nil {
			return err
		}
		return refusals[taken.post.ID]
	}
	return crowded()
}

// recharge returns what an edit changes of the counters: the units of the old targets are
// given back and those of the new taken, and entries that a thread gained count in the
// plan of this month. Nothing else of a plan moves: a post counts when it is made.
func (g *Gateway) recharge(ctx context.Context, tx pgx.Tx, before, after *schema.Post) (charges, error) {
	net := charges{}
	for _, t := range before.Targets {
		if !t.ChargedOn.IsZero() {
			net.add(charge{key: dayKey(t.Account, t.ChargedOn), n: -1})
		}
	}
	for i := range after.Targets {
		after.Targets[i].ChargedOn = time.Time{}
	}
	net.add(g.chargeTargets(after)...)
	gained := len(after.Content.Entries) - len(before.Content.Entries)
	if gained <= 0 {
		return net, nil
	}
	plan, err := planOf(ctx, tx, after.Workspace)
	if err == nil && plan.PostsPerMonth > 0 {
		net.add(charge{monthKey(after.Workspace, schema.MonthOf(after.UpdatedAt)), gained, plan.PostsPerMonth})
	}
	return net, err
}
