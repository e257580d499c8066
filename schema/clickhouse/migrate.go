package clickhouse

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// migrations holds idempotent statements, each ended by a semicolon at the end of a line unless
// it is the last of its file; the names sort in their order.
// ClickHouse has no transactions for DDL: a migration that was interrupted, or that two
// processes run at once, is simply run again. Where it fails because another process has gone on
// to a later one, which drops what it needs, it is noted as done.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the tables to this version of crier, forward only.
func Migrate(ctx context.Context, c Config) (err error) {
	conn, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.Exec(ctx, `
		create table if not exists migrations (name String, at DateTime('UTC') default now())
		engine = ReplacingMergeTree order by name`); err != nil {
		return fmt.Errorf("migrating ClickHouse: %w", err)
	}
	names, err := pending(ctx, conn)
	if errors.Is(err, errNewer) {
		return err
	}
	if err != nil {
		return fmt.Errorf("migrating ClickHouse: %w", err)
	}
	for _, name := range names {
		if err := migrate(ctx, conn, name); err != nil {
			return fmt.Errorf("migrating ClickHouse: %s: %w", name, err)
		}
	}
	return nil
}

func migrate(ctx context.Context, conn driver.Conn, name string) error {
	statements, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(string(statements), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := conn.Exec(ctx, statement); err != nil {
			if left, unread := pending(ctx, conn); unread == nil && !slices.Contains(left, name) {
				return nil
			}
			return err
		}
	}
	return conn.Exec(ctx, `insert into migrations (name) values ({name:String})`, driver.NamedValue{Name: "name", Value: name})
}

// checkMigrated returns errNotMigrated if the tables are of an older version of crier, and
// errNewer if they are of a newer one.
func checkMigrated(ctx context.Context, conn driver.Conn) error {
	var tables uint64
	err := conn.QueryRow(ctx, `
		select count() from system.tables where database = currentDatabase() and name = 'migrations'`).Scan(&tables)
	if err != nil {
		return fmt.Errorf("looking at the tables of ClickHouse: %w", err)
	}
	if tables == 0 {
		return errNotMigrated
	}
	names, err := pending(ctx, conn)
	if errors.Is(err, errNewer) {
		return err
	}
	if err != nil {
		return fmt.Errorf("looking at the tables of ClickHouse: %w", err)
	}
	if len(names) > 0 {
		return errNotMigrated
	}
	return nil
}

var (
	errNotMigrated = errors.New("the tables of ClickHouse are not of this version: run crier migrate with the same --clickhouse")
	errNewer       = errors.New("the tables of ClickHouse are of a newer version of crier, which this one would damage: run that version, or a newer one")
)

// renamed are migrations by what they were called when earlier versions ran them.
var renamed = map[string]string{
	"migrations/00005_events_position.sql": "migrations/00002_events_position.sql",
}

// pending returns the migrations that have not run yet, in their order; errNewer where one ran
// that this version does not know.
func pending(ctx context.Context, conn driver.Conn) ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var done []struct {
		Name string `ch:"name"`
	}
	if err := conn.Select(ctx, &done, `select distinct name from migrations`); err != nil {
		return nil, err
	}
	left := slices.Clone(names)
	for _, d := range done {
		name := cmp.Or(renamed[d.Name], d.Name)
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%w (it ran %s)", errNewer, d.Name)
		}
		left = slices.DeleteFunc(left, func(l string) bool { return l == name })
	}
	return left, nil
}
