package facts

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"golang.org/x/sync/errgroup"

	"crier/schema"
)

// rowsSQL holds the statements that fill the tables, each under its name.
//
//go:embed sql/rows.sql
var rowsSQL string

// pieceRows are those of one statement: a query of the embedded engine has a gigabyte. A post's
// looks stay together.
const pieceRows = 7 * 100_000

// countedAtOnce is how many days of workspaces are counted by one statement.
const countedAtOnce = 20_000

// begin is the first day of the facts, which are the same in each run.
var begin = time.Date(2025, 9, 1, 0, 0, 0, 0, time.UTC)

// shares are the parts of all rows, in hundredths, by table.
var shares = []struct {
	table     string
	hundredth int
}{
	{"events", 30}, {"post_metrics", 40}, {"deliveries", 11}, {"api_usage", 12}, {"feed_items", 4}, {"inbox_items", 1}, {"followers", 2},
}

// fill writes the facts of a year. A folder that was filled in part says up to which month: that month
// is written again, and replaces what is there.
func (b *bench) fill(ctx context.Context) error {
	filled, err := b.filled()
	if err != nil {
		return err
	}
	for _, name := range []string{"functions", "functions account", "functions id", "functions event id", "functions platform", "functions time", "functions words"} {
		if err := b.conn.Exec(ctx, statement(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for month := range b.Months {
		for _, share := range shares {
			each := max(1, b.Rows/100*share.hundredth/b.Months)
			if share.table == "post_metrics" {
				each = max(7, each/7*7) // a post has seven looks
			}
			b.count += each
			if month < filled {
				continue
			}
			if err := b.fillMonth(ctx, share.table, month, each); err != nil {
				return fmt.Errorf("%s: %w", share.table, err)
			}
		}
		if err := b.setFilled(max(filled, month+1)); err != nil {
			return err
		}
		b.Say("%d of %d facts", b.count, b.Rows)
	}
	return nil
}

func (b *bench) fillMonth(ctx context.Context, table string, month, rows int) error {
	for piece := 0; piece < rows; piece += pieceRows {
		if err := b.conn.Exec(ctx, statement(table), clickhouse.Named("first", month*rows), clickhouse.Named("count", rows),
			clickhouse.Named("from", month*rows+piece), clickhouse.Named("rows", min(pieceRows, rows-piece)),
			clickhouse.Named("month", begin.AddDate(0, month, 0).Format(time.DateOnly))); err != nil {
			return err
		}
	}
	return nil
}

// filling is what the file of a folder says of its facts.
type filling struct{ Rows, Months, Filled int }

const fillingFile = "bench-facts.json"

// filled returns how many months of the folder are filled.
func (b *bench) filled() (months int, err error) {
	text, err := os.ReadFile(filepath.Join(b.folder, fillingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("looking how far the folder is filled: %w", err)
	}
	var f filling
	if err := json.Unmarshal(text, &f); err != nil {
		return 0, fmt.Errorf("looking how far the folder is filled: %w", err)
	}
	if f.Rows != b.Rows || f.Months != b.Months {
		return 0, fmt.Errorf("%s holds %d facts of %d months, not %d of %d", b.folder, f.Rows, f.Months, b.Rows, b.Months)
	}
	return f.Filled, nil
}

func (b *bench) setFilled(months int) error {
	text, err := json.Marshal(filling{b.Rows, b.Months, months})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.folder, fillingFile), text, 0o600); err != nil {
		return fmt.Errorf("noting how far the folder is filled: %w", err)
	}
	return nil
}

// settle counts beforehand what crier would have by now, and merges each month to one part,
// as the tables do by themselves within an hour.
func (b *bench) settle(ctx context.Context) error {
	began := time.Now()
	var buckets atomic.Int64
	counting, counted := errgroup.WithContext(ctx)
	for _, kind := range schema.RollupKinds() {
		counting.Go(func() error {
			for more := true; more; {
				var closed int
				var err error
				if closed, more, err = b.store.Rollups().Close(counted, kind, 0, countedAtOnce); err != nil {
					return err
				}
				b.Say("%d days of workspaces are counted", buckets.Add(int64(closed)))
			}
			return nil
		})
	}
	if err := counting.Wait(); err != nil {
		return err
	}
	if err := b.Report(Result{Name: "buckets_counted", Value: float64(buckets.Load()) / time.Since(began).Seconds(), Unit: "buckets/s"}); err != nil {
		return err
	}
	tables, err := b.tables(ctx)
	if err != nil {
		return err
	}
	for i, table := range tables {
		if err := b.conn.Exec(ctx, `optimize table `+table.Name+` final settings optimize_skip_merged_partitions = 1`); err != nil {
			return fmt.Errorf("merging %s: %w", table.Name, err)
		}
		b.Say("%d of %d tables are merged", i+1, len(tables))
	}
	return nil
}

// weight is what a table takes on disk.
type weight struct {
	Name  string `ch:"name"`
	Rows  uint64 `ch:"rows"`
	Bytes uint64 `ch:"bytes"`
}

// tables returns what the tables of facts, and those made of them, take on disk.
func (b *bench) tables(ctx context.Context) (all []weight, err error) {
	err = b.conn.Select(ctx, &all, `
		select table as name, sum(rows) as rows, sum(bytes_on_disk) as bytes from system.parts
		where database = currentDatabase() and active and table <> 'migrations' group by table order by table`)
	return all, err
}

// weigh reports how many bytes a fact takes, with all that is made of it.
func (b *bench) weigh(ctx context.Context) error {
	tables, err := b.tables(ctx)
	if err != nil {
		return err
	}
	var all, counted uint64
	for _, t := range tables {
		all += t.Bytes
		if strings.HasPrefix(t.Name, "rollup_") {
			counted += t.Bytes
			continue
		}
		if err := b.Report(Result{Name: "bytes_a_row " + t.Name, Value: float64(t.Bytes) / float64(t.Rows), Unit: "B"}); err != nil {
			return err
		}
	}
	return errors.Join(
		b.Report(Result{Name: "bytes_a_fact", Value: float64(all) / float64(b.count), Unit: "B"}),
		b.Report(Result{Name: "bytes_a_fact, of what is counted beforehand", Value: float64(counted) / float64(b.count), Unit: "B"}))
}

// statement returns the statement under a name.
func statement(name string) string {
	_, after, _ := strings.Cut(rowsSQL, "\n-- "+name+"\n")
	text, _, _ := strings.Cut(after, "\n-- ")
	return text
}
