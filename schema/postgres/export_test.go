package postgres

import (
	"context"
	"time"

	"crier/schema"
)

// Exec runs a statement that a test needs to make time pass.
func (s *Store) Exec(ctx context.Context, sql string) error {
	_, err := s.pool.Exec(ctx, sql)
	return err
}

// Count answers a query for one number.
func (s *Store) Count(ctx context.Context, sql string) (n int, err error) {
	err = s.pool.QueryRow(ctx, sql).Scan(&n)
	return n, err
}

// KnowHolds makes the store know that something is held, as its first claim would.
func (s *Store) KnowHolds() { s.holding.Store(true) }

// Counter returns what is used of an account's day, and how many targets hold a unit of it.
func (s *Store) Counter(ctx context.Context, account schema.AccountID, day time.Time) (used, held int, err error) {
	err = s.pool.QueryRow(ctx, `
		select coalesce((select used from counters where subject = $1 and period = $2), 0),
			(select count(*) from targets where account_id = $1 and charged_on = $2)`, account, day).Scan(&used, &held)
	return used, held, err
}
