package db

import (
	"context"
)

// ConnectionLimit is how many connections PostgreSQL allows.
type ConnectionLimit struct {
	Allowed int // to crier's user, all processes together
	Taken   int // now, by all users, this process included
}

// ConnectionLimit asks the server. Superusers may also use the connections that it reserves;
// other users may be limited by their role and their database.
func (s *DB) ConnectionLimit(ctx context.Context) (ConnectionLimit, error) {
	var r ConnectionLimit
	err := s.Pool.QueryRow(ctx, `
		select case when u.rolsuper then current_setting('max_connections')::int else least(
				current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
					- coalesce(current_setting('reserved_connections', true)::int, 0),
				nullif(u.rolconnlimit, -1), nullif(d.datconnlimit, -1)) end allowed,
			(select count(*) from pg_stat_activity where backend_type = 'client backend') taken
		from pg_roles u, pg_database d where u.rolname = current_user and d.datname = current_database()`).Scan(&r.Allowed, &r.Taken)
	if err != nil {
		return r, Wrap(err, "asking PostgreSQL how many connections it allows")
	}
	s.Metrics.allowed.Set(float64(r.Allowed))
	return r, nil
}
