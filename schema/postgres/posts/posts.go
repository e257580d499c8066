// Package posts makes posts by group commit, changes them while they wait, reads them and
// has failed ones tried again. What they take of daily caps and plans is counted with them.
package posts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
	"crier/schema/postgres/internal/slots"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store makes, changes and reads posts.
type Store struct {
	*db.DB
	creations   *groupcommit.Group[creation]
	constraints func(schema.Platform) schema.Constraints
	full        *fullCounters
}

// New starts the committers of creations; they end with the connections.
func New(d *db.DB, constraints func(schema.Platform) schema.Constraints) *Store {
	p := &Store{DB: d, constraints: constraints, full: newFullCounters()}
	p.creations = groupcommit.Start(d, &groupcommit.Group[creation]{
		Work:   "create",
		Max:    createBatch,
		Weight: func(c *creation) int { return len(c.Posts) },
		Commit: p.commitCreations,
	}, db.Committers)
	return p
}

// Post returns a post with its targets and their first comments.
func (s *Store) Post(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, error) {
	var p schema.Post
	row := s.Pool.QueryRow(ctx, sql.Text(`select {post_columns} from all_posts p where p.id = $1 and p.workspace_id = $2`), id, workspace)
	if err := tables.ScanPost(row, &p); err != nil {
		return p, db.OrNotFound(err, "post")
	}
	posts := []schema.Post{p}
	if err := tables.AddAllTargets(ctx, s.Pool, posts); err != nil {
		return p, db.Unavailable(err)
	}
	if err := tables.AddHolds(ctx, s.Pool, posts); err != nil {
		return p, db.Unavailable(err)
	}
	return posts[0], nil
}

// Update changes a draft or scheduled post. change works on a copy; what it leaves is
// stored at a new version, with its job and event, in one transaction. After the commit
// no claim at an older version succeeds. Where change returns schema.ErrUnchanged the post stays as
// it is, and nobody is told of an update; where it returns schema.ErrJudged too, but what is returned, the
// post or the refusal, is what the change would have come to. A queue that change reads stays locked until
// the end: the slots that it is told of are those of other posts, and the one that it leaves the post with
// is taken.
func (s *Store) Update(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, change func(*schema.Post, schema.QueueReader) error) (schema.Post, error) {
	var post schema.Post
	var announcement schema.Announcement
	err := s.charging(ctx, func(tx pgx.Tx) (taken *tables.Demand, err error) {
		locked, err := s.lockPost(ctx, tx, workspace, id, "updated")
		if err != nil {
			return nil, err
		}
		if begun(&locked) {
			return nil, tables.InvalidState("a post that is being retried cannot be updated: part of it may be published")
		}
		post = locked
		post.Targets = slices.Clone(locked.Targets)
		judged := change(&post, queuesFor(ctx, tx, workspace, id))
		isUnchanged := errors.Is(judged, schema.ErrUnchanged)
		if judged != nil && !isUnchanged && !errors.Is(judged, schema.ErrJudged) {
			return nil, judged
		}
		if err := tables.AddHolds(ctx, tx, []schema.Post{post}); err != nil || isUnchanged {
			return nil, cmp.Or(err, judged)
		}
		post.Version++
		post.UpdatedAt = s.Now()
		net, err := s.recharge(ctx, tx, &locked, &post)
		if err != nil {
			return nil, err
		}
		announcement, err = s.replace(ctx, tx, &locked, &post, net)
		if err == nil {
			err = audit.Write(ctx, tx, s.Now(), changedEntry(&locked, &post))
		}
		return &tables.Demand{Post: &post, Charges: net.Taken()}, cmp.Or(err, judged)
	})
	if errors.Is(err, schema.ErrUnchanged) || errors.Is(err, schema.ErrJudged) {
		return post, nil // and rolled back
	}
	if err != nil {
		return schema.Post{}, db.OrNotFound(err, "post")
	}
	s.Announce(announcement)
	return post, nil
}

// queuesFor reads the queue that a post is to go into, and locks it.
func queuesFor(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, post schema.PostID) schema.QueueReader {
	return func(choice schema.QueueChoice) (queue schema.Queue, taken []time.Time, err error) {
		if queue, err = slots.LockQueue(ctx, tx, workspace, choice); err != nil {
			return queue, nil, db.OrNotFound(err, "queue")
		}
		taken, err = slots.Taken(ctx, tx, queue.ID, post)
		return queue, taken, err
	}
}

// changedEntry is what the audit log says of a post that was changed.
func changedEntry(before, after *schema.Post) audit.Entry {
	return audit.Entry{Workspace: after.Workspace, Subject: audit.Of("post", after.ID, ""), Changes: audit.Differences(
		people.Change{Field: "status", Before: before.Status.String(), After: after.Status.String()},
		people.Change{Field: "scheduled for", Before: audit.Time(before.ScheduledFor), After: audit.Time(after.ScheduledFor)},
		people.Change{Field: "content", After: map[bool]string{true: "changed"}[!reflect.DeepEqual(before.Content, after.Content)]},
	)}
}

// lockPost reads a post for a change and refuses one that is past changing.
func (s *Store) lockPost(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.PostID, verb string) (schema.Post, error) {
	p, err := lock(ctx, tx, workspace, id)
	if err != nil {
		return p, err
	}
	if p.Status != schema.Draft && p.Status != schema.Scheduled {
		return p, tables.InvalidState(fmt.Sprintf("a post that is %s cannot be %s; only a draft or scheduled post can", p.Status, verb))
	}
	posts := []schema.Post{p}
	if err := tables.AddTargets(ctx, tx, posts); err != nil {
		return p, err
	}
	return posts[0], nil
}

