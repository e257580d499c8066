// Package tables is how rows that several stores share are read and written: posts with their
// targets and first comments, jobs, events, attempts, counters, holds, and the numbers of
// their states.
package tables

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// ScanPost reads {post_columns}.
func ScanPost(row pgx.Row, p *schema.Post) error {
	return row.Scan((*[16]byte)(&p.ID), (*[16]byte)(&p.Workspace), (*[16]byte)(&p.Brand), &p.Version, &p.Status, db.OrZero(&p.ScheduledFor), &p.Timezone,
		&p.FromAPI, db.Document("content of a post", &p.Content), &p.CreatedAt, &p.UpdatedAt)
}

// TargetRow is a target with the post it belongs to.
type TargetRow struct {
	Post schema.PostID
	schema.Target
}

// ScanTarget reads {target_columns}.
func ScanTarget(row pgx.Row, t *TargetRow) error {
	return row.Scan((*[16]byte)(&t.Post), &t.N, (*[16]byte)(&t.Account), &t.Platform, &t.Content, &t.State,
		db.Document("receipts of a target", &t.Receipts), db.Document("error of a target", &t.Error),
		db.OrZero(&t.NextAt), &t.Attempts, db.OrZero(&t.PostedAt), db.OrZero(&t.ChargedOn), &t.Entry, &t.Unsettled)
}

// LockPost and LockPosts must come before anything else that changes posts' targets or jobs.
const (
	LockPost  = `select from posts where id = $1 for no key update`
	LockPosts = `select from posts where id = any($1) order by id for no key update`
)

// AddTargets reads the targets of open posts and their first comments.
func AddTargets(ctx context.Context, q db.Querier, posts []schema.Post) error {
	return addTargets(ctx, q, posts, "targets", "comments")
}

// AddAllTargets is AddTargets for posts of history as well.
func AddAllTargets(ctx context.Context, q db.Querier, posts []schema.Post) error {
	return addTargets(ctx, q, posts, "all_targets", "all_comments")
}

func addTargets(ctx context.Context, q db.Querier, posts []schema.Post, fromTargets, fromComments string) error {
	ids := make([]schema.PostID, len(posts))
	at := make(map[schema.PostID]*schema.Post, len(posts))
	for i := range posts {
		ids[i] = posts[i].ID
		at[posts[i].ID] = &posts[i]
	}
	rows, err := q.Query(ctx, sql.Text(`
		select {target_columns} from {targets} t where t.post_id = any($1) order by t.post_id, t.n`, "targets", fromTargets), ids)
	targets, err := db.Collect(rows, err, ScanTarget)
	if err != nil {
		return err
	}
	for _, t := range targets {
		at[t.Post].Targets = append(at[t.Post].Targets, t.Target)
	}
	return addComments(ctx, q, fromComments, at)
}

func addComments(ctx context.Context, q db.Querier, from string, at map[schema.PostID]*schema.Post) error {
	type row struct {
		post schema.PostID
		n    int16
		schema.Comment
	}
	rows, err := q.Query(ctx, sql.Text(`
		select post_id, n, id, position, entry, text, state, native_id, url, error, posted_at
		from {comments} where post_id = any($1) order by post_id, n, position`, "comments", from), slices.Collect(maps.Keys(at)))
	comments, err := db.Collect(rows, err, func(row pgx.Row, c *row) error {
		return row.Scan((*[16]byte)(&c.post), &c.n, (*[16]byte)(&c.ID), &c.Position, &c.Entry, &c.Text, &c.State,
			&c.NativeID, &c.URL, db.Document("error of a comment", &c.Error), db.OrZero(&c.PostedAt))
	})
	if err != nil {
		return err
	}
	for _, c := range comments {
		targets := at[c.post].Targets
		i := slices.IndexFunc(targets, func(t schema.Target) bool { return t.N == c.n })
		if i >= 0 {
			targets[i].Comments = append(targets[i].Comments, c.Comment)
		}
	}
	return nil
}

