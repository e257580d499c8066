package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// SpendQuota takes the cost of a call off a day's quota. Where less is left it takes nothing and returns false. What
// was used is known for a week.
func (s *Store) SpendQuota(ctx context.Context, q schema.QuotaCost) (spent bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`delete from app_quotas where day < $1::date - 7`, dateOf(q.Day))
	batch.Queue(`
		insert into app_quotas as q (quota, day, used) select @name, @day::date, @cost where @cost::bigint <= @most
		on conflict (quota, day) do update set used = q.used + @cost where q.used + @cost <= @most
		returning true`,
		pgx.StrictNamedArgs{"name": q.Name, "day": dateOf(q.Day), "cost": q.Cost, "most": q.Max},
	).Query(func(rows pgx.Rows) error {
		spent = rows.Next()
		rows.Close()
		return rows.Err()
	})
	err = s.Pool.SendBatch(ctx, batch).Close()
	return spent, db.Wrap(err, "counting a quota")
}

// ExhaustQuota notes that a day's quota is used up, because the platform says so.
func (s *Store) ExhaustQuota(ctx context.Context, q schema.QuotaCost) error {
	_, err := s.Pool.Exec(ctx, `
		insert into app_quotas as q (quota, day, used) values ($1, $2::date, $3)
		on conflict (quota, day) do update set used = greatest(q.used, excluded.used)`, q.Name, dateOf(q.Day), q.Max)
	return db.Wrap(err, "noting that a quota is used up")
}

func dateOf(day time.Time) string { return day.Format(time.DateOnly) }
