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
	batch.Queue(`
		insert into posts (id, workspace_id, brand_id, version, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
		select id, workspace, brand, version, status, scheduled, timezone, api, platforms, content::json, n, created, updated
		from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::int2[], $6::timestamptz[], $7::text[], $8::bool[], $9::int[], $10::text[], $11::int2[], $12::timestamptz[], $13::timestamptz[])
			u (id, workspace, brand, version, status, scheduled, timezone, api, platforms, content, n, created, updated)`,
		idColumn(r.ids), idColumn(r.workspaces), idColumn(r.brands), r.versions, r.statuses, r.scheduled, r.timezones, r.fromAPI, r.platforms, r.contents, r.left, r.created, r.updated)
}

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
	batch.Queue(`
		insert into targets (post_id, n, version, account_id, platform, content, step, charged_on)
		select * from unnest($1::uuid[], $2::int2[], $3::int[], $4::uuid[], $5::int2[], $6::text[], $7::int2[], $8::date[])`,
		idColumn(r.posts), r.ns, r.versions, idColumn(r.accounts), r.platforms, r.contents, r.steps, r.charged)
}

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
	r.near.queue(batch, "jobs")
	r.far.queue(batch, "jobs_far")
}

func (c *jobColumns) queue(batch *pgx.Batch, table string) {
	if len(c.ids) == 0 {
		return
	}
	batch.Queue(`
		insert into `+table+` (id, kind, shard, due_at, version, payload)
		select id, kind, shard, due, version, payload::json
		from unnest($1::uuid[], $2::int2[], $3::int2[], $4::timestamptz[], $5::int[], $6::text[])
			u (id, kind, shard, due, version, payload)`,
		idColumn(c.ids), c.kinds, c.shards, c.due, c.versions, c.payloads)
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
