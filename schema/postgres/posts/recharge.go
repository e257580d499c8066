package posts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/tables"
)

// charging runs work in a transaction that takes units of daily caps or of a plan. Where
// it fails for want of room, it returns the error that says so, from the demand that work
// returned with its own error.
func (s *Store) charging(ctx context.Context, work func(pgx.Tx) (*tables.Demand, error)) error {
	for range tables.MaxRefusals {
		var taken *tables.Demand
		err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) (err error) {
			taken, err = work(tx)
			return err
		})
		if !tables.IsFull(err) {
			return err
		}
		used, err := tables.ReadUsed(ctx, s.Pool, tables.KeysOf([]*tables.Demand{taken}))
		if err != nil {
			return err
		}
		missing := taken.Take(used)
		if len(missing) == 0 {
			continue // what was missing has been given back meanwhile
		}
		refusals, err := s.explain(ctx, map[*tables.Demand][]tables.Shortage{taken: missing})
		if err != nil {
			return err
		}
		return refusals[taken.Post.ID]
	}
	return tables.Crowded()
}

// recharge returns what an edit changes of the counters: the units of the old targets are
// given back and those of the new taken, and entries that a thread gained count in the
// plan of this month. Nothing else of a plan moves: a post counts when it is made.
func (s *Store) recharge(ctx context.Context, tx pgx.Tx, before, after *schema.Post) (tables.Charges, error) {
	net := tables.Charges{}
	for _, t := range before.Targets {
		net.Add(tables.RefundDay(t.Account, t.ChargedOn))
	}
	for i := range after.Targets {
		after.Targets[i].ChargedOn = time.Time{}
	}
	net.Add(s.chargeTargets(after)...)
	gained := len(after.Content.Entries) - len(before.Content.Entries)
	if gained <= 0 {
		return net, nil
	}
	plan, err := tables.PlanOf(ctx, tx, after.Workspace)
	if err == nil && plan.PostsPerMonth > 0 {
		net.Add(tables.Charge{Key: tables.MonthKey(after.Workspace, schema.MonthOf(after.UpdatedAt)), N: gained, Limit: plan.PostsPerMonth})
	}
	return net, err
}
