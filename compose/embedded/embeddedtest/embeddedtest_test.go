package embeddedtest_test

import (
	"testing"

	"crier/compose/embedded/embeddedtest"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func TestPostgresDatabasesAreFreshAndApart(t *testing.T) {
	for range 2 {
		conn, err := pgx.Connect(t.Context(), embeddedtest.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(), "CREATE TABLE posts ()"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClickHouseDatabasesAreFreshAndApart(t *testing.T) {
	for range 2 {
		options, err := clickhouse.ParseDSN(embeddedtest.ClickHouse(t))
		if err != nil {
			t.Fatal(err)
		}
		conn, err := clickhouse.Open(options)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.Exec(t.Context(), "CREATE TABLE posts (id UInt64) ENGINE = MergeTree ORDER BY id"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLogTakesConnections(t *testing.T) {
	if addr := embeddedtest.Log(t); addr == "" {
		t.Fatal("no address")
	}
}
