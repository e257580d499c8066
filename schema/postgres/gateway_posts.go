package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Post returns a post with its targets and their first comments.
func (g *Gateway) Post(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, error) {
	var p schema.Post
	row := g.pool.QueryRow(ctx, `select `+postColumns+` from posts p where p.id = $1 and p.workspace_id = $2`, id, workspace)
	if err := scanPost(row, &p); err != nil {
		return p, orNotFound(err, "post")
	}
	posts := []schema.Post{p}
	if err := addTargets(ctx, g.pool, posts); err != nil {
		return p, unavailable(err)
	}
	if err := addHolds(ctx, g.pool, posts); err != nil {
		return p, unavailable(err)
	}
	return posts[0], nil
}

// addTargets reads the targets of posts and their first comments.
func addTargets(ctx context.Context, q querier, posts []schema.Post) error {
	ids := make([]schema.PostID, len(posts))
	at := make(map[schema.PostID]*schema.Post, len(posts))
	for i := range posts {
		ids[i] = posts[i].ID
		at[posts[i].ID] = &posts[i]
	}
	rows, err := q.Query(ctx, `select `+targetColumns+` from targets t where t.post_id = any($1) order by t.post_id, t.n`, ids)
	targets, err := collect(rows, err, scanTarget)
	if err != nil {
		return err
	}
	for _, t := range targets {
		at[t.post].Targets = append(at[t.post].Targets, t.Target)
	}
	return addComments(ctx, q, ids, at)
}