// InvalidState is the error of a change that the state of a resource does not allow.
func InvalidState(message string) error {
	return &schema.Error{Kind: schema.InvalidState, Message: message}
}

// PostRows are the columns of posts to be made, one array each.
type PostRows struct {
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

// Add adds a post.
func (r *PostRows) Add(p *schema.Post) {
	r.ids, r.workspaces, r.brands = append(r.ids, p.ID), append(r.workspaces, p.Workspace), append(r.brands, p.Brand)
	r.versions, r.statuses = append(r.versions, p.Version), append(r.statuses, int16(p.Status))
	r.scheduled, r.timezones = append(r.scheduled, db.OrNull(p.ScheduledFor)), append(r.timezones, p.Timezone)
	r.fromAPI, r.platforms = append(r.fromAPI, p.FromAPI), append(r.platforms, PlatformMask(p.Targets))
	r.contents, r.left = append(r.contents, string(db.Encode(p.Content))), append(r.left, int16(len(p.Targets)))
	r.created, r.updated = append(r.created, p.CreatedAt), append(r.updated, p.UpdatedAt)
}

// Queue adds the statement that inserts the rows.
func (r *PostRows) Queue(batch *pgx.Batch) {
	insertPosts.Queue(batch, pgx.StrictNamedArgs{
		"ids": db.IDColumn(r.ids), "workspaces": db.IDColumn(r.workspaces), "brands": db.IDColumn(r.brands), "versions": r.versions,
		"statuses": r.statuses, "scheduled": r.scheduled, "timezones": r.timezones, "from_api": r.fromAPI,
		"platforms": r.platforms, "contents": r.contents, "left": r.left, "created": r.created, "updated": r.updated,
	})
}

var insertPosts = db.NewStatement(`
	insert into posts (id, workspace_id, brand_id, version, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at, draft)
	select id, workspace, brand, version, status, scheduled, timezone, api, platforms, content::json, n, created, updated, status = {post_draft}
	from unnest(@ids::uuid[], @workspaces::uuid[], @brands::uuid[], @versions::int[], @statuses::int2[], @scheduled::timestamptz[],
		@timezones::text[], @from_api::bool[], @platforms::int[], @contents::text[], @left::int2[], @created::timestamptz[], @updated::timestamptz[])
		u (id, workspace, brand, version, status, scheduled, timezone, api, platforms, content, n, created, updated)`)

// PlatformMask is the set of platforms of the targets, for filtering.
func PlatformMask(targets []schema.Target) (mask int32) {
	for _, t := range targets {
		mask |= 1 << t.Platform
	}
	return mask
}

// TargetRows are the columns of targets to be made.
type TargetRows struct {
	posts     []schema.PostID
	ns        []int16
	versions  []int32
	accounts  []schema.AccountID
	platforms []int16
	contents  []string
	steps     []int16
	charged   []*time.Time
}

// Add adds the targets of a post.
func (r *TargetRows) Add(p *schema.Post) {
	for _, t := range p.Targets {
		r.posts, r.ns, r.versions = append(r.posts, p.ID), append(r.ns, t.N), append(r.versions, p.Version)
		r.accounts, r.platforms = append(r.accounts, t.Account), append(r.platforms, int16(t.Platform))
		r.contents, r.steps = append(r.contents, t.Content), append(r.steps, int16(t.FirstStep))
		r.charged = append(r.charged, db.OrNull(t.ChargedOn))
	}
}

// Queue adds the statement that inserts the rows.
func (r *TargetRows) Queue(batch *pgx.Batch) {
	insertTargets.Queue(batch, pgx.StrictNamedArgs{
		"posts": db.IDColumn(r.posts), "ns": r.ns, "versions": r.versions, "accounts": db.IDColumn(r.accounts),
		"platforms": r.platforms, "contents": r.contents, "steps": r.steps, "charged": r.charged,
	})
}

var insertTargets = db.NewStatement(`
	insert into targets (post_id, n, version, account_id, platform, content, step, charged_on)
	select * from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @accounts::uuid[], @platforms::int2[], @contents::text[], @steps::int2[], @charged::date[])`)
