package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Subscribed tells whether a workspace has a subscription that has not ended.
func (g *Gateway) Subscribed(ctx context.Context, workspace schema.WorkspaceID) (bool, error) {
	var subscribed bool
	err := g.pool.QueryRow(ctx, `select exists (select from subscriptions where workspace_id = $1 and ended_at is null)`, workspace).Scan(&subscribed)
	if err != nil {
		return false, fmt.Errorf("reading subscriptions: %w", unavailable(err))
	}
	return subscribed, nil
}

// PutSubscription notes that a subscription began or ended, once, and gives its workspace
// the plan that follows. What is told again, or after the end, changes nothing. It is
// NotFound where this server has no such live workspace or plan.
func (g *Gateway) PutSubscription(ctx context.Context, s schema.Subscription) error {
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		if err := lockSubscriber(ctx, tx, s); err != nil {
			return err
		}
		if s.Ended {
			return endSubscription(ctx, tx, s)
		}
		return beginSubscription(ctx, tx, s)
	})
	if err != nil {
		return fmt.Errorf("noting a subscription: %w", unavailable(err))
	}
	return nil
}

// lockSubscriber makes the notices of one workspace take turns.
func lockSubscriber(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	var known bool
	err := tx.QueryRow(ctx, `
		select exists (select from plans where name = $2)
		from workspaces where id = $1 and live_id is null for no key update`, s.Workspace, s.Plan).Scan(&known)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return notFound("workspace")
	case err == nil && !known:
		return notFound("plan")
	default:
		return err
	}
}

func beginSubscription(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	tag, err := tx.Exec(ctx, `
		insert into subscriptions (id, workspace_id, plan) values ($1, $2, $3) on conflict (id) do nothing`, s.ID, s.Workspace, s.Plan)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `update workspaces set plan = $2 where id = $1`, s.Workspace, s.Plan)
	return err
}

// endSubscription leaves a plan alone that the operator has given the workspace since.
func endSubscription(ctx context.Context, tx pgx.Tx, s schema.Subscription) error {
	tag, err := tx.Exec(ctx, `
		update subscriptions set ended_at = now() where id = $1 and workspace_id = $2 and ended_at is null`, s.ID, s.Workspace)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 { // the end is told before the beginning, or again
		_, err = tx.Exec(ctx, `
			insert into subscriptions (id, workspace_id, plan, ended_at) values ($1, $2, $3, now()) on conflict (id) do nothing`, s.ID, s.Workspace, s.Plan)
		return err
	}
	_, err = tx.Exec(ctx, `
		update workspaces set plan = coalesce(
			(select plan from subscriptions where workspace_id = $1 and ended_at is null order by began_at desc limit 1), $3)
		where id = $1 and plan = (select plan from subscriptions where id = $2)`, s.Workspace, s.ID, schema.FreePlan)
	return err
}