// lock reads a post that somebody is about to change, and locks it. One that is in history
// already comes back from there: its lock is that of its row, wherever it stands.
func lock(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.PostID) (p schema.Post, err error) {
	read := func() error {
		row := tx.QueryRow(ctx, sql.Text(`select {post_columns} from posts p where p.id = $1 and p.workspace_id = $2 for no key update`), id, workspace)
		return tables.ScanPost(row, &p)
	}
	if err = read(); !errors.Is(err, pgx.ErrNoRows) {
		return p, err
	}
	if err := tables.BringBack(ctx, tx, workspace, id); err != nil {
		return p, err
	}
	return p, read()
}

// begun reports whether a target of the post was tried before: the post is one that a retry
// has scheduled again.
func begun(p *schema.Post) bool {
	return slices.ContainsFunc(p.Targets, func(t schema.Target) bool {
		return t.State != schema.TargetPending || len(t.Receipts) > 0 || t.Error != nil
	})
}

// replace stores a changed post in place of what it was. A job in jobs_far stays behind:
// its version is not the post's any more.
func (s *Store) replace(ctx context.Context, tx pgx.Tx, before, p *schema.Post, net tables.Charges) (schema.Announcement, error) {
	now := p.UpdatedAt
	b := &pgx.Batch{}
	b.Queue(`
		update posts set brand_id = @brand, version = @version, status = @status, scheduled_for = @scheduled, timezone = @timezone,
			platforms = @platforms, content = @content, left_n = @left, updated_at = @now, edited_at = @now, draft = @draft where id = @id`, pgx.StrictNamedArgs{
		"id": p.ID, "brand": p.Brand, "version": p.Version, "status": int16(p.Status), "scheduled": db.OrNull(p.ScheduledFor),
		"timezone": p.Timezone, "platforms": tables.PlatformMask(p.Targets), "content": db.Encode(p.Content), "left": len(p.Targets), "now": p.UpdatedAt,
		"draft": p.Status == schema.Draft,
	})
	b.Queue(`delete from targets where post_id = $1`, p.ID)
	b.Queue(`delete from jobs where id = $1`, p.ID)
	queueSlot(b, before, p)
	tables.QueueTargets(b, p)
	tables.QueueUnused(b, p.ID)
	tables.QueueUses(b, p)
	var announcement schema.Announcement
	if p.Status == schema.Scheduled {
		announcement = queueJob(b, p, now, p.ScheduledFor)
	}
	tables.QueueAttempt(b, p.ID, schema.AttemptUpdated, now, p.ScheduledFor)
	changed := []schema.Event{tables.PostEvent(schema.PostUpdated, p, now)}
	if before.Status == schema.Draft && p.Status == schema.Scheduled {
		changed = tables.ScheduledEvents(p, now)
	}
	announcement.Events = append(announcement.Events, tables.QueueEvents(b, changed, now)...)
	net.Queue(b)
	return announcement, tx.SendBatch(ctx, b).Close()
}

// queueSlot adds the statements that free the slot a post has left, and take the one it was given.
func queueSlot(b *pgx.Batch, before, after *schema.Post) {
	if before.Content.Queue == after.Content.Queue && before.ScheduledFor.Equal(after.ScheduledFor) {
		return
	}
	b.Queue(`delete from queue_slots where post_id = $1`, after.ID)
	if !after.Content.Queue.IsZero() {
		slots.QueueTake(b, after.Content.Queue, []time.Time{after.ScheduledFor}, []schema.PostID{after.ID})
	}
}

// queueJob adds the statements that make the job of a post that has none. One that is due is announced at once.
func queueJob(b *pgx.Batch, p *schema.Post, now, due time.Time) (announcement schema.Announcement) {
	job := tables.PostJob(p)
	job.DueAt = due
	if due.After(now) {
		announcement.Jobs = tables.Soon([]schema.Job{job}, now)
	} else {
		announcement.Publish = tables.PostMessages(p)
		job.DueAt = now.Add(schema.AnnounceTimeout)
	}
	var jobs tables.JobRows
	jobs.Add(job, now)
	jobs.Queue(b)
	return announcement
}

// Delete removes a draft for good and cancels a scheduled post; it tells which. After a
// cancel commits, no claim of the post succeeds. A post that is cancelled stays so.
func (s *Store) Delete(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (cancelled bool, err error) {
	err = s.Announcing(ctx, "deleting a post", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		p, err := s.lockPost(ctx, tx, workspace, id, "deleted")
		if cancelled = p.Status == schema.Cancelled; cancelled {
			return announcement, nil // whoever asks again had no answer
		}
		if err != nil {
			return announcement, err
		}
		b := &pgx.Batch{}
		if p.Status == schema.Draft {
			tables.QueueUnused(b, id)
			b.Queue(`delete from targets where post_id = $1`, id)
			b.Queue(`delete from attempts where post_id = $1`, id)
			b.Queue(`delete from posts where id = $1`, id)
			b.Queue(`delete from queue_slots where post_id = $1`, id)
			audit.Queue(ctx, b, s.Now(), entry(&p))
			return announcement, tx.SendBatch(ctx, b).Close()
		}
		cancelled = true
		refunds := tables.Charges{}
		announcement = tables.CancelPost(b, &p, refunds, s.Now())
		refunds.Queue(b)
		after := p
		after.Status = schema.Cancelled
		audit.Queue(ctx, b, s.Now(), changedEntry(&p, &after))
		return announcement, tx.SendBatch(ctx, b).Close()
	})
	return cancelled && err == nil, db.OrNotFound(err, "post")
}

// createBatch is how many posts share a transaction: enough to share a flush among all who
// wait, few enough to hold it for some milliseconds only.
const createBatch = 512
