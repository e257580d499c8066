package maintenance

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// period is the length of a partition, in UTC, and how its name ends.
type period struct {
	suffix string // layout of time.Format
	months int
	days   int
}

var daily = period{suffix: "20060102", days: 1}

// partitioned is a table that is partitioned by ranges of a time. Its partitions are named
// after it: table_suffix.
type partitioned struct {
	table string
	by    period
	ahead int // how many partitions there are to be after the current one
	// onlyEmpty keeps a partition for as long as it has rows.
	onlyEmpty bool
	// clear is one chunk of deleting what hangs on the rows of a detached partition.
	clear func(ctx context.Context, conn *pgx.Conn, name string) (rows int, more bool, err error)
}

// partition is one of them, or a table that was one.
type partition struct {
	name     string
	from, to time.Time
	attached bool
	pending  bool // its detaching was cut off
}

const (
	// partitionChunk is how many partitions a transaction makes.
	partitionChunk = 20
)

// start is the beginning of the partition that holds t.
func (p period) start(t time.Time) time.Time {
	if p.months > 0 {
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func (p period) after(start time.Time, n int) time.Time {
	return start.AddDate(0, n*p.months, n*p.days)
}

func (p partitioned) named(start time.Time) partition {
	return partition{name: p.table + "_" + start.Format(p.by.suffix), from: start, to: p.by.after(start, 1)}
}

// wanted are the partitions there are to be, the last one included.
func (p partitioned) wanted(now time.Time) []partition {
	current := p.by.start(now)
	var all []partition
	for i := -1; i <= p.ahead; i++ {
		all = append(all, p.named(p.by.after(current, i)))
	}
	return all
}

// partitionsOf returns those there are, the oldest first.
func partitionsOf(ctx context.Context, q db.Querier, p partitioned) ([]partition, error) {
	rows, err := q.Query(ctx, `
		select c.relname, i.inhrelid is not null, coalesce(i.inhdetachpending, false)
		from pg_class t join pg_class c on c.relnamespace = t.relnamespace and c.relkind = 'r' and c.relname like $2
		left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = t.oid
		where t.oid = to_regclass($1) order by 1`, p.table, p.table+`\_%`)
	found, err := db.Collect(rows, err, func(row pgx.Row, x *partition) error { return row.Scan(&x.name, &x.attached, &x.pending) })
	if err != nil {
		return nil, err
	}
	var all []partition
	for _, x := range found {
		start, err := time.Parse(p.by.suffix, x.name[len(p.table)+1:])
		if err != nil {
			continue // a table of another's
		}
		x.from, x.to = start, p.by.after(start, 1)
		all = append(all, x)
	}
	return all, nil
}

// makePartitions is one chunk of making the partitions that are missing. A partition is
// made as a table and attached: that takes no lock which an insert or a reader of any
// length would hold up, as "partition of" does. There must be no default partition, which
// attaching would lock.
func (s *Store) makePartitions(ctx context.Context, p partitioned) (rows int, more bool, err error) {
	err = s.Alone(ctx, "partitions of "+p.table, func(tx pgx.Tx) error {
		there, err := partitionsOf(ctx, tx, p)
		if err != nil {
			return err
		}
		missing := slices.DeleteFunc(p.wanted(s.Now()), func(w partition) bool {
			return slices.ContainsFunc(there, func(t partition) bool { return t.name == w.name && t.attached })
		})
		rows = min(len(missing), partitionChunk)
		more = len(missing) > rows
		return p.attach(ctx, tx, missing[:rows])
	})
	return rows, more, db.Wrap(err, "making partitions of "+p.table)
}

// attach makes partitions in a transaction that ends after that. DDL waits for a lock only as long as others may
// wait behind it.
func (p partitioned) attach(ctx context.Context, tx pgx.Tx, missing []partition) error {
	b := &pgx.Batch{}
	b.Queue(`set local lock_timeout = '100ms'`)
	for _, m := range missing {
		b.Queue(sql.Text(`create table {partition} (like {table} including all)`, "partition", quoted(m.name), "table", quoted(p.table)))
		b.Queue(sql.Text(`alter table {table} attach partition {partition} for values from ({from}) to ({to})`,
			"table", quoted(p.table), "partition", quoted(m.name), "from", literal(m.from), "to", literal(m.to)))
	}
	return tx.SendBatch(ctx, b).Close()
}

// dropPartition is one chunk of dropping the partitions that ended before a time: the oldest
// one. It waits for nobody who works on the table, and nobody waits for it: where a backup,
// say, still reads, it fails, and is to be called again.
func (s *Store) dropPartition(ctx context.Context, p partitioned, before time.Time) (rows int, more bool, err error) {
	// A partition cannot be detached concurrently within a transaction.
	err = s.AloneOutside(ctx, "dropping partitions of "+p.table, func(conn *pgx.Conn) error {
		over, err := p.over(ctx, conn, before)
		if err != nil || len(over) == 0 {
			return err
		}
		if err := p.detach(ctx, conn, over[0]); err != nil {
			return err
		}
		if p.clear != nil {
			if rows, more, err = p.clear(ctx, conn, over[0].name); more || err != nil {
				return err
			}
		}
		if err := impatiently(ctx, conn, sql.Text(`drop table {partition}`, "partition", quoted(over[0].name))); err != nil {
			return err
		}
		rows, more = rows+1, len(over) > 1
		return nil
	})
	return rows, more, db.Wrap(err, "dropping a partition of "+p.table)
}

// over returns the partitions to be dropped. One whose detaching was cut off comes first:
// until it is detached no other can be.
func (p partitioned) over(ctx context.Context, q db.Querier, before time.Time) ([]partition, error) {
	all, err := partitionsOf(ctx, q, p)
	if err != nil {
		return nil, err
	}
	var over []partition
	for _, x := range all {
		if x.to.After(before) && !x.pending {
			continue
		}
		if p.onlyEmpty && x.attached && !x.pending {
			var used bool
			if err := q.QueryRow(ctx, sql.Text(`select exists (select from {partition})`, "partition", quoted(x.name))).Scan(&used); err != nil {
				return nil, err
			}
			if used {
				continue
			}
		}
		over = append(over, x)
	}
	slices.SortStableFunc(over, func(a, b partition) int { return first(a.pending) - first(b.pending) })
	return over, nil
}

func first(is bool) int {
	if is {
		return 0
	}
	return 1
}

// detach makes a partition a table of its own, where it is not yet. The next call continues whatever
// is cut off here.
func (p partitioned) detach(ctx context.Context, conn *pgx.Conn, x partition) error {
	names := []string{"table", quoted(p.table), "partition", quoted(x.name)}
	switch {
	case x.pending:
		return impatiently(ctx, conn, sql.Text(`alter table {table} detach partition {partition} finalize`, names...))
	case x.attached:
		return impatiently(ctx, conn, sql.Text(`alter table {table} detach partition {partition} concurrently`, names...))
	default:
		return nil
	}
}

// impatiently runs a statement that waits for locks only as long as others may wait behind it.
func impatiently(ctx context.Context, conn *pgx.Conn, statement string) error {
	if _, err := conn.Exec(ctx, `set lock_timeout = '100ms'`); err != nil {
		return err
	}
	defer func() { // else the connection is of no use to others
		if _, err := conn.Exec(context.WithoutCancel(ctx), `reset lock_timeout`); err != nil {
			_ = conn.Close(ctx)
		}
	}()
	_, err := conn.Exec(ctx, statement)
	return err
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal is a time as a constant, which DDL asks for.
func literal(t time.Time) string { return t.UTC().Format(`'2006-01-02 15:04:05Z'`) }
