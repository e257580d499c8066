package maintenance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// farDays is how many days ahead partitions of jobs_far are kept; posts are scheduled at
// most 90 days ahead.
const farDays = 100

// Promote moves far jobs that are due within a day into the indexed table, and drops
// those an edit, a cancel or a deletion has left behind. Only one process promotes at a
// time; the others do nothing.
func (s *Store) Promote(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "promote", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			with moved as (
				delete from jobs_far where due_at < now() + $1::interval returning *
			)
			insert into jobs (id, kind, shard, due_at, version, payload)
			select m.id, m.kind, m.shard, m.due_at, m.version, m.payload
			from moved m join posts p on p.id = m.id and p.version = m.version and p.status = $2
			on conflict (id) do nothing`, (tables.NearHorizon + promoteEvery*3).String(), int16(schema.Scheduled))
		rows = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("promoting far jobs: %w", db.Unavailable(err))
	}
	return rows, false, nil
}

// promoteEvery is how often Promote is to be called.
const promoteEvery = 5 * time.Minute

// MakePartitions makes the days of jobs_far that are missing, and drops those long past.
func (s *Store) MakePartitions(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "partitions", func(tx pgx.Tx) error {
		today := s.Now().UTC().Truncate(24 * time.Hour)
		var statements []string
		for i := -1; i < farDays; i++ {
			statements = append(statements, tables.MakeFarDay(today.AddDate(0, 0, i)))
		}
		past := today.AddDate(0, 0, -3)
		for i := range 7 {
			statements = append(statements, "drop table if exists jobs_far_"+past.AddDate(0, 0, -i).Format("20060102"))
		}
		_, err := tx.Conn().PgConn().Exec(ctx, strings.Join(statements, ";")).ReadAll()
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("making partitions of far jobs: %w", db.Unavailable(err))
	}
	return 0, false, nil
}
