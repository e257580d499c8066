package db

import (
	"context"
	"fmt"
)

// Room is how many connections PostgreSQL lets its users have.
type Room struct {
	Allowed int // crier's user, all processes together
	Taken   int // by whoever is connected now, this process included
}

// Room asks for it. Superusers have what the server keeps to itself too; all others may be
// limited by their role and their database besides.
func (s *DB) Room(ctx context.Context) (Room, error) {
	var r Room
	err := s.Pool.QueryRow(ctx, `
		select case when u.rolsuper then current_setting('max_connections')::int else least(
				current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
					- coalesce(current_setting('reserved_connections', true)::int, 0),
				nullif(u.rolconnlimit, -1), nullif(d.datconnlimit, -1)) end allowed,
			(select count(*) from pg_stat_activity where backend_type = 'client backend') taken
		from pg_roles u, pg_database d where u.rolname = current_user and d.datname = current_database()`).Scan(&r.Allowed, &r.Taken)
	if err != nil {
		return r, fmt.Errorf("asking PostgreSQL how many connections it allows: %w", Unavailable(err))
	}
	s.Metrics.allowed.Set(float64(r.Allowed))
	return r, nil
}
