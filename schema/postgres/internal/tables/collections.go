package tables

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// CollectionJob is the job of something that is collected.
func CollectionJob(m schema.CollectMessage, due time.Time) schema.Job {
	return schema.Job{
		ID: schema.JobID(m.Collection), Kind: schema.JobCollect, Shard: schema.ShardOf(m.Account), DueAt: due.Truncate(time.Microsecond), Payload: db.Encode(m),
	}
}

// QueueCollectionJobs adds the statement that makes jobs due when their collections are, or
// makes them. They stay in the indexed table however far off they are: there are a few an
// account.
func QueueCollectionJobs(b *pgx.Batch, jobs []schema.Job) {
	queueInserts(b, putCollectionJobs, jobs)
}

var putCollectionJobs = db.NewStatement(`
	insert into jobs (id, kind, shard, due_at, version, payload)
	select id, kind, shard, due, version, payload::json from {unnested_jobs} order by id
	on conflict (id) do update set due_at = excluded.due_at, fires = 0`)

// QueueCollections adds the statement that has things collected of accounts from now on, as far as
// their platforms tell them, and gives the jobs of those that are due by it to due. What rests
// is due again; what is due later is so sooner only where sooner is set. The metrics of posts are
// due when the first of the snapshots is, and comments on what was just posted when it is first looked
// for them: an account that publishes all day is not read for each post. It is one statement, in the
// order of accounts, whoever of them has what collected: two that overlap would wait for each other
// otherwise.
func QueueCollections(b *pgx.Batch, c Collecting, due *[]schema.Job) {
	var platforms, whats []int16
	for _, what := range schema.AllCollected() {
		for _, p := range schema.Platforms() {
			if p.Collects(what) {
				platforms, whats = append(platforms, int16(p)), append(whats, int16(what))
			}
		}
	}
	b.Queue(sql.Text(`
		insert into collections as c (id, account_id, workspace_id, what, due_at)
		select gen_random_uuid(), a.id, a.workspace_id, u.what, case
			when u.what = {collect_metrics} then (select min(s.due_at) from snapshots s where s.account_id = a.id)
			when a.id = any(@accounts) then @now::timestamptz
			else @now::timestamptz + @look::interval end
		from accounts a join unnest(@platforms::int2[], @whats::int2[]) u (platform, what) on u.platform = a.platform
		where a.id = any(@all) and (a.id = any(@accounts) or u.what in ({collect_metrics}, {collect_comments})) and {collected_account}
		order by a.id, u.what
		on conflict (account_id, what) do update set due_at = excluded.due_at
			where excluded.due_at is not null and (c.due_at is null
				or @sooner::bool and excluded.due_at < c.due_at
				or c.what = {collect_comments} and c.due_at < excluded.due_at and c.lease_until > @now::timestamptz - @look::interval) -- who reads may not know the post
		returning c.id, c.account_id, c.workspace_id, c.what, c.due_at, (select a.platform from accounts a where a.id = c.account_id)`),
		pgx.StrictNamedArgs{"now": c.Now, "platforms": platforms, "whats": whats, "all": slices.Concat(c.Accounts, c.Posted), "accounts": c.Accounts, "look": schema.FirstCommentLook, "sooner": c.Sooner}).
		Query(func(rows pgx.Rows) error {
			jobs, err := db.Collect(rows, nil, ScanCollectionJob)
			for _, j := range jobs {
				if !j.DueAt.IsZero() {
					*due = append(*due, j)
				}
			}
			return err
		})
}

// Collecting is what is to be collected of which accounts.
type Collecting struct {
	Accounts []schema.AccountID // all that their platforms tell
	Posted   []schema.AccountID // what is about posts alone: metrics and comments
	Sooner   bool
	Now      time.Time
}

// ScanCollectionJob reads id, account, workspace, what, due_at and platform of a collection as
// its job; without a due_at it has none.
func ScanCollectionJob(row pgx.Row, j *schema.Job) error {
	var m schema.CollectMessage
	var due time.Time
	if err := row.Scan((*[16]byte)(&m.Collection), (*[16]byte)(&m.Account), (*[16]byte)(&m.Workspace), &m.What, db.OrZero(&due), &m.Platform); err != nil {
		return err
	}
	*j = CollectionJob(m, due)
	return nil
}
