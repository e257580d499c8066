package tables

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Every claim checks the holds: what is held is left out of its answer. The job of a held
// post or comment is then parked until the pause's deadline, so that it does not fire
// again and again; lifting a hold makes the parked jobs due.

// paused reports whether the work of a workspace for an account of a platform is paused.
// The table of holds is empty on most days, and small on any.
func paused(workspace, account, platform string) string {
	return `(exists (select from holds h where h.subject = any (array[` + workspace + `, ` + account + `]))
		or ` + platform + ` = any (array(select h.platform from holds h where h.platform is not null)))`
}

// These report whether the work of a row is paused: of posts p for accounts a, of targets t of
// posts p, of first comments and replies c for accounts a.
var (
	PausedAccount = paused("p.workspace_id", "a.id", "a.platform")
	PausedTarget  = paused("p.workspace_id", "t.account_id", "t.platform")
	PausedComment = paused("c.workspace_id", "c.account_id", "a.platform")
	// of collections c of accounts a
	PausedCollection = paused("c.workspace_id", "c.account_id", "a.platform")

	// HasFreeTarget keeps a post that is held whole scheduled: it can still be edited and
	// cancelled.
	HasFreeTarget = `not ` + ReviewedPost + `
		and exists (select from targets t where t.post_id = p.id and t.state in ` + OpenTargets + `
			and (not ` + PausedTarget + ` or coalesce(p.retried_for, p.scheduled_for) + @late::interval < now()))`
)

// reviewed reports whether a post waits for a person, or a first comment or a reply of the post:
// by a hold of its own, or by that of a restore. id is that of the row itself, since what was made
// after the restore is not held by it. Reading the holds first costs nothing where there are none.
func reviewed(post, id string) string {
	return `(exists (select from holds h where h.subject = ` + post + `) or ` + HeldByRestore(post, id) + `)`
}

// HeldByRestore reports whether the hold of a restore is on a row of a post. A reply has no post.
func HeldByRestore(post, id string) string {
	return `exists (select from restores r where r.ended_at is null and ` + id + ` <= r.last_id
		and not exists (select from restore_releases x where x.post_id = ` + post + `))`
}

// These report whether a row waits for a person: of posts p, of first comments and replies c.
var (
	ReviewedPost    = reviewed("p.id", "p.id")
	ReviewedComment = reviewed("c.post_id", "c.id")
)

// RestoredSince reports whether the call that is looked for, of a target or a first comment whose alias is
// row, was begun before a moment that the database went back to: what was called for afterwards is not
// known.
func RestoredSince(row string) string {
	return `(` + row + `.step = ` + StepFind + ` and exists (select from restores r where r.restored_to >= ` + row + `.since))`
}

// UnconfirmedKey is true of a key k that the database has from before a restore, until its operator
// confirms it: it may have been revoked afterwards.
const UnconfirmedKey = `exists (select from restores r where k.id <= r.last_id and coalesce(k.confirmed_at < r.marked_at, true))`

// RestoredBackup is a table that is there from when a backup's rows are until the database is marked as
// restored; at is the backup's moment.
const RestoredBackup = "restored_backup"

// NothingHeld is true where there is no hold at all, which a statement finds out once.
const NothingHeld = `(select not exists (select from holds))`

// Parking jobs takes this lock shared, lifting a hold exclusively: so no job is parked
// for a hold that is gone.
const (
	ShareHolds = `select pg_advisory_xact_lock_shared(hashtext('crier holds'))`
	LockHolds  = `select pg_advisory_xact_lock(hashtext('crier holds'))`
)

// HoldColumns are what ScanHold reads, of holds h.
const HoldColumns = `coalesce(h.subject, ` + db.NoID + `), coalesce(h.platform, 0), h.kind, h.reason, h.created_at`

// ScanHold reads HoldColumns.
func ScanHold(row pgx.Row, h *schema.Hold) error {
	var subject [16]byte
	if err := row.Scan(&subject, &h.Platform, &h.Kind, &h.Reason, &h.Since); err != nil {
		return err
	}
	h.Since = h.Since.UTC()
	switch h.Kind {
	case schema.WorkspacePaused, schema.WorkspaceDeleting:
		h.Workspace = subject
	case schema.AccountPaused, schema.AccountDeleting:
		h.Account = subject
	case schema.UnderReview:
		h.Post = subject
	case schema.HeldByRestore: // the posts that it is on are told by restores
	default:
	}
	return nil
}

// AddHolds sets the hold of each open target.
func AddHolds(ctx context.Context, q db.Querier, posts []schema.Post) error {
	var subjects [][16]byte
	var platforms []int16
	for i := range posts {
		p := &posts[i]
		if p.Status != schema.Scheduled && p.Status != schema.Processing {
			continue
		}
		subjects = append(subjects, p.ID, p.Workspace)
		for _, t := range p.Targets {
			subjects, platforms = append(subjects, t.Account), append(platforms, int16(t.Platform))
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	rows, err := q.Query(ctx, `
		select `+HoldColumns+` from holds h where h.subject = any($1::uuid[] || `+db.NoID+`)
		union all
		select `+HoldColumns+` from holds h where h.platform = any($2)`, subjects, platforms)
	holds, err := db.Collect(rows, err, ScanHold)
	if err != nil {
		return err
	}
	for _, h := range holds {
		if h.Kind == schema.HeldByRestore {
			if err := addRestoreHold(ctx, q, posts, h); err != nil {
				return err
			}
			continue
		}
		for i := range posts {
			for j := range posts[i].Targets {
				if t := &posts[i].Targets[j]; h.Holds(&posts[i], t) {
					t.Hold = &h
				}
			}
		}
	}
	return nil
}

// addRestoreHold sets the hold of each open target that the restore's is on.
func addRestoreHold(ctx context.Context, q db.Querier, posts []schema.Post, h schema.Hold) error {
	ids := make([]schema.PostID, len(posts))
	for i := range posts {
		ids[i] = posts[i].ID
	}
	rows, err := q.Query(ctx, `select p.id from unnest($1::uuid[]) p (id) where `+HeldByRestore("p.id", "p.id"), db.IDColumn(ids))
	held, err := db.Collect(rows, err, func(row pgx.Row, id *schema.PostID) error { return row.Scan((*[16]byte)(id)) })
	if err != nil {
		return err
	}
	for i := range posts {
		if !slices.Contains(held, posts[i].ID) {
			continue
		}
		for j := range posts[i].Targets {
			if t := &posts[i].Targets[j]; t.IsOpen() {
				t.Hold = &h
			}
		}
	}
	return nil
}
