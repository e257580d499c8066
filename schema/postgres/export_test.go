package postgres

import "context"

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
