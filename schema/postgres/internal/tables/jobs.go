package tables

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// JobRows are the columns of jobs to be made, near and far.
type JobRows struct{ near, far []schema.Job }

// Add adds a job: a near one, or a far one.
func (r *JobRows) Add(j schema.Job, now time.Time) {
	if within(j.DueAt, now) {
		r.near = append(r.near, j)
	} else {
		r.far = append(r.far, j)
	}
}

// Queue adds the statements that insert the rows.
func (r *JobRows) Queue(batch *pgx.Batch) {
	queueInserts(batch, insertJobs, r.near)
	queueInserts(batch, insertFarJobs, r.far)
}

func queueInserts(batch *pgx.Batch, insert *db.Statement, jobs []schema.Job) {
	if len(jobs) == 0 {
		return
	}
	insert.Queue(batch, pgx.StrictNamedArgs{
		"ids":      db.IDColumn(lists.Map(jobs, func(j schema.Job) schema.JobID { return j.ID })),
		"kinds":    lists.Map(jobs, func(j schema.Job) int16 { return int16(j.Kind) }),
		"shards":   lists.Map(jobs, func(j schema.Job) int16 { return j.Shard }),
		"due":      lists.Map(jobs, func(j schema.Job) time.Time { return j.DueAt }),
		"versions": lists.Map(jobs, func(j schema.Job) int32 { return j.Version }),
		"payloads": lists.Map(jobs, func(j schema.Job) string { return string(j.Payload) }),
	})
}

var (
	insertJobs = db.NewStatement(`
	insert into jobs (id, kind, shard, due_at, version, payload)
	select id, kind, shard, due, version, payload::json from {unnested_jobs}`)

	// A job whose day has no partition goes to jobs: the index there grows, but nothing
	// waits for the partition.
	insertFarJobs = db.NewStatement(`
	with u as materialized (
		select *, to_regclass('jobs_far_' || to_char(due at time zone 'UTC', 'YYYYMMDD')) is not null as day from {unnested_jobs}
	), far as (
		insert into jobs_far (id, kind, shard, due_at, version, payload)
		select id, kind, shard, due, version, payload::json from u where day
	)
	insert into jobs (id, kind, shard, due_at, version, payload)
	select id, kind, shard, due, version, payload::json from u where not day`)
)

// PostJob is the one job of a post: it is due when the post is.
func PostJob(p *schema.Post) schema.Job {
	job := schema.PostJob{
		Post: p.ID, Version: p.Version, Workspace: p.Workspace, Due: p.ScheduledFor.UnixMicro(), Trace: p.Trace,
	}
	job.Accounts, job.Platforms = byNumber(p.Targets)
	return schema.Job{
		ID: schema.JobID(p.ID), Kind: schema.JobPost, Shard: schema.ShardOf(p.ID), DueAt: p.ScheduledFor.Truncate(time.Microsecond), Version: p.Version,
		Payload: appendPostJob(make([]byte, 0, documentSize), &job),
	}
}

// byNumber returns the accounts and platforms of targets, each at its target's number. Of a target
// that was deleted with its account there is no account.
func byNumber(targets []schema.Target) ([]schema.AccountID, []schema.Platform) {
	numbers := 0
	for _, t := range targets {
		numbers = max(numbers, int(t.N)+1)
	}
	accounts, platforms := make([]schema.AccountID, numbers), make([]schema.Platform, numbers)
	for n := range platforms {
		platforms[n] = targets[0].Platform // one that can be read
	}
	for _, t := range targets {
		accounts[t.N], platforms[t.N] = t.Account, t.Platform
	}
	return accounts, platforms
}

// PostMessages returns the messages that publish the targets of a post at once, as its job would.
func PostMessages(p *schema.Post) []schema.PublishMessage {
	messages := make([]schema.PublishMessage, len(p.Targets))
	for i, t := range p.Targets {
		messages[i] = schema.PublishMessage{
			Post: p.ID, N: t.N, Version: p.Version, Workspace: p.Workspace, Account: t.Account, Platform: t.Platform,
			Due: p.ScheduledFor.UnixMicro(), Trace: p.Trace,
		}
	}
	return messages
}

// MoveJobsOf runs a batch, makes the jobs of posts due when their targets are, and returns
// what to announce.
func MoveJobsOf(ctx context.Context, tx pgx.Tx, b *pgx.Batch, posts []schema.PostID, now time.Time) (schema.Announcement, error) {
	var moved []schema.Job
	QueueMove(b, MoveOpen, posts, posts, &moved)
	err := tx.SendBatch(ctx, b).Close()
	return schema.Announcement{Jobs: Soon(moved, now)}, err
}

