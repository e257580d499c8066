package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// planOf returns the plan of a workspace. A sandbox twin has its workspace's; only its
// accounts are free.
func planOf(ctx context.Context, q querier, workspace schema.WorkspaceID) (schema.Plan, error) {
	var p schema.Plan
	err := q.QueryRow(ctx, `
		select p.name, p.requests_per_minute, coalesce(p.posts_per_month, 0),
			case when w.live_id is null then coalesce(p.accounts, 0) else 0 end
		from workspaces w
		join workspaces live on live.id = coalesce(w.live_id, w.id)
		join plans p on p.name = live.plan
		where w.id = $1`, workspace).Scan(&p.Name, &p.RequestsPerMinute, &p.PostsPerMonth, &p.Accounts)
	return p, orNotFound(err, "workspace")
}

// Plans returns the plans there are, by name.
func (s *Store) Plans(ctx context.Context) ([]schema.Plan, error) {
	rows, err := s.pool.Query(ctx, `
		select name, requests_per_minute, coalesce(posts_per_month, 0), coalesce(accounts, 0) from plans order by name`)
	plans, err := collect(rows, err, func(rows pgx.Rows, p *schema.Plan) error {
		return rows.Scan(&p.Name, &p.RequestsPerMinute, &p.PostsPerMonth, &p.Accounts)
	})
	if err != nil {
		return nil, fmt.Errorf("reading plans: %w", unavailable(err))
	}
	return plans, nil
}

// Usage returns what a workspace has used of its plan in this calendar month (UTC).
func (g *Gateway) Usage(ctx context.Context, workspace schema.WorkspaceID) (schema.Usage, error) {
	u := schema.Usage{Month: schema.MonthOf(g.Now())}
	var err error
	if u.Plan, err = planOf(ctx, g.pool, workspace); err != nil {
		return u, err
	}
	err = g.pool.QueryRow(ctx, `
		select coalesce((select used from counters where subject = $1 and period = $2), 0),
			(select count(*) from accounts where workspace_id = $1 and disconnected_at is null)`, workspace, u.Month).Scan(&u.Posts, &u.Accounts)
	if err != nil {
		return u, fmt.Errorf("reading usage: %w", unavailable(err))
	}
	return u, nil
}

// admitAccount refuses an account that the plan of its workspace has no room for; one
// that is connected already has its place.
func admitAccount(ctx context.Context, tx pgx.Tx, account schema.Account) error {
	room, err := accountRoom(ctx, tx, account.Workspace)
	if err != nil || room > 0 {
		return err
	}
	var connected bool
	err = tx.QueryRow(ctx, `select exists (select from accounts where id = $1 and disconnected_at is null)`, account.ID).Scan(&connected)
	if err != nil || connected {
		return err
	}
	return &schema.Error{Kind: schema.PlanLimitReached, Message: "the plan of the workspace has no room for another connected account"}
}
