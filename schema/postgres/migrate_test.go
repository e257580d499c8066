package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/postgres"
	"crier/schema/postgres/backup"
	"crier/schema/postgres/migrations"
	"crier/schema/postgres/postgrestest"
)

func TestTablesOfANewerVersionAreRefused(t *testing.T) {
	f := newFixture(t)
	if err := postgres.CheckMigrated(t.Context(), f.URL); err != nil {
		t.Fatal(err)
	}
	f.Exec(`insert into goose_db_version (version_id, is_applied) values (1000000, true)`)
	if err := postgres.CheckMigrated(t.Context(), f.URL); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("CheckMigrated = %v", err)
	}
	if err := postgres.Migrate(t.Context(), f.URL); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("Migrate = %v", err)
	}
}

// A PostgreSQL that was killed soon after its tables were made has lost the numbers that
// goose gave.
func TestMigrationsGoOnAfterTheirNumbersWereLost(t *testing.T) {
	f := newFixture(t)
	f.Exec(`select setval('goose_db_version_id_seq', 1)`)
	if err := postgres.Migrate(t.Context(), f.URL); err != nil {
		t.Fatal(err)
	}
	f.Exec(`insert into goose_db_version (version_id, is_applied) values (27, true)`)
}

// An index that was being built, and one that was being dropped, are in nobody's way.
func TestAnIndexThatWasCutOffIsBuiltAnew(t *testing.T) {
	f := newFixture(t)
	f.Exec(`create index posts_schedule_next on posts (id)`)
	f.Exec(`create index posts_schedule_before on posts (id)`)
	f.Exec(`delete from goose_db_version where version_id >= 72`)
	if err := postgres.Migrate(t.Context(), f.URL); err != nil {
		t.Fatal(err)
	}
	if n := f.Count(`select count(*) from pg_indexes where tablename = 'posts' and indexdef like '%INCLUDE (from_api%'`); n != 4 {
		t.Errorf("%d indexes have what lists ask for, want 4", n)
	}
	if n := f.Count(`select count(*) from pg_indexes where indexname ~ '^posts_.*_(next|before)$'`); n != 0 {
		t.Errorf("%d indexes are left over", n)
	}
}

// docs/operating/operation.md lets a role have the limits that crier's connections begin with.
func TestLimitsOfARoleEndNoMigrationAndNoBackup(t *testing.T) {
	f := newFixture(t)
	f.Exec(`do $$ begin execute format('alter database %I set statement_timeout = 1', current_database()); end $$`) // milliseconds
	f.Exec(`delete from goose_db_version where version_id = (select max(version_id) from goose_db_version)`)
	if err := postgres.Migrate(t.Context(), f.URL); err != nil {
		t.Error(err)
	}
	if _, err := backup.Backup(t.Context(), f.URL, postgrestest.Dump{}.Create); err != nil {
		t.Error(err)
	}
}

// A migration that needs a table alone leaves it to whoever is at work on it, and does not
// have others wait behind it.
func TestAMigrationHoldsUpNobody(t *testing.T) {
	for _, at := range []work{{29, "webhooks", "access share"}, {32, "posts", "access share"}, {39, "accounts", "row exclusive"}, {48, "media", "access share"}} {
		t.Run(at.table, func(t *testing.T) {
			t.Parallel()
			at.holdUpNobody(t)
		})
	}
}

// work is what somebody is at: one of the tables of a version.
type work struct {
	version int64
	table   string
	mode    string // of its lock: that of a reader, or a writer
}

// holdUpNobody migrates while somebody is at work.
func (w work) holdUpNobody(t *testing.T) {
	t.Helper()
	ctx, url := t.Context(), embeddedtest.Postgres(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(migrations.To(ctx, url, w.version))
	long, err := pgx.Connect(ctx, url)
	must(err)
	other, err := pgx.Connect(ctx, url)
	must(err)
	_, err = long.Exec(ctx, `begin; lock table `+w.table+` in `+w.mode+` mode`)
	must(err)
	migrated := make(chan error)
	go func() { migrated <- postgres.Migrate(ctx, url) }()
	for until := time.Now().Add(1500 * time.Millisecond); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		patience, cancel := context.WithTimeout(ctx, time.Second)
		_, err := other.Exec(patience, `update `+w.table+` set id = id where false`)
		if cancel(); err != nil {
			t.Errorf("a writer waits behind the migration: %v", err)
			break
		}
	}
	_, err = long.Exec(ctx, `commit`)
	must(err)
	must(<-migrated)
	must(postgres.CheckMigrated(ctx, url))
}
