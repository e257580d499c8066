package tables

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// What has ended moves from the open tables to those of history, and back when somebody
// changes it. These are all columns that both have, except generated ones.
const (
	postColumns = `id, workspace_id, brand_id, version, status, scheduled_for, retried_for, timezone, from_api, platforms, content,
		left_n, posted_n, failed_n, created_at, updated_at`
	targetColumns = `post_id, n, version, account_id, platform, content, state, step, entry, claim, node, lease_until, since, next_at,
		attempts, looked, progress, receipts, error, posted_at, charged_on, token, unsettled, accept_duplicate`
	commentColumns = `id, post_id, n, position, workspace_id, account_id, entry, text, state, step, claim, node, lease_until, since, next_at,
		attempts, looked, native_id, url, error, posted_at, token`
)

// EndedAt is when a post p has ended, by its row: late receipts move it. It is never
// before the creation, even if the clock was set back.
const EndedAt = `greatest(p.updated_at, p.created_at)`

// A statement that may end posts p returns the changed ones as "changed", and notes those
// that have ended, for the archive and for lists.
const (
	Changed   = ` returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n`
	NoteEnded = `
	insert into ended_posts as e (post_id, workspace_id, status, scheduled_for, ended_at)
	select id, workspace_id, status, scheduled_for, now() from changed where left_n = 0 and status in ` + EndedPosts + `
	on conflict (post_id) do update set status = excluded.status, scheduled_for = excluded.scheduled_for, ended_at = excluded.ended_at`
)

// Archive moves posts that have ended to history with all that hangs on them. They are
// locked.
const Archive = `
	with moved as (
		delete from posts p where p.id = any($1) returning ` + postColumns + `, ` + EndedAt + ` as ended_at
	), kept as (
		insert into posts_history (` + postColumns + `, ended_at) select ` + postColumns + `, ended_at from moved returning id, ended_at
	), moved_targets as (
		delete from targets where post_id = any($1) returning ` + targetColumns + `
	), kept_targets as (
		insert into targets_history (` + targetColumns + `, ended_at)
		select ` + targetColumns + `, k.ended_at from moved_targets m join (select id as post, ended_at from kept) k on k.post = m.post_id
	), moved_comments as (
		delete from comments where post_id = any($1) returning ` + commentColumns + `
	), kept_comments as (
		insert into comments_history (` + commentColumns + `, ended_at)
		select ` + commentColumns + `, k.ended_at from moved_comments m join (select id as post, ended_at from kept) k on k.post = m.post_id
	)
	delete from ended_posts where post_id = any($1)`

// bringBack moves a post back from history; afterwards it is an ended post in the open
// tables.
const bringBack = `
	with moved as (
		delete from posts_history where id = $1 and workspace_id = $2 returning ` + postColumns + `
	), changed as (
		insert into posts (` + postColumns + `) select ` + postColumns + ` from moved returning id, workspace_id, status, scheduled_for, left_n
	), moved_targets as (
		delete from targets_history where post_id = $1 and exists (select from changed) returning ` + targetColumns + `
	), back_targets as (
		insert into targets (` + targetColumns + `) select ` + targetColumns + ` from moved_targets
	), moved_comments as (
		delete from comments_history where post_id = $1 and exists (select from changed) returning ` + commentColumns + `
	), back_comments as (
		insert into comments (` + commentColumns + `) select ` + commentColumns + ` from moved_comments
	)` + NoteEnded

// BringBack moves a post of a workspace, with its targets and comments, from history to
// the open tables, for somebody who is about to change it. Its rows are locked until the
// transaction ends; if that fails, it stays in history. It does nothing to a post that is
// not in history.
func BringBack(ctx context.Context, to db.Execer, workspace schema.WorkspaceID, post schema.PostID) error {
	_, err := to.Exec(ctx, bringBack, post, workspace)
	return err
}

// QueueReopened removes the note that a post has ended.
func QueueReopened(b *pgx.Batch, post schema.PostID) {
	b.Queue(`delete from ended_posts where post_id = $1`, post)
}
