package postgrestest

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/postgres"
)

// Reader is a process whose statements are counted by the rows that they read.
type Reader struct {
	*Fixture
	Store *postgres.Store
	Delay *postgres.Delay
}

// NewReader opens a process that has one connection.
func (f *Fixture) NewReader() Reader {
	f.Helper()
	store := f.open(1, prometheus.NewRegistry(), f.announce)
	return Reader{f, store, postgres.NewDelay(store)}
}

// WantReads fails the test where work reads more rows than a limit from the tables that grow.
func (r Reader) WantReads(limit int, work func()) {
	r.Helper()
	read := func() int {
		r.Helper()
		r.Exec(`select pg_stat_force_next_flush()`) // of what the test itself has read
		_, err := r.Store.Pool.Exec(r.Context(), `select pg_stat_force_next_flush()`)
		r.Must(err)
		return r.Count(`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables
			where relname in ('posts', 'targets', 'jobs', 'comments', 'deliveries', 'accounts', 'webhooks', 'outbox', 'collections', 'snapshots', 'receipts', 'inbox')`)
	}
	before := read()
	work()
	if n := read() - before; n > limit {
		r.Errorf("%d rows were read, want %d at most", n, limit)
	}
}

// AddUnrelatedRows makes rows that no chore is for: posts of next month and of last month, with their
// targets; jobs that are due in hours; deliveries and first comments that ended an hour ago.
func (f *Fixture) AddUnrelatedRows(n int) {
	f.Helper()
	f.Exec(fmt.Sprintf(`
		with p as (
			insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
			select uuidv7(), '%[2]s', 2, now() + interval '30 days', 'UTC', true, 1, '{}', 1, now(), now() from generate_series(1, %[1]d) returning id
		)
		insert into targets (post_id, n, version, account_id, platform, step, state, node, lease_until)
		select id, 0, 1, '%[3]s', 1, 0, 1, '%[4]s', now() from p`, n, UUIDText(schema.PostID(f.Workspace)), AccountUUIDText(f.Accounts[0]), NodeID))
	f.Exec(fmt.Sprintf(`
		insert into jobs (id, kind, shard, due_at, payload) select uuidv7(), 1, n %% 256, now() + interval '5 hours', '{}' from generate_series(1, %d) n`, n))
	f.Exec(fmt.Sprintf(`
		insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, node)
		select uuidv7(interval '-1 hour'), uuidv7(), uuidv7(), uuidv7(), 'x', '', 2, '%s' from generate_series(1, %d) n`, NodeID, n))
}

// NodeID is the node that has the claims of AddUnrelatedRows.
const NodeID = "09000000-0000-0000-0000-000000000000"

// ShiftClock sets the clock of the server for connections that are opened from now on: functions of the same names
// stand before PostgreSQL's own.
func (f *Fixture) ShiftClock(by time.Duration) {
	f.Helper()
	for _, sql := range []string{
		`create schema if not exists shifted`,
		fmt.Sprintf(`create or replace function shifted.now() returns timestamptz stable language sql as $$ select pg_catalog.now() + interval '%f seconds' $$`, by.Seconds()),
		fmt.Sprintf(`create or replace function shifted.clock_timestamp() returns timestamptz volatile language sql as $$ select pg_catalog.clock_timestamp() + interval '%f seconds' $$`, by.Seconds()),
		`do $$ begin execute format('alter database %I set search_path = public, shifted, pg_catalog', current_database()); end $$`,
	} {
		f.Exec(sql)
	}
}

// OpenProcess opens another store on the same database.
func (f *Fixture) OpenProcess() *postgres.Store {
	f.Helper()
	return f.open(3, prometheus.NewRegistry(), nil)
}

// Backlog reads the overdue jobs of a shard.
func (r Reader) Backlog(shard int16) []schema.Job {
	r.Helper()
	jobs, err := r.Delay.Backlog(r.Context(), []schema.JobPlace{{Shard: shard}}, r.Store.Now(), 4096)
	r.Must(err)
	return jobs
}

// AwaitLockWait waits until somebody waits for a lock.
func AwaitLockWait(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for deadline, waiting := time.Now().Add(Patience), false; !waiting; time.Sleep(5 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), `select exists (select from pg_locks where not granted)`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody waits for a lock")
		}
	}
}
