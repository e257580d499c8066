package maintenance

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Observe looks at what is not counted as it happens.
func (s *Store) Observe(ctx context.Context) (schema.Observation, error) {
	var o schema.Observation
	var oldest float64
	err := s.Pool.QueryRow(ctx, sql.Text(`
		select coalesce((
			select extract(epoch from now() - uuid_extract_timestamp(id)) from outbox where id > coalesce($1::uuid, {no_id}) order by id limit 1
		), 0)::float8`), tables.BatchesFrom(s.outbox.Mark())).Scan(&oldest)
	if err != nil {
		return o, db.Wrap(err, "reading the age of the outbox")
	}
	o.OldestEvents = time.Duration(oldest * float64(time.Second))
	rows, err := s.Pool.Query(ctx, `
		select a.platform, count(*), count(*) filter (where a.needs_reconnect or a.ended <> 0)
		from accounts a join workspaces w on w.id = a.workspace_id
		where a.disconnected_at is null and w.live_id is null group by a.platform`)
	o.Accounts, err = db.CollectMap(rows, err, func(row pgx.Row, platform *schema.Platform, c *schema.AccountCounts) error {
		return row.Scan(platform, &c.Connected, &c.NeedReconnect)
	})
	return o, db.Wrap(err, "counting accounts")
}
