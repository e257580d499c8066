package postgres

import (
	"bytes"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/maintenance"
)

// parkPosts postpones the jobs of posts that are held and returns which: each to the time when the first of its targets
// can go on or must end.
func (s *Store) parkPosts(ctx context.Context, posts []schema.PostID) (parked []schema.JobID, err error) {
	return s.park(ctx, tables.LockPosts, posts, parking{parkJobsOfPosts, pgx.StrictNamedArgs{
		"posts": posts, "late": s.Late, "settle": schema.SettleTime, "visibility": schema.VisibilityTimeout,
	}})
}

// parkJobsOfPosts has the job of a post under review fire again in a day, when it is parked again, and the job of a
// paused post a second after its deadline, when a claim ends it.
var parkJobsOfPosts = db.NewStatement(`
	update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
	from (
		select p.id, coalesce(p.retried_for, p.scheduled_for) base, bool_or(review or paused) held, min(case
			when review then now() + interval '1 day'
			when paused then greatest(coalesce(p.retried_for, p.scheduled_for) + @late::interval, now()) + interval '1 second'
			when t.state = {target_claimed} then t.lease_until + @settle::interval
			else greatest(coalesce(t.next_at, now()), now()) + case when t.claim = 0 then @visibility::interval else interval '0' end end) due_at
		from posts p join targets t on t.post_id = p.id
		cross join lateral (select {reviewed(p.id, p.id)} review, {paused(p.workspace_id, t.account_id, t.platform)} paused) held
		where p.id = any(@posts) and p.status in {open_posts} and t.state in {open_targets} group by p.id
	) w
	where j.id = w.id and w.held
	returning j.id`)

// parkComments postpones the jobs of first comments that are held and returns which. Replies that had not gone out when
// the database was restored from a backup end: the moment for them has passed.
func (s *Store) parkComments(ctx context.Context, ids []schema.CommentID) (parked []schema.JobID, err error) {
	return s.park(ctx, `select from comments where id = any($1) order by id for no key update`, ids,
		parking{parkJobsOfComments, pgx.StrictNamedArgs{"ids": ids, "late": s.Late, "delay": schema.FirstCommentDelay}},
		parking{endReplies, pgx.StrictNamedArgs{"ids": ids, "error": string(db.Encode(schema.RestoredReply(s.Now())))}})
}

var parkJobsOfComments = db.NewStatement(`
	update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
	from (
		select c.id, base, case
			when review then now() + interval '1 day'
			else greatest(base + @late::interval, now()) + interval '1 second' end due_at
		from comments c join accounts a on a.id = c.account_id
		cross join lateral (select uuid_extract_timestamp(c.id) + @delay::interval base,
			{reviewed(c.post_id, c.id)} review, {paused(c.workspace_id, c.account_id, a.platform)} paused) held
		where c.id = any(@ids) and (c.post_id is not null or not review) and c.state in {open_comments} and (review or paused)
	) w
	where j.id = w.id
	returning j.id`)

// tellPauses stores in the timelines of posts that are due, or have first comments that are, which pauses they wait for.
// One that begins while they are parked is not told, unless they are parked again.
var tellPauses = db.NewStatement(`
	insert into attempts (post_id, at, kind, n, comment, entry, code, message)
	select w.post_id, clock_timestamp(), {attempt_deferred}, w.n, w.comment, w.entry, pause.code, pause.message
	from (
		select t.post_id, t.n, -1 as comment, t.entry, p.workspace_id, t.account_id, t.platform, coalesce(p.retried_for, p.scheduled_for) as due_at
		from posts p join targets t on t.post_id = p.id
		where p.id = any(@ids) and p.status in {open_posts} and (t.state = {target_pending} or t.state = {target_claimed} and t.lease_until < now())
		union all
		select c.post_id, c.n, c.position, c.entry, c.workspace_id, c.account_id, a.platform, uuid_extract_timestamp(c.id)
		from comments c join accounts a on a.id = c.account_id
		where c.id = any(@ids) and c.post_id is not null and (c.state = {comment_pending} or c.state = {comment_claimed} and c.lease_until < now())
	) w
	cross join lateral (
		select h.created_at, case h.kind
				when {workspace_paused} then 'workspace_paused' when {platform_paused} then 'platform_paused' else 'account_paused' end as code,
			concat_ws(': ', case h.kind
				when {workspace_paused} then 'the operator has paused the workspace'
				when {platform_paused} then 'the operator has paused the platform'
				when {account_paused} then 'the operator has paused the account'
				else 'a member has paused the account' end, nullif(h.reason, '')) as message
		from (
			select * from holds of_subject where subject = any(array[w.workspace_id, w.account_id])
			union all
			select * from holds of_platform where platform = w.platform
		) h
		where h.kind in {pauses} and (select count(*) from attempts a where a.post_id = w.post_id) < @max
	) pause
	where w.due_at < now() + interval '1 second' and not exists (
		select from attempts a
		where a.post_id = w.post_id and a.n = w.n and a.comment = w.comment and a.kind = {attempt_deferred} and a.message = pause.message
			and a.at >= greatest(pause.created_at, w.due_at - interval '1 second'))`)

