package maintenance

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// CountDeadLetters returns how many there are, by stage.
func (s *Store) CountDeadLetters(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	for _, stage := range schema.Stages() {
		counts[stage] = 0
	}
	rows, err := s.Pool.Query(ctx, `select stage, count(*) from dead_letters where dead_at is not null group by stage`)
	type count struct {
		stage string
		n     int
	}
	found, err := db.Collect(rows, err, func(row pgx.Row, c *count) error { return row.Scan(&c.stage, &c.n) })
	if err != nil {
		return nil, fmt.Errorf("counting dead letters: %w", db.Unavailable(err))
	}
	for _, c := range found {
		counts[c.stage] = c.n
	}
	return counts, nil
}

// Rewrite gives unreadable messages that are replayed to write, which brings them into the
// log, and forgets those it has taken.
func (s *Store) Rewrite(ctx context.Context, write func(context.Context, schema.LogMessage) error) error {
	rows, err := s.Pool.Query(ctx, `select `+tables.DeadLetterColumns+` from dead_letters l where l.replay_at is not null order by l.id limit 100`)
	letters, err := db.Collect(rows, err, tables.ScanDeadLetter)
	if err != nil {
		return fmt.Errorf("reading dead letters: %w", db.Unavailable(err))
	}
	for _, l := range letters {
		if err := write(ctx, l.Message); err != nil {
			return fmt.Errorf("replaying %s: %w", l.ID, err)
		}
		if _, err := s.Pool.Exec(ctx, `delete from dead_letters where id = $1 and replay_at is not null`, l.ID); err != nil {
			return fmt.Errorf("forgetting %s: %w", l.ID, db.Unavailable(err))
		}
	}
	return nil
}
