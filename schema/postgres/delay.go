package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/maintenance"
)

// Delay is the store of the delay stage.
type Delay struct {
	*Store
	*chores
}

// NewDelay returns the store of the delay stage.
func NewDelay(s *Store) *Delay { return &Delay{s, maintenance.New(s.DB)} }

// Now is PostgreSQL's clock, to within half a round trip.
func (d *Delay) Now() time.Time { return d.Store.Now() }

// Due returns jobs of the shards that are due after from and not after to, soonest
// first, at most limit.
func (d *Delay) Due(ctx context.Context, shards []int16, from, to time.Time, limit int) ([]schema.Job, error) {
	rows, err := d.Store.Pool.Query(ctx, `
		select id, kind, shard, due_at, version, payload from jobs
		where shard = any($1) and due_at > $2 and due_at <= $3
		order by due_at limit $4`, shards, from, to, limit)
	jobs, err := db.Collect(rows, err, tables.ScanJob)
	if err != nil {
		return nil, fmt.Errorf("reading due jobs: %w", db.Unavailable(err))
	}
	return jobs, nil
}

// Fired moves jobs whose messages are in the log on by the visibility timeout; a job
// that was moved or deleted meanwhile stays as it is. The commit is not waited for:
// losing it fires the jobs once more. Jobs that fired together are spread once they have
// fired in vain, and a delivery that waits behind others of its receiver fires ever less
// often.
func (d *Delay) Fired(ctx context.Context, jobs []schema.Job) error {
	ids, due, versions := make([]schema.JobID, len(jobs)), make([]time.Time, len(jobs)), make([]int32, len(jobs))
	for i, j := range jobs {
		ids[i], due[i], versions[i] = j.ID, j.DueAt, j.Version
	}
	batch := &pgx.Batch{}
	batch.Queue("begin")
	batch.Queue("set local synchronous_commit = off")
	batch.Queue(`
		update jobs j set
			due_at = now() + $4::interval * (1 + random() / 2 * least(j.fires, 1)) * case when j.kind = $5 then 1 << least(j.fires, 3) else 1 end,
			fires = least(j.fires + 1, 30000),
			overdue_since = case when j.fires > 0 and j.kind in (`+tables.JobPost+`, `+tables.JobComment+`) then coalesce(j.overdue_since, j.due_at - $4::interval) else j.overdue_since end
		from unnest($1::uuid[], $2::timestamptz[], $3::int[]) u (id, due_at, version)
		where j.id = u.id and j.due_at = u.due_at and j.version = u.version`, ids, due, versions, schema.VisibilityTimeout.String(), int16(schema.JobNotify))
	batch.Queue("commit")
	if err := d.Store.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("moving fired jobs on: %w", db.Unavailable(err))
	}
	return nil
}

// overdueLimit is how far overdue posts are counted, those that are not held and all.
const overdueLimit = 10_000

// Overdue tells of the posts and first comments of the shards that are past their time
// and not done, whatever they wait for. One whose first message is on its way for less
// than a visibility timeout is not counted yet. The oldest is of those that are not held,
// however many that are held stand before it.
func (d *Delay) Overdue(ctx context.Context, shards []int16) (schema.Overdue, error) {
	var oldest float64
	var o schema.Overdue
	err := d.Store.Pool.QueryRow(ctx, `
		with free as (
			select id, kind, overdue_since from jobs
			where overdue_since is not null and not held and shard = any($1) order by overdue_since limit $2
		), counted as (
			select (select count(*) from free) free, count(*) filter (where held) held from (
				select held from jobs where overdue_since is not null and shard = any($1) order by overdue_since limit $2
			) oldest
		), unfired as (
			select min(due_at) due_at from jobs where shard = any($1) and due_at < now() and not held
		)
		select coalesce(extract(epoch from now() - least(
				(select due_at from unfired),
				(select min(overdue_since) from free),
				(select min(coalesce(p.retried_for, p.scheduled_for)) from (select id from free where kind = `+tables.JobPost+` limit 100) w join posts p on p.id = w.id)
			)), 0)::float8, free + held, held from counted`, shards, overdueLimit).
		Scan(&oldest, &o.Waiting, &o.Held)
	if err != nil {
		return o, fmt.Errorf("reading what is overdue: %w", db.Unavailable(err))
	}
	o.Oldest = time.Duration(oldest * float64(time.Second))
	return o, nil
}
