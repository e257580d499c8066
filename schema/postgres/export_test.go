package postgres

import "context"

// Exec runs a statement that a test needs to make time pass.
func (s *Store) Exec(ctx context.Context, sql string) error {
	_, err := s.pool.Exec(ctx, sql)
	return err
}
