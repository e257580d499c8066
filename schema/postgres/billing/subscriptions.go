package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Subscribed reports whether a workspace has a subscription that has begun and not ended.
func (s *Store) Subscribed(ctx context.Context, workspace schema.WorkspaceID) (bool, error) {
	var subscribed bool
	err := s.Pool.QueryRow(ctx, `
		select exists (select from subscriptions where workspace_id = $1 and began_at is not null and ended_at is null)`, workspace).Scan(&subscribed)
	return subscribed, db.Wrap(err, "reading subscriptions")
}

// PutSubscription notes that a subscription began, changed or ended, once, and gives its
// workspace the plan that follows. Nothing is changed by what is told again, by a change
// older than one that is known, nor by anything after the end. It is NotFound where this
// server has no such live workspace or plan.
func (s *Store) PutSubscription(ctx context.Context, change schema.Subscription) error {
	return s.InTx(ctx, "noting a subscription", func(tx pgx.Tx) error {
		if err := lockSubscriber(ctx, tx, change); err != nil {
			return err
		}
		switch change.Step {
		case schema.SubscriptionBegan:
			return beginSubscription(ctx, tx, change)
		case schema.SubscriptionChanged:
			return followSubscription(ctx, tx, change, changeSubscription)
		case schema.SubscriptionEnded:
			return followSubscription(ctx, tx, change, endSubscription)
		default:
			return fmt.Errorf("step %q of a subscription is unknown", change.Step)
		}
	})
}

// lockSubscriber serializes the notices of one workspace.
func lockSubscriber(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	var known bool
	err := tx.QueryRow(ctx, `
		select exists (select from plans where name = $2)
		from workspaces where id = $1 and live_id is null for no key update`, s.Workspace, s.Plan).Scan(&known)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return db.NotFound("workspace")
	case err == nil && !known:
		return db.NotFound("plan")
	default:
		return err
	}
}

// beginSubscription keeps the plan of a change whose notice came before, and replaces a
// plan that the operator gave: the workspace has just paid.
func beginSubscription(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	tag, err := tx.Exec(ctx, `
		insert into subscriptions as s (id, workspace_id, plan, began_at) values ($1, $2, $3, now())
		on conflict (id) do update set began_at = excluded.began_at
		where s.workspace_id = excluded.workspace_id and s.began_at is null and s.ended_at is null`, s.ID, s.Workspace, s.Plan)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	plan, err := paidPlan(ctx, tx, s.Workspace)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update workspaces set plan = $2 where id = $1`, s.Workspace, plan)
	return err
}

// followSubscription leaves a plan alone that the operator has given the workspace since.
func followSubscription(ctx context.Context, tx pgx.Tx, s schema.Subscription, note func(context.Context, pgx.Tx, schema.Subscription) error) error {
	before, err := paidPlan(ctx, tx, s.Workspace)
	if err != nil {
		return err
	}
	if err := note(ctx, tx, s); err != nil {
		return err
	}
	after, err := paidPlan(ctx, tx, s.Workspace)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update workspaces set plan = $3 where id = $1 and plan = $2 and plan <> $3`, s.Workspace, before, after)
	return err
}

// paidPlan returns the plan that a workspace pays for: that of its latest subscription
// that is not suspended.
func paidPlan(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) (plan string, err error) {
	err = tx.QueryRow(ctx, `
		select coalesce((
			select plan from subscriptions
			where workspace_id = $1 and plan <> $2 and began_at is not null and ended_at is null
			order by began_at desc limit 1), $2)`, workspace, schema.FreePlan).Scan(&plan)
	return plan, err
}

// changeSubscription applies the newest change. Of two changes in the same second the one
// that arrives last counts, and each only once, so that a repeated notice does not undo a
// later one.
func changeSubscription(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	_, err := tx.Exec(ctx, `
		insert into subscriptions as s (id, workspace_id, plan, began_at, changed_at, changed_by) values ($1, $2, $3, null, $4, array[$5])
		on conflict (id) do update set plan = excluded.plan, changed_at = excluded.changed_at,
			changed_by = case when s.changed_at = excluded.changed_at then s.changed_by || excluded.changed_by else excluded.changed_by end
		where s.workspace_id = excluded.workspace_id and s.ended_at is null
			and (s.changed_at is null or s.changed_at < excluded.changed_at
				or s.changed_at = excluded.changed_at and not s.changed_by @> excluded.changed_by)`,
		s.ID, s.Workspace, s.Plan, s.At, s.Notice)
	return err
}

// endSubscription notes the end of a subscription, even before the notice of its
// beginning.
func endSubscription(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	_, err := tx.Exec(ctx, `
		insert into subscriptions as s (id, workspace_id, plan, began_at, ended_at) values ($1, $2, $3, null, now())
		on conflict (id) do update set ended_at = excluded.ended_at
		where s.workspace_id = excluded.workspace_id and s.ended_at is null`, s.ID, s.Workspace, s.Plan)
	return err
}
