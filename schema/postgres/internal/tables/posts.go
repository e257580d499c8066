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
	"crier/schema/lists"
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

// QueuePosts adds the statement that inserts posts, without their targets.
func QueuePosts(batch *pgx.Batch, posts []*schema.Post) {
	insertPosts.Queue(batch, pgx.StrictNamedArgs{
		"ids":        db.IDColumn(lists.Map(posts, func(p *schema.Post) schema.PostID { return p.ID })),
		"workspaces": db.IDColumn(lists.Map(posts, func(p *schema.Post) schema.WorkspaceID { return p.Workspace })),
		"brands":     db.IDColumn(lists.Map(posts, func(p *schema.Post) schema.BrandID { return p.Brand })),
		"versions":   lists.Map(posts, func(p *schema.Post) int32 { return p.Version }),
		"statuses":   lists.Map(posts, func(p *schema.Post) int16 { return int16(p.Status) }),
		"scheduled":  lists.Map(posts, func(p *schema.Post) *time.Time { return db.OrNull(p.ScheduledFor) }),
		"timezones":  lists.Map(posts, func(p *schema.Post) string { return p.Timezone }),
		"from_api":   lists.Map(posts, func(p *schema.Post) bool { return p.FromAPI }),
		"platforms":  lists.Map(posts, func(p *schema.Post) int32 { return PlatformMask(p.Targets) }),
		"contents":   lists.Map(posts, func(p *schema.Post) string { return string(db.Encode(p.Content)) }),
		"left":       lists.Map(posts, func(p *schema.Post) int16 { return int16(len(p.Targets)) }),
		"created":    lists.Map(posts, func(p *schema.Post) time.Time { return p.CreatedAt }),
		"updated":    lists.Map(posts, func(p *schema.Post) time.Time { return p.UpdatedAt }),
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

// QueueTargets adds the statement that inserts the targets of posts.
func QueueTargets(batch *pgx.Batch, posts ...*schema.Post) {
	type target struct {
		*schema.Post
		schema.Target
	}
	var targets []target
	for _, p := range posts {
		targets = append(targets, lists.Map(p.Targets, func(t schema.Target) target { return target{p, t} })...)
	}
	insertTargets.Queue(batch, pgx.StrictNamedArgs{
		"posts":     db.IDColumn(lists.Map(targets, func(t target) schema.PostID { return t.ID })),
		"ns":        lists.Map(targets, func(t target) int16 { return t.N }),
		"versions":  lists.Map(targets, func(t target) int32 { return t.Version }),
		"accounts":  db.IDColumn(lists.Map(targets, func(t target) schema.AccountID { return t.Account })),
		"platforms": lists.Map(targets, func(t target) int16 { return int16(t.Platform) }),
		"contents":  lists.Map(targets, func(t target) string { return t.Target.Content }),
		"steps":     lists.Map(targets, func(t target) int16 { return int16(t.FirstStep) }),
		"charged":   lists.Map(targets, func(t target) *time.Time { return db.OrNull(t.ChargedOn) }),
	})
}

var insertTargets = db.NewStatement(`
	insert into targets (post_id, n, version, account_id, platform, content, step, charged_on)
	select * from unnest(@posts::uuid[], @ns::int2[], @versions::int[], @accounts::uuid[], @platforms::int2[], @contents::text[], @steps::int2[], @charged::date[])`)
