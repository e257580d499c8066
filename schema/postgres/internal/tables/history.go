package tables

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Archive moves posts that have ended to history with all that hangs on them. They are
// locked.
var Archive = sql.Text(`
	with moved as (
		delete from posts p where p.id = any($1) returning {post_row}, greatest(p.updated_at, p.created_at) as ended_at
	), kept as (
		insert into posts_history ({post_row}, ended_at) select {post_row}, ended_at from moved returning id, ended_at
	), moved_targets as (
		delete from targets where post_id = any($1) returning {target_row}
	), kept_targets as (
		insert into targets_history ({target_row}, ended_at)
		select {target_row}, k.ended_at from moved_targets m join (select id as post, ended_at from kept) k on k.post = m.post_id
	), moved_comments as (
		delete from comments where post_id = any($1) returning {comment_row}
	), kept_comments as (
		insert into comments_history ({comment_row}, ended_at)
		select {comment_row}, k.ended_at from moved_comments m join (select id as post, ended_at from kept) k on k.post = m.post_id
	)
	delete from ended_posts where post_id = any($1)`)

// bringBack moves a post back from history; afterwards it is an ended post in the open
// tables.
var bringBack = sql.Text(`
	with moved as (
		delete from posts_history where id = $1 and workspace_id = $2 returning {post_row}
	), changed as (
		insert into posts ({post_row}) select {post_row} from moved returning id, workspace_id, status, scheduled_for, left_n
	), moved_targets as (
		delete from targets_history where post_id = $1 and exists (select from changed) returning {target_row}
	), back_targets as (
		insert into targets ({target_row}) select {target_row} from moved_targets
	), moved_comments as (
		delete from comments_history where post_id = $1 and exists (select from changed) returning {comment_row}
	), back_comments as (
		insert into comments ({comment_row}) select {comment_row} from moved_comments
	) {note_ended}`)

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