// endReplies ends replies that are held by a restore, with their jobs.
var endReplies = db.NewStatement(`
	with ended as (
		update comments c set state = {comment_failed}, claim = claim + 1, lease_until = null, error = @error::text::json
		where c.id = any(@ids) and c.post_id is null and c.state in {open_comments} and {held_by_restore(c.post_id, c.id)}
		returning c.id
	)
	delete from jobs j using ended where j.id = ended.id returning j.id`)

// park runs lock with ids, and then move, with the jobs of the ids locked as well: what fires them
// locks them by id, too. It then tells of what waits for a pause. Where nothing is held it locks nothing. It returns the
// jobs that it moved.
func (s *Store) park(ctx context.Context, lock string, ids any, moves ...parking) (parked []schema.JobID, err error) {
	err = s.OnConnection(ctx, func(conn *pgx.Conn) error {
		var holding bool
		if err := conn.QueryRow(ctx, `select exists (select from holds)`).Scan(&holding); err != nil || !holding {
			return err
		}
		b := &pgx.Batch{}
		b.Queue("begin")
		b.Queue(tables.ShareHolds)
		b.Queue(lock, ids)
		b.Queue(`select from jobs where id = any($1) order by id for update`, ids)
		for _, m := range moves {
			m.statement.Queue(b, m.parameters).Query(func(rows pgx.Rows) error {
				moved, err := db.Collect(rows, nil, func(row pgx.Row, id *schema.JobID) error { return row.Scan((*[16]byte)(id)) })
				parked = append(parked, moved...)
				return err
			})
		}
		tellPauses.Queue(b, pgx.StrictNamedArgs{"ids": ids, "max": schema.MaxAttempts})
		b.Queue("commit")
		return conn.SendBatch(ctx, b).Close()
	})
	return parked, err
}

// parking is a statement that puts jobs off, and returns their ids.
type parking struct {
	statement  *db.Statement
	parameters pgx.StrictNamedArgs
}

// HoldOverdue holds every post for review whose time has passed, or one of whose first
// comments has not gone out, and returns how many. It is for a database that was restored
// from a backup, before anything is claimed: the platforms may have it all already.
func (s *Store) HoldOverdue(ctx context.Context) (int64, error) {
	return maintenance.HoldOverdue(ctx, s.DB)
}

// NoteRestore tells the store which restore holds posts when the process begins; nil: none does. Claims find one that
// begins later by themselves.
func (s *Store) NoteRestore(r *schema.Restore) { s.restored.Store(r) }

// Unheld returns the jobs that no restore holds and parks the others. It asks the database only while a restore is
// marked whose hold has not been found to have ended.
func (d *Delay) Unheld(ctx context.Context, jobs []schema.Job) ([]schema.Job, error) {
	restore := d.restored.Load()
	if restore == nil {
		return jobs, nil
	}
	var stands bool
	if err := d.Store.Pool.QueryRow(ctx, `select exists (select from restores where ended_at is null)`).Scan(&stands); err != nil {
		return nil, db.Wrap(err, "looking whether a restore holds posts")
	}
	if !stands {
		d.restored.CompareAndSwap(restore, nil)
		return jobs, nil
	}
	var posts []schema.PostID
	var comments []schema.CommentID
	for _, j := range jobs {
		switch {
		case bytes.Compare(j.ID[:], restore.LastID[:]) > 0:
		case j.Kind == schema.JobPost:
			posts = append(posts, schema.PostID(j.ID))
		case j.Kind == schema.JobComment:
			comments = append(comments, schema.CommentID(j.ID))
		default:
		}
	}
	parked := map[schema.JobID]bool{}
	if len(posts) > 0 {
		ids, err := d.parkPosts(ctx, posts)
		if err != nil {
			return nil, db.Wrap(err, "parking posts that a restore holds")
		}
		note(parked, ids)
	}
	if len(comments) > 0 {
		ids, err := d.parkComments(ctx, comments)
		if err != nil {
			return nil, db.Wrap(err, "parking comments that a restore holds")
		}
		note(parked, ids)
	}
	return slices.DeleteFunc(jobs, func(j schema.Job) bool { return parked[j.ID] }), nil
}

func note(parked map[schema.JobID]bool, ids []schema.JobID) {
	for _, id := range ids {
		parked[id] = true
	}
}
