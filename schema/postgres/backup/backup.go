// Package backup copies every table out under one snapshot, and into an empty database.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/migrations"
)

// Dump is what a backup holds: every table as it stood at one moment.
type Dump struct {
	At        time.Time     `json:"at"`
	Migration int64         `json:"migration"` // version of the tables
	FarDays   []string      `json:"farDays"`   // days of jobs_far that have rows, as YYYY-MM-DD; of older backups alone
	Tables    []DumpedTable `json:"tables"`    // those others refer to first

	Partitions []DumpedPartition `json:"partitions"` // of all partitioned tables
}

// DumpedPartition is a range of a time that a table has a partition for.
type DumpedPartition struct {
	Table string    `json:"table"`
	Name  string    `json:"name"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
}

// DumpedTable is one table of a dump, in PostgreSQL's text format of COPY.
type DumpedTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
}

// Backup writes every table to the writer that open gives for it, all under one snapshot,
// while others go on working. No key of the keyset is dropped meanwhile: once open is called,
// the keyset opens all that the snapshot holds.
func Backup(ctx context.Context, url string, open func(table string) (io.Writer, error)) (Dump, error) {
	var dump Dump
	err := withConn(ctx, url, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, `select pg_advisory_lock_shared(hashtext('crier keyset drop'))`); err != nil { // until the connection ends
			return err
		}
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			var err error
			if dump, err = describeTables(ctx, tx); err != nil {
				return err
			}
			for i := range dump.Tables {
				if err := copyOut(ctx, tx, &dump.Tables[i], open); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return dump, fmt.Errorf("backing PostgreSQL up: %w", err)
	}
	return dump, nil
}

func copyOut(ctx context.Context, tx pgx.Tx, t *DumpedTable, open func(string) (io.Writer, error)) error {
	w, err := open(t.Name)
	if err != nil {
		return err
	}
	tag, err := tx.Conn().PgConn().CopyTo(ctx, w, sql.Text(
		`copy (select {columns} from {table}) to stdout`, "columns", columnList(t.Columns), "table", quoted(t.Name)))
	if err != nil {
		return fmt.Errorf("copying table %s: %w", t.Name, err)
	}
	t.Rows = tag.RowsAffected()
	return nil
}

// describeTables lists the tables, except goose's own and the parts of partitioned ones.
func describeTables(ctx context.Context, tx pgx.Tx) (Dump, error) {
	dump := Dump{}
	err := tx.QueryRow(ctx, `select now(), (select max(version_id) from goose_db_version where is_applied)`).Scan(&dump.At, &dump.Migration)
	if err != nil {
		return dump, fmt.Errorf("reading the version of the tables: %w", err)
	}
	rows, err := tx.Query(ctx, `
		select c.relname, array_agg(a.attname::text order by a.attnum)
		from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		  and c.relname not in ('goose_db_version', 'restored_backup') and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		group by c.relname order by c.relname`)
	tables, err := db.Collect(rows, err, func(row pgx.Row, t *DumpedTable) error { return row.Scan(&t.Name, &t.Columns) })
	if err != nil {
		return dump, fmt.Errorf("listing the tables: %w", err)
	}
	if dump.Tables, err = inOrderOfReference(ctx, tx, tables); err != nil {
		return dump, err
	}
	rows, err = tx.Query(ctx, `
		select parent, name, bound[1]::timestamptz, bound[2]::timestamptz from (
			select t.relname as parent, c.relname as name, regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''(.*)''\) TO \(''(.*)''\)') bound
			from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class t on t.oid = i.inhparent
			where t.relkind = 'p' and t.relnamespace = current_schema()::regnamespace
		) p order by 1, 3`)
	dump.Partitions, err = db.Collect(rows, err, func(row pgx.Row, p *DumpedPartition) error { return row.Scan(&p.Table, &p.Name, &p.From, &p.To) })
	if err != nil {
		return dump, fmt.Errorf("listing the partitions: %w", err)
	}
	return dump, nil
}

// inOrderOfReference sorts tables so that each comes after those its foreign keys
// reference.
func inOrderOfReference(ctx context.Context, tx pgx.Tx, tables []DumpedTable) ([]DumpedTable, error) {
	type reference struct{ from, to string }
	rows, err := tx.Query(ctx, `
		select f.relname, t.relname from pg_constraint c
		join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
		where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and f.oid <> t.oid`)
	references, err := db.Collect(rows, err, func(row pgx.Row, r *reference) error { return row.Scan(&r.from, &r.to) })
	if err != nil {
		return nil, fmt.Errorf("listing the foreign keys: %w", err)
	}
	var ordered []DumpedTable
	placed := map[string]bool{}
	for len(ordered) < len(tables) {
		before := len(ordered)
		for _, t := range tables {
			waits := slices.ContainsFunc(references, func(r reference) bool { return r.from == t.Name && !placed[r.to] })
			if !placed[t.Name] && !waits {
				placed[t.Name] = true
				ordered = append(ordered, t)
			}
		}
		if len(ordered) == before {
			return nil, errors.New("the tables refer to each other in a circle")
		}
	}
	return ordered, nil
}

// Restore fills an empty database from a backup, in one transaction, and migrates it to
// this version of crier; restores.Store.Adopt then marks it. It refuses a database that is in use, and one whose tables are
// newer than the backup's: they cannot be migrated with the rows.
func Restore(ctx context.Context, url string, dump Dump, open func(table string) (io.ReadCloser, error)) error {
	if err := migrations.To(ctx, url, dump.Migration); err != nil {
		return err
	}
	err := withConn(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if err := emptyForRestore(ctx, tx, dump); err != nil {
				return err
			}
			for _, t := range dump.Tables {
				if err := copyIn(ctx, tx, t, open); err != nil {
					return err
				}
			}
			return noteRestored(ctx, tx, dump.At)
		})
	})
	if err != nil {
		return fmt.Errorf("restoring PostgreSQL: %w", err)
	}
	return migrations.Up(ctx, url)
}

// noteRestored leaves the moment of a backup with its rows, in a table that needs no version of the
// others: the database is marked by it once it is migrated, however this process ends.
func noteRestored(ctx context.Context, tx pgx.Tx, at time.Time) error {
	if _, err := tx.Exec(ctx, `create table restored_backup (at timestamptz not null)`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `insert into restored_backup values ($1)`, at)
	return err
}

// emptyForRestore removes the rows that migrations made, once it is sure that there are
// no others, and makes the partitions that the backup's rows need.
func emptyForRestore(ctx context.Context, tx pgx.Tx, dump Dump) error {
	var used bool
	if err := tx.QueryRow(ctx, `select exists (select from workspaces)`).Scan(&used); err != nil {
		return err
	}
	if used {
		return errors.New("the database is in use: restore into an empty one")
	}
	names := lists.Map(dump.Tables, func(t DumpedTable) string { return quoted(t.Name) })
	statements := []string{sql.Text(`truncate {tables}`, "tables", strings.Join(names, ", "))}
	for _, text := range dump.FarDays {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return fmt.Errorf("reading the days of far jobs: %w", err)
		}
		dump.Partitions = append(dump.Partitions, DumpedPartition{"jobs_far", "jobs_far_" + day.Format("20060102"), day, day.AddDate(0, 0, 1)})
	}
	for _, p := range dump.Partitions {
		statements = append(statements, fmt.Sprintf(`create table if not exists %s partition of %s for values from ('%s') to ('%s')`,
			quoted(p.Name), quoted(p.Table), p.From.Format(time.RFC3339), p.To.Format(time.RFC3339)))
	}
	_, err := tx.Conn().PgConn().Exec(ctx, strings.Join(statements, ";")).ReadAll()
	return err
}

func copyIn(ctx context.Context, tx pgx.Tx, t DumpedTable, open func(string) (io.ReadCloser, error)) error {
	r, err := open(t.Name)
	if err != nil {
		return err
	}
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, r, "copy "+quoted(t.Name)+" ("+columnList(t.Columns)+") from stdin")
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("filling table %s: %w", t.Name, err)
	}
	if tag.RowsAffected() != t.Rows {
		return fmt.Errorf("filling table %s: the backup says %d rows and has %d", t.Name, t.Rows, tag.RowsAffected())
	}
	return nil
}

// withConn runs work on a connection without the settings of crier's pools: copying has
// no time limit, its role's neither, and plans as it likes. Days of far jobs are days of UTC.
func withConn(ctx context.Context, url string, work func(*pgx.Conn) error) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("reading the URL of PostgreSQL: %w", db.WithoutPassword(err))
	}
	config.RuntimeParams["timezone"] = "UTC"
	db.WithoutLimits(config)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is lost by a connection that closes badly
	return work(conn)
}

func columnList(columns []string) string { return strings.Join(lists.Map(columns, quoted), ", ") }

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