// QueueMove adds a statement of MoveJobs, for posts and those of them with a target that goes on
// later. The jobs that it moves go to moved.
func QueueMove(b *pgx.Batch, move *db.Statement, posts, waiting []schema.PostID, moved *[]schema.Job) {
	move.Queue(b, pgx.StrictNamedArgs{
		"posts": posts, "waiting": waiting, "visibility": schema.VisibilityTimeout, "settle": schema.SettleTime,
	}).Query(db.CollectInto(moved, ScanJob))
}

// MoveOpen is MoveJobs of all open posts.
var MoveOpen = MoveJobs(`{open_posts}`)

// MoveJobs makes the jobs of posts in some statuses due when the first of their targets
// is. Where no target of a post waits, it only brings the job forward: firing early is
// harmless. One that is due though nothing of its post is has fired and is not moved on yet: that
// would move it beyond the time of a target that waits. A target that was neither claimed nor postponed
// has a message on its way already.
//
// A job that is parked stays so while one of its targets waits for a pause, though others go on: who lifts
// the pause finds it among those that are parked.
func MoveJobs(statuses string) *db.Statement {
	return db.NewStatement(sql.Text(`
	update jobs j set due_at = w.due_at,
		held = j.held and exists (select from targets t join posts p on p.id = t.post_id
			where t.post_id = j.id and t.state in {open_targets} and {paused(p.workspace_id, t.account_id, t.platform)}),
		overdue_since = coalesce(j.overdue_since, case when w.base < now() then w.base end)
	from (
		select t.post_id, min(coalesce(p.retried_for, p.scheduled_for)) base, min(case
			when t.state = {target_claimed} then t.lease_until + @settle::interval
			when t.claim = 0 and coalesce(t.next_at, now()) <= now() then now() + @visibility::interval
			else greatest(coalesce(t.next_at, now()), now()) end) due_at,
			bool_and(t.state = {target_claimed} or coalesce(t.next_at, now()) > now()) rests
		from targets t join posts p on p.id = t.post_id
		where t.post_id = any(@posts) and p.status in {statuses} and t.state in {open_targets} group by t.post_id
	) w
	where j.id = w.post_id and (w.due_at < j.due_at or w.rests and j.due_at <= now() or j.id = any(coalesce(@waiting::uuid[], '{}')))
	returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`, "statuses", statuses))
}

// Soon returns the jobs that must be announced, since delay would not read them in time.
func Soon(jobs []schema.Job, now time.Time) []schema.Job {
	return slices.DeleteFunc(jobs, func(j schema.Job) bool {
		return j.DueAt.After(now.Add(schema.AnnounceWindow))
	})
}

// ScanJob reads id, kind, shard, due_at, version and payload.
func ScanJob(row pgx.Row, j *schema.Job) error {
	return row.Scan((*[16]byte)(&j.ID), &j.Kind, &j.Shard, &j.DueAt, &j.Version, &j.Payload)
}

// within reports whether a job is due soon enough for jobs; others go to jobs_far.
func within(due, now time.Time) bool { return due.Before(now.Add(NearHorizon)) }

// NearHorizon is how far ahead jobs are kept in the indexed table.
const NearHorizon = 24 * time.Hour

// QueueNotifyJobs adds the jobs of deliveries whose first try is announced at once.
func QueueNotifyJobs(b *pgx.Batch, messages []schema.NotifyMessage, now time.Time) {
	var jobs JobRows
	for _, m := range messages {
		jobs.Add(schema.Job{
			ID: schema.JobID(m.Delivery), Kind: schema.JobNotify, Shard: schema.ShardOf(m.Webhook),
			DueAt: now.Add(schema.VisibilityTimeout), Payload: db.Encode(m),
		}, now)
	}
	jobs.Queue(b)
}

// DeleteDeliveries deletes deliveries to webhooks ($1), at most so many ($2), with their jobs, and
// returns how many. As whoever takes several, it locks webhooks, then deliveries, then jobs, each in
// the order of their ids.
const DeleteDeliveries = `
	with chosen as materialized (
		select d.id from unnest($1::uuid[]) u (webhook)
		cross join lateral (select id from deliveries where webhook_id = u.webhook order by id limit $2) d limit $2
	), locked as materialized (
		select id from deliveries where id in (select id from chosen) order by id for update
	), gone as (
		delete from deliveries d using locked where d.id = locked.id returning d.id
	), jobs as (
		delete from jobs j using gone where j.id = gone.id
	)
	select count(*) from gone`
