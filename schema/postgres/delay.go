package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Delay is the store of the delay stage.
type Delay struct {
	*Store
	round schema.PostID // how far the sweep's round over all posts is
}

// NewDelay returns the store of the delay stage.
func NewDelay(s *Store) *Delay { return &Delay{Store: s} }

// Due returns jobs of the shards that are due after from and not after to, soonest
// first, at most limit.
func (d *Delay) Due(ctx context.Context, shards []int16, from, to time.Time, limit int) ([]schema.Job, error) {
	rows, err := d.pool.Query(ctx, `
		select id, kind, shard, due_at, version, payload from jobs
		where shard = any($1) and due_at > $2 and due_at <= $3
		order by due_at limit $4`, shards, from, to, limit)
	jobs, err := collect(rows, err, scanJob)
	if err != nil {
		return nil, fmt.Errorf("reading due jobs: %w", unavailable(err))
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
			overdue_since = case when j.fires > 0 and j.kind in (`+jobPost+`, `+jobComment+`) then coalesce(j.overdue_since, j.due_at - $4::interval) else j.overdue_since end
		from unnest($1::uuid[], $2::timestamptz[], $3::int[]) u (id, due_at, version)
		where j.id = u.id and j.due_at = u.due_at and j.version = u.version`, ids, due, versions, schema.VisibilityTimeout.String(), int16(schema.JobNotify))
	batch.Queue("commit")
	if err := d.pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("moving fired jobs on: %w", unavailable(err))
	}
	return nil
}

// farDays is how many days ahead partitions of jobs_far are kept; posts are scheduled at
// most 90 days ahead.
const farDays = 100

// Promote moves far jobs that are due within a day into the indexed table, and drops
// those an edit, a cancel or a deletion has left behind. Only one process promotes at a
// time; the others do nothing.
func (d *Delay) Promote(ctx context.Context) (int64, error) {
	var promoted int64
	err := d.alone(ctx, "promote", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			with moved as (
				delete from jobs_far where due_at < now() + $1::interval returning *
			)
			insert into jobs (id, kind, shard, due_at, version, payload)
			select m.id, m.kind, m.shard, m.due_at, m.version, m.payload
			from moved m join posts p on p.id = m.id and p.version = m.version and p.status = $2
			on conflict (id) do nothing`, (nearHorizon + promoteEvery*3).String(), int16(schema.Scheduled))
		promoted = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("promoting far jobs: %w", unavailable(err))
	}
	return promoted, nil
}

// promoteEvery is how often Promote is to be called.
const promoteEvery = 5 * time.Minute

// MakePartitions makes the days of jobs_far that are missing, and drops those long past.
func (d *Delay) MakePartitions(ctx context.Context) error {
	err := d.alone(ctx, "partitions", func(tx pgx.Tx) error {
		today := d.Now().UTC().Truncate(24 * time.Hour)
		var statements []string
		for i := -1; i < farDays; i++ {
			statements = append(statements, makeFarDay(today.AddDate(0, 0, i)))
		}
		past := today.AddDate(0, 0, -3)
		for i := range 7 {
			statements = append(statements, "drop table if exists jobs_far_"+past.AddDate(0, 0, -i).Format("20060102"))
		}
		_, err := tx.Conn().PgConn().Exec(ctx, strings.Join(statements, ";")).ReadAll()
		return err
	})
	if err != nil {
		return fmt.Errorf("making partitions of far jobs: %w", unavailable(err))
	}
	return nil
}

// makeFarDay is the statement that makes one day of jobs_far.
func makeFarDay(day time.Time) string {
	return fmt.Sprintf(`create table if not exists jobs_far_%s partition of jobs_far for values from ('%s') to ('%s')`,
		day.Format("20060102"), day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly))
}

