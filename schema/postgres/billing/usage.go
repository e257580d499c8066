// Package billing keeps plans, what a workspace has used of its own, and subscriptions that
// pay for one.
package billing

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// Store keeps plans and subscriptions.
type Store struct{ *db.DB }

// Plans returns the plans there are, by name.
func (s *Store) Plans(ctx context.Context) ([]schema.Plan, error) {
	rows, err := s.Pool.Query(ctx, `
		select name, requests_per_minute, coalesce(posts_per_month, 0), coalesce(accounts, 0) from plans order by name`)
	plans, err := db.Collect(rows, err, func(row pgx.Row, p *schema.Plan) error {
		return row.Scan(&p.Name, &p.RequestsPerMinute, &p.PostsPerMonth, &p.Accounts)
	})
	return plans, db.Wrap(err, "reading plans")
}

// Usage returns what a workspace has used of its plan in this calendar month (UTC).
func (s *Store) Usage(ctx context.Context, workspace schema.WorkspaceID) (schema.Usage, error) {
	u := schema.Usage{Month: schema.MonthOf(s.Now())}
	var err error
	if u.Plan, err = tables.PlanOf(ctx, s.Pool, workspace); err != nil {
		return u, err
	}
	month := tables.MonthKey(workspace, u.Month)
	used, err := tables.ReadUsed(ctx, s.Pool, []tables.CounterKey{month})
	if err != nil {
		return u, err
	}
	u.Posts = used[month]
	err = s.Pool.QueryRow(ctx, `
		select (select count(*) from accounts where workspace_id = $1 and disconnected_at is null), coalesce((select limits from workspaces where id = $1), 0)`,
		workspace).Scan(&u.Accounts, (*int16)(&u.Limits))
	return u, db.Wrap(err, "reading usage")
}
