package postgres_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/postgres"
)

// shiftClock has functions of the same names stand before PostgreSQL's own, for
// connections that are opened from now on.
func (f *fixture) shiftClock(by time.Duration) {
	f.Helper()
	for _, sql := range []string{
		`create schema if not exists shifted`,
		fmt.Sprintf(`create or replace function shifted.now() returns timestamptz stable language sql as $$ select pg_catalog.now() + interval '%f seconds' $$`, by.Seconds()),
		fmt.Sprintf(`create or replace function shifted.clock_timestamp() returns timestamptz volatile language sql as $$ select pg_catalog.clock_timestamp() + interval '%f seconds' $$`, by.Seconds()),
		`do $$ begin execute format('alter database %I set search_path = public, shifted, pg_catalog', current_database()); end $$`,
	} {
		f.exec(sql)
	}
}

// anotherProcess is a store of its own on the same database.
func (f *fixture) anotherProcess() *postgres.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), postgres.Config{
		URL: f.url, MaxConns: 3, MaxLateness: maxLateness, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(store.Close)
	return store
}

func TestAJumpOfTheClockLeavesACallItsLease(t *testing.T) {
	f := newFixture(t)
	f.shiftClock(0)
	mine, others := postgres.NewPublish(f.anotherProcess(), constraints), postgres.NewPublish(f.anotherProcess(), constraints)
	p := f.create(f.post(2, 0))
	ref := schema.TargetRef{Post: p.ID, Version: p.Version}
	if got, err := mine.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) != 1 {
		t.Fatalf("claimed %+v, %v", got, err)
	}
	f.shiftClock(10 * time.Minute)
	if got, err := others.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) > 0 {
		t.Errorf("while the call may be in hand another process claimed %+v, %v", got, err)
	}
	ref.N = 1
	if got, err := others.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) != 1 {
		t.Errorf("claimed %+v, %v of what is free", got, err)
	}
}
