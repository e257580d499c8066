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

// Two processes see an hour ahead, and back: by none of them is anything due for it.
func TestWhatIsDueByAJumpAloneWaits(t *testing.T) {
	f := newFixture(t)
	f.shiftClock(0)
	stores := []*postgres.Store{f.anotherProcess(), f.anotherProcess()}
	p := f.create(f.post(1, 0))
	waits := f.claimOne(p, 0)
	f.finish(waits, schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, Message: "wait", RetryAfter: 10 * time.Minute}})
	f.create(f.post(1, 10*time.Minute))
	ref := schema.TargetRef{Post: p.ID, Version: p.Version}
	for _, jump := range []time.Duration{time.Hour, 0, -time.Hour, 0} {
		f.shiftClock(jump)
		for _, store := range stores {
			f.must(store.Clock.Sync(t.Context()))
			delay := postgres.NewDelay(store)
			want := min(jump, 0) // back it is followed at once
			if server, due := store.Now().Sub(f.store.Now()), delay.Now().Sub(f.store.Now()); (server-jump).Abs() > 5*time.Second || (due-want).Abs() > 5*time.Second {
				t.Errorf("by a clock %v ahead what is due at %v ahead fires, want %v", server, due, want)
			}
			claimed, err := postgres.NewPublish(store, constraints).Claim(t.Context(), []schema.TargetRef{ref})
			if err != nil || len(claimed) != 0 {
				t.Errorf("%v ahead, what waits for ten minutes was claimed: %+v, %v", jump, claimed, err)
			}
			overdue, err := delay.Overdue(t.Context(), allShards())
			if err != nil || overdue.Oldest < 0 || overdue.Oldest > time.Minute {
				t.Errorf("%v ahead, the oldest is %v late, %v", jump, overdue.Oldest, err)
			}
		}
	}
}

// What was noted while the clock was ahead makes no figure negative once it is back.
func TestNothingIsLessThanNotOverdue(t *testing.T) {
	f := newFixture(t)
	f.create(f.post(1, 0))
	f.exec(`update jobs set overdue_since = now() + interval '1 hour', due_at = now() + interval '1 hour'`)
	f.exec(`update posts set scheduled_for = now() + interval '57 minutes'`)
	if overdue := f.overdue(); overdue.Oldest != 0 {
		t.Errorf("the oldest is %v late", overdue.Oldest)
	}
}

func allShards() []int16 {
	shards := make([]int16, schema.Shards)
	for i := range shards {
		shards[i] = int16(i)
	}
	return shards
}
