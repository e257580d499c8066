package maintenance

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// deadLettersCounted is how far the dead letters of a stage are counted.
const deadLettersCounted = 1000

// CountDeadLetters returns how many there are, by stage, up to deadLettersCounted of each.
func (s *Store) CountDeadLetters(ctx context.Context) (map[string]int, error) {
	rows, err := s.Pool.Query(ctx, `
		select u.stage, (select count(*) from (select from dead_letters l where l.stage = u.stage and l.dead_at is not null limit $2) dead)
		from unnest($1::text[]) u (stage)`, schema.Stages(), deadLettersCounted)
	counts, err := db.CollectMap(rows, err, func(row pgx.Row, stage *string, n *int) error { return row.Scan(stage, n) })
	return counts, db.Wrap(err, "counting dead letters")
}

// Rewrite gives unreadable messages that are replayed to write, which brings them into the
// log, and forgets those it has taken.
func (s *Store) Rewrite(ctx context.Context, write func(context.Context, schema.LogMessage) error) error {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {dead_letter_columns} from dead_letters l where l.unreadable and l.replay_at is not null order by l.id limit 100`))
	letters, err := db.Collect(rows, err, tables.ScanDeadLetter)
	if err != nil {
		return db.Wrap(err, "reading dead letters")
	}
	for _, l := range letters {
		if err := write(ctx, l.Message); err != nil {
			return fmt.Errorf("replaying %s: %w", l.ID, err)
		}
		if _, err := s.Pool.Exec(ctx, `delete from dead_letters where id = $1 and replay_at is not null`, l.ID); err != nil {
			return db.Wrap(err, fmt.Sprintf("forgetting %s", l.ID))
		}
	}
	return nil
}
