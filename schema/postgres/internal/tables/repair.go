package tables

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// CancelPost cancels a post, with targets that are claimed; their outcome may come late
// or never. First comments on what was published before a retry are skipped if they are
// not posted. It adds the units that are given back, which the caller queues last.
func CancelPost(b *pgx.Batch, p *schema.Post, refunds Charges, now time.Time) (announcement schema.Announcement) {
	p.Status, p.Version = schema.Cancelled, p.Version+1
	released := []int16{}
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Releases() && !t.ChargedOn.IsZero() {
			refunds.Add(RefundDay(t.Account, t.ChargedOn))
			released = append(released, t.N)
		}
		if t.State == schema.TargetPending || t.State == schema.TargetClaimed {
			t.State = schema.TargetCancelled
		}
	}
	b.Queue(sql.Text(`with changed as (
			update posts p set status = $2, version = $3, left_n = 0, updated_at = now() where id = $1 returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n
		) {note_ended}`), p.ID, int16(p.Status), p.Version)
	b.Queue(sql.Text(`
		update targets set state = $2, charged_on = case when n <> all ($3) then charged_on end
		where post_id = $1 and state in {open_targets}`), p.ID, int16(schema.TargetCancelled), released)
	b.Queue(sql.Text(`
		with skipped as (
			update comments set state = $2, claim = claim + 1, lease_until = null
			where post_id = $1 and state in {open_comments}
			returning id
		)
		delete from jobs where id = any(array(select id from skipped) || $1)`), p.ID, int16(schema.CommentSkipped))
	b.Queue(`delete from queue_slots where post_id = $1`, p.ID)
	QueueAttempt(b, p.ID, schema.AttemptCancelled, now, time.Time{})
	announcement.Events = append(announcement.Events, QueueEvents(b, []schema.Event{PostEvent(schema.PostCancelled, p, now)}, now)...)
	return announcement
}

// RecountPosts sets the counters and the status of posts by their targets.
var RecountPosts = sql.Text(`
	with changed as (
	update posts p set
		left_n = c.left_n, posted_n = c.posted, failed_n = c.failed, updated_at = now(), edited_at = now(),
		status = case
			when p.status in ({post_draft}, {post_cancelled}) or c.left_n > 0 then p.status
			when c.failed = 0 then {post_posted}
			when c.posted = 0 then {post_failed}
			else {post_partially_failed} end
	from (
		select post_id, count(*) filter (where state in {open_targets}) left_n, count(*) filter (where state = {target_posted}) posted,
			count(*) filter (where state = {target_failed}) failed
		from targets where post_id = any($1) group by post_id
	) c
	where p.id = c.post_id returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n) {note_ended}`)

// RepairPosts sets the counters and the status of posts by their targets, and gives them
// a job at their version that is due now; if that is too early, the claim refuses it.
func RepairPosts(ctx context.Context, tx pgx.Tx, ids []schema.PostID, now time.Time, announcement *schema.Announcement) error {
	if _, err := tx.Exec(ctx, LockPosts, ids); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, RecountPosts, ids); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, sql.Text(`select {post_columns} from posts p where p.id = any($1)`), ids)
	posts, err := db.Collect(rows, err, ScanPost)
	if err != nil {
		return err
	}
	if err := AddTargets(ctx, tx, posts); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`delete from jobs where id = any($1)`, ids)
	var events []schema.Event
	var jobs JobRows
	for i := range posts {
		p := &posts[i]
		switch {
		case p.Status == schema.Scheduled || p.Status == schema.Processing:
			job := PostJob(p)
			if job.DueAt = now; p.Status == schema.Scheduled && p.ScheduledFor.After(now) {
				job.DueAt = p.ScheduledFor
			}
			jobs.Add(job, now)
		case p.Status.Terminal() && p.Status != schema.Cancelled:
			events = append(events, DoneEvents(p, now)...)
		}
	}
	jobs.Queue(b)
	announcement.Events = append(announcement.Events, QueueEvents(b, events, now)...)
	return tx.SendBatch(ctx, b).Close()
}