// alone runs work in a transaction that no other process runs at the same time; where
// one does, it does nothing.
func (s *Store) alone(ctx context.Context, name string, work func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(hashtext('crier ' || $1))`, name).Scan(&mine); err != nil || !mine {
			return err
		}
		if _, err := tx.Exec(ctx, `set local enable_seqscan = on`); err != nil {
			return err
		}
		return work(tx)
	})
}

// Observe looks at what is not counted as it happens.
func (d *Delay) Observe(ctx context.Context) (schema.Observation, error) {
	o := schema.Observation{Accounts: map[schema.Platform]schema.AccountCounts{}}
	var oldest float64
	err := d.pool.QueryRow(ctx, `
		select coalesce((select extract(epoch from now() - uuid_extract_timestamp(id)) from outbox order by id limit 1), 0)::float8`).Scan(&oldest)
	if err != nil {
		return o, fmt.Errorf("reading the age of the outbox: %w", unavailable(err))
	}
	o.OldestEvents = time.Duration(oldest * float64(time.Second))
	rows, err := d.pool.Query(ctx, `
		select a.platform, count(*), count(*) filter (where a.needs_reconnect or a.ended <> 0)
		from accounts a join workspaces w on w.id = a.workspace_id
		where a.disconnected_at is null and w.live_id is null group by a.platform`)
	if err != nil {
		return o, fmt.Errorf("counting accounts: %w", unavailable(err))
	}
	var platform schema.Platform
	var counts schema.AccountCounts
	_, err = pgx.ForEachRow(rows, []any{&platform, &counts.Connected, &counts.NeedReconnect}, func() error {
		o.Accounts[platform] = counts
		return nil
	})
	if err != nil {
		return o, fmt.Errorf("counting accounts: %w", unavailable(err))
	}
	return o, nil
}

// Forget deletes the answers of requests that are older than a day, old attempts,
// deliveries to webhooks and receipts that are older than their retention, and what was counted in days
// and months that are over: a unit of a day that is gone is given back to nobody.
func (d *Delay) Forget(ctx context.Context) error {
	err := d.alone(ctx, "forget", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `delete from idempotency where created_at < now() - $1::interval`,
			(schema.IdempotencyRetention + time.Hour).String())
		if err != nil {
			return err
		}
		if err := forgetDeadLetters(ctx, tx); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `delete from attempts where at < now() - $1::interval`, schema.AttemptRetention.String()); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `delete from app_turns where next_at < now() - interval '1 day'`); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from counters where period < current_date - $1::int`, countersKept)
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting what is old: %w", unavailable(err))
	}
	if err := d.forgetDeliveries(ctx); err != nil {
		return fmt.Errorf("forgetting old deliveries: %w", unavailable(err))
	}
	if err := d.forgetReceipts(ctx); err != nil {
		return fmt.Errorf("forgetting old receipts: %w", unavailable(err))
	}
	return nil
}

// forgetDeliveries goes by ids, which are in the order of time, a chunk at a time. One
// that is still pending stays until it has ended.
func (d *Delay) forgetDeliveries(ctx context.Context) error {
	oldest := schema.FirstDeliveryID(d.Now().Add(-schema.DeliveryRetention))
	for deleted := int64(historyChunk); deleted == historyChunk; {
		deleted = 0 // another process may be at it
		err := d.alone(ctx, "forget", func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `
				delete from deliveries where id in (
					select id from deliveries where id < $1 and state in `+endedDeliveries+` order by id limit $2)`, oldest, historyChunk)
			deleted = tag.RowsAffected()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countersKept is how many days counters are kept: this month and the last.
const countersKept = 62

// overdueLimit is how far overdue posts are counted, those that are not held and all.
const overdueLimit = 10_000

// Overdue tells of the posts and first comments of the shards that are past their time
// and not done, whatever they wait for. One whose first message is on its way for less
// than a visibility timeout is not counted yet. The oldest is of those that are not held,
// however many that are held stand before it.
func (d *Delay) Overdue(ctx context.Context, shards []int16) (schema.Overdue, error) {
	var oldest float64
	var o schema.Overdue
	err := d.pool.QueryRow(ctx, `
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
				(select min(coalesce(p.retried_for, p.scheduled_for)) from (select id from free where kind = `+jobPost+` limit 100) w join posts p on p.id = w.id)
			)), 0)::float8, free + held, held from counted`, shards, overdueLimit).
		Scan(&oldest, &o.Waiting, &o.Held)
	if err != nil {
		return o, fmt.Errorf("reading what is overdue: %w", unavailable(err))
	}
	o.Oldest = time.Duration(oldest * float64(time.Second))
	return o, nil
}