func addComments(ctx context.Context, q querier, ids []schema.PostID, at map[schema.PostID]*schema.Post) error {
	type row struct {
		post schema.PostID
		n    int16
		schema.Comment
	}
	rows, err := q.Query(ctx, `
		select post_id, n, id, position, entry, text, state, native_id, url, error, posted_at
		from comments where post_id = any($1) order by post_id, n, position`, ids)
	comments, err := collect(rows, err, func(rows pgx.Rows, c *row) error {
		var failure []byte
		var posted *time.Time
		err := rows.Scan((*[16]byte)(&c.post), &c.n, (*[16]byte)(&c.ID), &c.Position, &c.Entry, &c.Text, &c.State,
			&c.NativeID, &c.URL, &failure, &posted)
		if err != nil {
			return err
		}
		c.PostedAt = fromNull(posted)
		return decode("error of a comment", failure, &c.Error)
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

// Update changes a draft or scheduled post. change works on a copy; what it leaves is
// stored at a new version, with its job and event, in one transaction. After the commit
// no claim at an older version succeeds.
func (g *Gateway) Update(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, change func(*schema.Post) error) (schema.Post, error) {
	var post schema.Post
	var announcement schema.Announcement
	err := g.charging(ctx, func(tx pgx.Tx) (taken *demand, err error) {
		locked, err := g.lockPost(ctx, tx, workspace, id, "updated")
		if err != nil {
			return nil, err
		}
		if begun(&locked) {
			return nil, invalidState("a post that is being retried cannot be updated: part of it may be published")
		}
		post = locked
		post.Targets = slices.Clone(locked.Targets)
		if err := change(&post); err != nil {
			return nil, err
		}
		post.Version++
		post.UpdatedAt = g.Now()
		net, err := g.recharge(ctx, tx, &locked, &post)
		if err != nil {
			return nil, err
		}
		announcement, err = g.replace(ctx, tx, &post, locked.Status, net)
		return &demand{post: &post, charges: net.taken()}, err
	})
	if err != nil {
		return schema.Post{}, orNotFound(err, "post")
	}
	g.announce(announcement)
	return post, nil
}

// lockPost reads a post for a change and refuses one that is past changing.
func (g *Gateway) lockPost(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.PostID, verb string) (schema.Post, error) {
	var p schema.Post
	row := tx.QueryRow(ctx, `select `+postColumns+` from posts p where p.id = $1 and p.workspace_id = $2 for no key update`, id, workspace)
	if err := scanPost(row, &p); err != nil {
		return p, err
	}
	if p.Status != schema.Draft && p.Status != schema.Scheduled {
		return p, invalidState(fmt.Sprintf("a post that is %s cannot be %s; only a draft or scheduled post can", p.Status, verb))
	}
	posts := []schema.Post{p}
	if err := addTargets(ctx, tx, posts); err != nil {
		return p, err
	}
	return posts[0], nil
}

func invalidState(message string) error {
	return &schema.Error{Kind: schema.InvalidState, Message: message}
}

// begun tells whether a target of the post was tried before: the post is one that a retry
// has scheduled again.
func begun(p *schema.Post) bool {
	return slices.ContainsFunc(p.Targets, func(t schema.Target) bool {
		return t.State != schema.TargetPending || len(t.Receipts) > 0 || t.Error != nil
	})
}

// replace stores a changed post in place of what it was. A job in jobs_far stays behind:
// its version is not the post's any more.
func (g *Gateway) replace(ctx context.Context, tx pgx.Tx, p *schema.Post, before schema.PostStatus, net charges) (schema.Announcement, error) {
	now := p.UpdatedAt
	b := &pgx.Batch{}
	b.Queue(`
		update posts set brand_id = @brand, version = @version, status = @status, scheduled_for = @scheduled, timezone = @timezone,
			platforms = @platforms, content = @content, left_n = @left, updated_at = @now where id = @id`, pgx.StrictNamedArgs{
		"id": p.ID, "brand": p.Brand, "version": p.Version, "status": int16(p.Status), "scheduled": orNull(p.ScheduledFor),
		"timezone": p.Timezone, "platforms": platformMask(p.Targets), "content": encode(p.Content), "left": len(p.Targets), "now": p.UpdatedAt,
	})
	b.Queue(`delete from targets where post_id = $1`, p.ID)
	b.Queue(`delete from jobs where id = $1`, p.ID)
	b.Queue(`delete from queue_slots where post_id = $1 and slot_at is distinct from $2`, p.ID, orNull(p.ScheduledFor))
	var targets targetRows
	targets.add(p)
	targets.queue(b)
	queueUnused(b, p.ID)
	var uses mediaUses
	uses.add(p)
	uses.queue(b)
	var announcement schema.Announcement
	if p.Status == schema.Scheduled {
		var jobs jobRows
		job := postJob(p)
		jobs.add(job, now)
		jobs.queue(b)
		announcement.Jobs = soon([]schema.Job{job}, now)
	}
	queueAttempt(b, p.ID, schema.AttemptUpdated, now, p.ScheduledFor)
	changed := []schema.Event{postEvent(schema.PostUpdated, p, now)}
	if before == schema.Draft && p.Status == schema.Scheduled {
		changed = scheduledEvents(p, now)
	}
	if events := queueEvents(b, changed, now); events != nil {
		announcement.Events = append(announcement.Events, *events)
	}
	net.queue(b)
	return announcement, tx.SendBatch(ctx, b).Close()
}

// Delete removes a draft for good and cancels a scheduled post; it tells which. After a
// cancel commits, no claim of the post succeeds. A post that is cancelled stays so.
func (g *Gateway) Delete(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (cancelled bool, err error) {
	var announcement schema.Announcement
	err = pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		p, err := g.lockPost(ctx, tx, workspace, id, "deleted")
		if cancelled = p.Status == schema.Cancelled; cancelled {
			return nil // whoever asks again had no answer
		}
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		if p.Status == schema.Draft {
			queueUnused(b, id)
			b.Queue(`delete from targets where post_id = $1`, id)
			b.Queue(`delete from attempts where post_id = $1`, id)
			b.Queue(`delete from posts where id = $1`, id)
			b.Queue(`delete from queue_slots where post_id = $1`, id)
			return tx.SendBatch(ctx, b).Close()
		}
		cancelled = true
		given := charges{}
		announcement = g.cancel(b, &p, given)
		given.queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return false, orNotFound(err, "post")
	}
	g.announce(announcement)
	return cancelled, nil
}

// cancel ends a post; a target in hand ends with it, if its outcome comes late or never.
// First comments of what was published before a retry are skipped if they are not posted.
// It adds the units that are given back, which the caller queues after all else.
func (s *Store) cancel(b *pgx.Batch, p *schema.Post, given charges) (announcement schema.Announcement) {
	now := s.Now()
	p.Status, p.Version = schema.Cancelled, p.Version+1
	released := []int16{}
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Releases() && !t.ChargedOn.IsZero() {
			given.add(charge{key: dayKey(t.Account, t.ChargedOn), n: -1})
			released = append(released, t.N)
		}
		if t.State == schema.TargetPending || t.State == schema.TargetClaimed {
			t.State = schema.TargetCancelled
		}
	}
	b.Queue(`update posts set status = $2, version = $3, left_n = 0, updated_at = now() where id = $1`,
		p.ID, int16(p.Status), p.Version)
	b.Queue(`
		update targets set state = $2, charged_on = case when n <> all ($3) then charged_on end
		where post_id = $1 and state in `+openTargets, p.ID, int16(schema.TargetCancelled), released)
	b.Queue(`
		with skipped as (
			update comments set state = $2, claim = claim + 1, lease_until = null
			where post_id = $1 and state in `+openComments+`
			returning id
		)
		delete from jobs where id = any(array(select id from skipped) || $1)`, p.ID, int16(schema.CommentSkipped))
	b.Queue(`delete from queue_slots where post_id = $1`, p.ID)
	queueAttempt(b, p.ID, schema.AttemptCancelled, now, time.Time{})
	if events := queueEvents(b, []schema.Event{postEvent(schema.PostCancelled, p, now)}, now); events != nil {
		announcement.Events = append(announcement.Events, *events)
	}
	return announcement
}
