package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/maintenance"
)

// Delay is the store of the delay stage.
type Delay struct {
	*Store
	*chores
	unfired unfired
}

// NewDelay returns the store of the delay stage.
func NewDelay(s *Store) *Delay { return &Delay{Store: s, chores: maintenance.New(s.DB)} }

// Now is PostgreSQL's clock, to within half a round trip. While a jump of it is not confirmed, it is the clock as it was
// before: what would be due by the jump alone is not fired.
func (d *Delay) Now() time.Time {
	now, _ := d.Store.Clock.Confirmed()
	return now
}

// Due returns jobs of the shards that are due after from and not after to, soonest
// first, at most limit.
func (d *Delay) Due(ctx context.Context, shards []int16, from, to time.Time, limit int) ([]schema.Job, error) {
	rows, err := d.Store.Pool.Query(ctx, `
		select id, kind, shard, due_at, version, payload from jobs
		where shard = any($1) and due_at > $2 and due_at <= $3
		order by due_at limit $4`, shards, from, to, limit)
	jobs, err := db.Collect(rows, err, tables.ScanJob)
	return jobs, db.Wrap(err, "reading due jobs")
}

// Backlog returns jobs after a place in each shard and due by to, at most limit of each
// shard. Each range is read from the index, including jobs that are due at the same time.
// They are sorted by shard.
func (d *Delay) Backlog(ctx context.Context, after []schema.JobPlace, to time.Time, limit int) ([]schema.Job, error) {
	shards, due, ids := make([]int16, len(after)), make([]time.Time, len(after)), make([]schema.JobID, len(after))
	for i, p := range after {
		shards[i], due[i], ids[i] = p.Shard, p.DueAt, p.ID
	}
	rows, err := d.Store.Pool.Query(ctx, `
		select j.id, j.kind, j.shard, j.due_at, j.version, j.payload
		from unnest(@shards::int2[], @due::timestamptz[], @ids::uuid[]) u (shard, due_at, id)
		cross join lateral (
			select * from jobs
			where shard = u.shard and (due_at, id) > (u.due_at, u.id) and due_at <= @to
			order by due_at, id limit @limit
		) j`, pgx.StrictNamedArgs{"shards": shards, "due": due, "ids": db.IDColumn(ids), "to": to, "limit": limit})
	jobs, err := db.Collect(rows, err, tables.ScanJob)
	return jobs, db.Wrap(err, "reading overdue jobs")
}

// Fired moves jobs whose messages are in the log on by the visibility timeout, and returns those that it moved. A job
// that was moved or deleted meanwhile, or is locked by somebody who does, stays as it is.
//
// It waits for no lock: it holds those of many jobs, and whoever holds that of a post takes those of jobs in any order.
// It does not wait for the disk: a lost commit fires the jobs once more. Jobs that fired together are spread if nobody
// has handled them. What may wait behind much else fires less and less often: a delivery behind others of its receiver,
// the reading of an account behind all that is published.
func (d *Delay) Fired(ctx context.Context, jobs []schema.Job) (fired []schema.FiredJob, err error) {
	ids, due, versions := make([]schema.JobID, len(jobs)), make([]time.Time, len(jobs)), make([]int32, len(jobs))
	for i, j := range jobs {
		ids[i], due[i], versions[i] = j.ID, j.DueAt, j.Version
	}
	batch := &pgx.Batch{}
	batch.Queue("begin")
	db.QueueAsync(batch)
	batch.Queue(sql.Text(`
		with free as materialized (
			select j.id from unnest($1::uuid[], $2::timestamptz[], $3::int[]) u (id, due_at, version)
			join jobs j on j.id = u.id and j.due_at = u.due_at and j.version = u.version
			for no key update of j skip locked
		)
		update jobs j set
			due_at = now() + $4::interval * (1 + random() / 2 * least(j.fires, 1)) * case when j.kind = any($5) then 1 << least(j.fires, 3) else 1 end,
			fires = least(j.fires + 1, 30000),
			overdue_since = case when j.fires > 0 and j.kind in ({job_post}, {job_comment}) then coalesce(j.overdue_since, j.due_at - $4::interval) else j.overdue_since end
		from free
		where j.id = free.id
		returning j.id, j.due_at`), ids, due, versions, schema.VisibilityTimeout.String(), []int16{int16(schema.JobNotify), int16(schema.JobCollect)}).
		Query(db.CollectInto(&fired, func(row pgx.Row, f *schema.FiredJob) error {
			return row.Scan((*[16]byte)(&f.ID), &f.DueAt)
		}))
	batch.Queue("commit")
	err = d.Store.Pool.SendBatch(ctx, batch).Close()
	return fired, db.Wrap(err, "moving fired jobs on")
}

