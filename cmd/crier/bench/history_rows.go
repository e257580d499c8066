package bench

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"crier/schema"
)

// historySQL holds the statements that fill the tables, each under its name.
//
//go:embed sql/history_rows.sql
var historySQL string

const (
	historyMonths = 24
	// monthsAgo is the newest month that is filled: later ones have their partitions already.
	monthsAgo      = 2
	calendarChunk  = 500_000 // posts of a transaction
	calendarFrom   = 2       // days ahead: sooner jobs stand in another table
	calendarDays   = 85
	fillingTimeout = 2 * time.Hour
)

// filling fills the tables of a server.
type filling struct {
	*session
	conn *pgx.Conn
}

// fillTables gives a server a calendar of posts that are scheduled, and two years of posts that
// have ended: some times as many. A post has one target; a fifth are of the benchmark's
// workspace, the others of 99 more.
func (s *session) fillTables(ctx context.Context, on *server) error {
	ctx, cancel := context.WithTimeout(ctx, fillingTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, on.Postgres)
	if err != nil {
		return fmt.Errorf("connecting to fill the tables: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	f := &filling{session: s, conn: conn}
	scheduled := s.config.postsOr(calendarPosts)
	if err := f.prepare(ctx, on); err != nil {
		return fmt.Errorf("filling the tables: %w", err)
	}
	if err := f.history(ctx, scheduled*historyTimes); err != nil {
		return fmt.Errorf("filling the history: %w", err)
	}
	if err := f.calendar(ctx, scheduled); err != nil {
		return fmt.Errorf("filling the calendar: %w", err)
	}
	// A table that was filled over years has no dirty pages left to be written while it is measured.
	for _, sql := range []string{`vacuum (analyze)`, `checkpoint`} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("settling the filled tables: %s: %w", sql, err)
		}
	}
	var size int64
	if err := conn.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&size); err != nil {
		return fmt.Errorf("weighing the filled tables: %w", err)
	}
	s.say("filled: %.1f GB", float64(size)/1e9)
	return nil
}

// prepare makes the other workspaces, and reads whose accounts there are.
func (f *filling) prepare(ctx context.Context, on *server) error {
	byPlatform, err := on.accounts(ctx)
	if err != nil {
		return err
	}
	var accounts []pgtype.UUID
	var platforms []int16
	// As many as fit into one row.
	for _, targets := range inTurn(byPlatform)[:accountsEach*len(byPlatform)] {
		id, err := schema.ParseID[schema.AccountID](targets[0].Account)
		if err != nil {
			return err
		}
		platform, err := schema.ParsePlatform(targets[0].Platform)
		if err != nil {
			return err
		}
		accounts, platforms = append(accounts, pgtype.UUID{Bytes: id.Bytes(), Valid: true}), append(platforms, int16(platform))
	}
	for _, name := range []string{"settings", "ids", "workspaces", "part", "plain"} {
		if _, err := f.conn.Exec(ctx, historyStatement(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := f.conn.Exec(ctx, historyStatement("whose"), pgx.StrictNamedArgs{
		"workspace": benchWorkspace, "accounts": accounts, "platforms": platforms,
	}); err != nil {
		return err
	}
	_, err = f.conn.Exec(ctx, historyStatement("rows of a part"))
	return err
}

// history fills a partition for each month, and attaches it, which builds its indexes.
func (f *filling) history(ctx context.Context, posts int) error {
	now := time.Now().UTC()
	each := max(1, posts/historyMonths)
	for n := range historyMonths {
		from := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, -n-monthsAgo, 0)
		to := from.AddDate(0, 1, 0)
		err := pgx.BeginFunc(ctx, f.conn, func(tx pgx.Tx) error {
			if err := nextPart(ctx, tx, n*each, each, from, to.Sub(from)/time.Duration(each)); err != nil {
				return err
			}
			for _, table := range []string{"posts_history", "targets_history"} {
				partition := table + "_" + from.Format("200601")
				if _, err := tx.Exec(ctx, `create table `+partition+` (like `+table+` including defaults including generated)`); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, strings.ReplaceAll(historyStatement(table), "PARTITION", partition)); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, fmt.Sprintf(`alter table %s attach partition %s for values from ('%s') to ('%s')`,
					table, partition, from.Format(time.RFC3339), to.Format(time.RFC3339))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		f.say("%d of %d posts that have ended", (n+1)*each, posts)
	}
	return nil
}

// calendar fills the tables of what is open. Their indexes are made afterwards.
func (f *filling) calendar(ctx context.Context, posts int) error {
	var indexes []string
	if err := f.conn.QueryRow(ctx, historyStatement("indexes")).Scan(&indexes); err != nil {
		return err
	}
	if _, err := f.conn.Exec(ctx, historyStatement("without indexes")); err != nil {
		return err
	}
	start := time.Now().UTC().AddDate(0, 0, calendarFrom).Truncate(time.Second)
	step := calendarDays * 24 * time.Hour / time.Duration(posts)
	for first := 0; first < posts; first += calendarChunk {
		if err := nextPart(ctx, f.conn, first, min(calendarChunk, posts-first), start.Add(time.Duration(first)*step), step); err != nil {
			return err
		}
		for _, table := range []string{"posts", "targets", "jobs_far"} {
			if _, err := f.conn.Exec(ctx, historyStatement(table)); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		f.say("%d of %d posts that are scheduled", min(first+calendarChunk, posts), posts)
	}
	for _, index := range indexes {
		if _, err := f.conn.Exec(ctx, index); err != nil {
			return err
		}
	}
	return nil
}

// nextPart says which posts the next statements make: how many, and when the first is due and
// how long after it the next.
func nextPart(ctx context.Context, on interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, first, count int, start time.Time, step time.Duration) error {
	_, err := on.Exec(ctx, historyStatement("next part"), pgx.StrictNamedArgs{"first": first, "count": count, "start": start, "step": step})
	return err
}

// historyStatement returns the statement under a name.
func historyStatement(name string) string {
	_, after, _ := strings.Cut(historySQL, "-- "+name+"\n")
	text, _, _ := strings.Cut(after, "\n-- ")
	return text
}
