package postgres_test

import (
	"strings"
	"testing"

	"crier/schema/postgres"
)

func TestTablesOfANewerVersionAreRefused(t *testing.T) {
	f := newFixture(t)
	if err := postgres.CheckMigrated(t.Context(), f.url); err != nil {
		t.Fatal(err)
	}
	f.exec(`insert into goose_db_version (version_id, is_applied) values (1000000, true)`)
	if err := postgres.CheckMigrated(t.Context(), f.url); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("CheckMigrated = %v", err)
	}
	if err := postgres.Migrate(t.Context(), f.url); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("Migrate = %v", err)
	}
}

// A PostgreSQL that was killed soon after its tables were made has lost the numbers that
// goose gave.
func TestMigrationsGoOnAfterTheirNumbersWereLost(t *testing.T) {
	f := newFixture(t)
	f.exec(`select setval('goose_db_version_id_seq', 1)`)
	if err := postgres.Migrate(t.Context(), f.url); err != nil {
		t.Fatal(err)
	}
	f.exec(`insert into goose_db_version (version_id, is_applied) values (27, true)`)
}