// Unanswered returns the fired jobs that nobody has deleted or put off: they still wait for their effect.
func (d *Delay) Unanswered(ctx context.Context, fired []schema.FiredJob) ([]schema.JobID, error) {
	ids, due := make([]schema.JobID, len(fired)), make([]time.Time, len(fired))
	for i, f := range fired {
		ids[i], due[i] = f.ID, f.DueAt
	}
	// The limit keeps the planner from joining with all jobs, which it prefers of a herd that dead rows have made large.
	rows, err := d.Store.Pool.Query(ctx, `
		select u.id from unnest($1::uuid[], $2::timestamptz[]) u (id, due_at)
		cross join lateral (select from jobs j where j.id = u.id and j.due_at = u.due_at limit 1) waiting`,
		db.IDColumn(ids), due)
	waiting, err := db.Collect(rows, err, db.ScanID[schema.JobID])
	return waiting, db.Wrap(err, "reading what was fired")
}

const (
	// overdueLimit is how far overdue posts are counted: those that are held, and the others.
	overdueLimit = 10_000
	// unfiredLook is how many due jobs of a shard are searched for one of a post or a first comment. Where none of
	// so many is one, the last of them counts: one may follow.
	unfiredLook = 100
)

// Overdue returns figures of the posts and first comments of the shards that are past their time and have not ended,
// for any reason. One that has not fired, or whose first message was sent less than a visibility timeout ago, is not
// counted yet.
//
// The oldest is the oldest of those that are not held. Of jobs that have not fired, the first of each shard is enough;
// those of deliveries and accounts do not count. After a jump of the clock, ages are by the clock of before, and what was
// noted while the clock was ahead is not late yet.
//
// What a member's pause and another hold are both on counts as the other's.
func (d *Delay) Overdue(ctx context.Context, shards []int16) (schema.Overdue, error) {
	var oldest float64
	var first time.Time
	var o schema.Overdue
	now, lowWater := d.Now(), d.unfired.of(shards)
	from := lowWater.Start(now)
	latest := d.Store.Clock.Due.Latest(time.Now())
	err := d.Store.Pool.QueryRow(ctx, sql.Text(`
		with free as materialized (
			select id, kind, overdue_since from jobs
			where overdue_since is not null and not held and shard = any($1) order by overdue_since limit $2
		), held as materialized (
			select id from jobs where held and shard = any($1) order by overdue_since, id limit $2
		), paused as (
			select count(*) n from held k where exists (select from holds where kind = {paused_by_member}) and (exists (
				select from targets t join posts p on p.id = t.post_id join holds h on h.subject = t.account_id and h.kind = {paused_by_member}
				where t.post_id = k.id and t.state in {open_targets} and not {reviewed(p.id, p.id)}
			) and not exists (
				select from targets t join posts p on p.id = t.post_id
				join holds o on o.kind <> {paused_by_member} and (o.subject in (p.workspace_id, t.account_id) or o.platform = t.platform)
				where t.post_id = k.id and t.state in {open_targets}
			) or exists (
				select from comments c join accounts a on a.id = c.account_id join holds h on h.subject = a.id and h.kind = {paused_by_member}
				where c.id = k.id and not {reviewed(c.post_id, c.id)} and not exists (
					select from holds o where o.kind <> {paused_by_member} and (o.subject in (c.workspace_id, a.id) or o.platform = a.platform))))
		), counted as (
			select (select count(*) from free) free, (select count(*) from held) held, (select n from paused) paused
		), unfired as (
			select min(j.first) first, min(j.late) late from unnest($1::int2[]) u (shard) cross join lateral (
				select min(due_at) first,
					coalesce(min(due_at) filter (where kind in ({job_post}, {job_comment})), case when count(*) = $4 then max(due_at) end) late
				from (
					select due_at, kind from jobs where shard = u.shard and due_at >= $3 and due_at < least(now(), $5) and not held order by due_at, id limit $4
				) due
			) j
		)
		select coalesce(extract(epoch from least(now(), $5::timestamptz) - least(
				(select late from unfired),
				(select min(overdue_since) from free where overdue_since < now()),
				(select min(coalesce(p.retried_for, p.scheduled_for)) from (select id from free where kind = {job_post} limit 100) w join posts p on p.id = w.id)
			)), 0)::float8, free + held, held, paused, (select first from unfired) from counted`), shards, overdueLimit, from, unfiredLook, latest).
		Scan(&oldest, &o.Waiting, &o.Held, &o.Paused, db.OrZero(&first))
	if err != nil {
		return o, db.Wrap(err, "reading what is overdue")
	}
	lowWater.Note(from, first, now)
	o.Oldest = max(0, time.Duration(oldest*float64(time.Second)))
	return o, nil
}

// unfired is since when shards may have jobs that are due and have not fired.
type unfired struct {
	mu       sync.Mutex
	shards   []int16
	lowWater *db.LowWater
}

// of returns the low water of shards; a new one if they are not those of the last call.
func (u *unfired) of(shards []int16) *db.LowWater {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lowWater == nil || !slices.Equal(u.shards, shards) {
		u.shards, u.lowWater = slices.Clone(shards), &db.LowWater{}
	}
	return u.lowWater
}
