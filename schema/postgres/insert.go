package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// postRows are the columns of posts to be made, one array each.
type postRows struct {
	ids              []schema.PostID
	workspaces       []schema.WorkspaceID
	brands           []schema.BrandID
	versions         []int32
	statuses         []int16
	scheduled        []*time.Time
	timezones        []string
	fromAPI          []bool
	platforms        []int32
	contents         []string
	left             []int16
	created, updated []time.Time
}

func (r *postRows) add(p *schema.Post) {
	r.ids, r.workspaces, r.brands = append(r.ids, p.ID), append(r.workspaces, p.Workspace), append(r.brands, p.Brand)
	r.versions, r.statuses = append(r.versions, p.Version), append(r.statuses, int16(p.Status))
	r.scheduled, r.timezones = append(r.scheduled, orNull(p.ScheduledFor)), append(r.timezones, p.Timezone)
	r.fromAPI, r.platforms = append(r.fromAPI, p.FromAPI), append(r.platforms, platformMask(p.Targets))
	r.contents, r.left = append(r.contents, string(encode(p.Content))), append(r.left, int16(len(p.Targets)))
	r.created, r.updated = append(r.created, p.CreatedAt), append(r.updated, p.UpdatedAt)
}

func (r *postRows) queue(batch *pgx.Batch) {
	insertPosts.queue(batch, pgx.StrictNamedArgs{
		"ids": idColumn(r.ids), "workspaces": idColumn(r.workspaces), "brands": idColumn(r.brands), "versions": r.versions,
		"statuses": r.statuses, "scheduled": r.scheduled, "timezones": r.timezones, "from_api": r.fromAPI,
		"platforms": r.platforms, "contents": r.contents, "left": r.left, "created": r.created, "updated": r.updated,
	})
}

var insertPosts = newStatement(`
	insert into posts (id, workspace_id, brand_id, version, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
	select id, workspace, brand, version, status, scheduled, timezone, api, platforms, content::json, n, created, updated
	from unnest(@ids::uuid[], @workspaces::uuid[], @brands::uuid[], @versions::int[], @statuses::int2[], @scheduled::timestamptz[],
		@timezones::text[], @from_api::bool[], @platforms::int[], @contents::text[], @left::int2[], @created::timestamptz[], @updated::timestamptz[])
		u (id, workspace, brand, version, status, scheduled, timezone, api, platforms, content, n, created, updated)`)

// platformMask is the set of platforms of the targets, for filtering.
func platformMask(targets []schema.Target) (mask int32) {
	for _, t := range targets {
		mask |= 1 << t.Platform
	}
	return mask
}

// targetRows are the columns of targets to be made.
type targetRows struct {
	posts     []schema.PostID
	ns        []int16
	versions  []int32
	accounts  []schema.AccountID
	platforms []int16
	contents  []string
	steps     []int16
	charged   []*time.Time
}

func (r *targetRows) add(p *schema.Post) {
	for _, t := range p.Targets {
		r.posts, r.ns, r.versions = append(r.posts, p.ID), append(r.ns, t.N), append(r.versions, p.Version)
		r.accounts, r.platforms = append(r.accounts, t.Account), append(r.platforms, int16(t.Platform))
		r.contents, r.steps = append(r.contents, t.Content), append(r.steps, int16(t.FirstStep))
		r.charged = append(r.charged, orNull(t.ChargedOn))
	}
}

func (r *targetRows) queue(batch *pgx.Batch) {
	insertTargets.queue(batch, pgx.StrictNamedArgs{
		"posts": idColumn(r.posts), "ns": r.ns, "versions": r.versions, "accounts": idColumn(r.accounts),
		"platforms": r.platforms, "contents": r.contents, "steps": r.steps, "charged": r.charged,
	})
}

var insertTargets = newStatement(`
	insert into targets (post_id, n, version, account_id, platform, content, step, charged_on)
	select * from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @accounts::uuid[], @platforms::int2[], @contents::text[], @steps::int2[], @charged::date[])`)

// jobRows are the columns of jobs to be made, near and far.
type jobRows struct{ near, far jobColumns }

type jobColumns struct {
	ids      []schema.JobID
	kinds    []int16
	shards   []int16
	due      []time.Time
	versions []int32
	payloads []string
}

func (r *jobRows) add(j schema.Job, now time.Time) {
	to := &r.far
	if within(j.DueAt, now) {
		to = &r.near
	}
	to.ids, to.kinds, to.shards = append(to.ids, j.ID), append(to.kinds, int16(j.Kind)), append(to.shards, j.Shard)
	to.due, to.versions, to.payloads = append(to.due, j.DueAt), append(to.versions, j.Version), append(to.payloads, string(j.Payload))
}

func (r *jobRows) queue(batch *pgx.Batch) {
	r.near.queue(batch, insertJobs)
	r.far.queue(batch, insertFarJobs)
}

func (c *jobColumns) queue(batch *pgx.Batch, insert *statement) {
	if len(c.ids) == 0 {
		return
	}
	insert.queue(batch, pgx.StrictNamedArgs{
		"ids": idColumn(c.ids), "kinds": c.kinds, "shards": c.shards, "due": c.due, "versions": c.versions, "payloads": c.payloads,
	})
}

var (
	insertJobs    = insertJobsInto("jobs")
	insertFarJobs = insertJobsInto("jobs_far")
)

func insertJobsInto(table string) *statement {
	return newStatement(`
	insert into ` + table + ` (id, kind, shard, due_at, version, payload)
	select id, kind, shard, due, version, payload::json
	from unnest(@ids::uuid[], @kinds::int2[], @shards::int2[], @due::timestamptz[], @versions::int[], @payloads::text[])
		u (id, kind, shard, due, version, payload)`)
}

// postJob is the one job of a post: it is due when the post is.
func postJob(p *schema.Post) schema.Job {
	job := schema.PostJob{
		Post: p.ID, Version: p.Version, Workspace: p.Workspace, Trace: p.Trace,
		Accounts: make([]schema.AccountID, len(p.Targets)), Platforms: make([]schema.Platform, len(p.Targets)),
	}
	for i, t := range p.Targets {
		job.Accounts[i], job.Platforms[i] = t.Account, t.Platform
	}
	return schema.Job{
		ID: schema.JobID(p.ID), Kind: schema.JobPost, Shard: schema.ShardOf(p.ID), DueAt: p.ScheduledFor.Truncate(time.Microsecond), Version: p.Version,
		Payload: appendPostJob(make([]byte, 0, documentSize), &job),
	}
}

func postMessages(p *schema.Post) []schema.PublishMessage {
	messages := make([]schema.PublishMessage, len(p.Targets))
	for i, t := range p.Targets {
		messages[i] = schema.PublishMessage{Post: p.ID, N: t.N, Version: p.Version, Workspace: p.Workspace, Account: t.Account, Platform: t.Platform, Trace: p.Trace}
	}
	return messages
}

// queueEvents adds the outbox row of a commit's events; nil without events.
func queueEvents(batch *pgx.Batch, events []schema.Event, now time.Time) *schema.EncodedEvents {
	if len(events) == 0 {
		return nil
	}
	b := schema.EventBatch{ID: schema.NewBatchID(now), Events: events}
	payload := appendEventBatch(make([]byte, 0, len(events)*2*documentSize), &b)
	batch.Queue(`insert into outbox (id, owed, sent_at, payload) values ($1, $2, now(), $3)`,
		b.ID, int16(schema.OwedNotify|schema.OwedAnalytics), payload)
	return &schema.EncodedEvents{ID: b.ID, Payload: payload}
}
