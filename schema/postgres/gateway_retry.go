package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Retry sets the failed targets of a post going again after a delay, all of them or those
// of some platforms, each after its last receipt, and returns the platforms retried. It
// refuses a post that has not failed, and one of which nothing is left to publish.
func (g *Gateway) Retry(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, platforms []schema.Platform, delay time.Duration) (schema.Post, []schema.Platform, error) {
	var post schema.Post
	var retried []schema.Platform
	var announcement schema.Announcement
	err := g.charging(ctx, func(tx pgx.Tx) (*demand, error) {
		row := tx.QueryRow(ctx, `select `+postColumns+` from posts p where p.id = $1 and p.workspace_id = $2 for no key update`, id, workspace)
		if err := scanPost(row, &post); err != nil {
			return nil, err
		}
		if post.Status != schema.Failed && post.Status != schema.PartiallyFailed {
			return nil, invalidState("a post that is " + post.Status.String() + " cannot be retried; only a failed or partially failed post can")
		}
		posts := []schema.Post{post}
		if err := addTargets(ctx, tx, posts); err != nil {
			return nil, err
		}
		post = posts[0]
		b := &pgx.Batch{}
		var taken charges
		retried, taken, announcement = g.queueRetry(b, &post, platforms, delay)
		if len(retried) == 0 {
			return nil, invalidState("the post has no failed target on these platforms that could go on")
		}
		return &demand{post: &post, charges: taken.taken()}, tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return schema.Post{}, nil, orNotFound(err, "post")
	}
	g.announce(announcement)
	return post, retried, nil
}

// queueRetry adds the statements of a retry. Claims go on counting: a result of the time
// before never answers a claim of the time after. A target that still holds a unit of the
// day, because something of it is there or may be, takes no second one.
func (g *Gateway) queueRetry(b *pgx.Batch, p *schema.Post, platforms []schema.Platform, delay time.Duration) (retried []schema.Platform, taken charges, said schema.Announcement) {
	now := g.Now()
	day := schema.DayOf(now.Add(delay))
	taken = charges{}
	var ns, entries, steps []int16
	var receipts []string
	var days []*time.Time
	for i := range p.Targets {
		t := &p.Targets[i]
		closed := slices.DeleteFunc(slices.Clone(t.Receipts), func(r schema.Receipt) bool { return r.Open })
		next := nextEntry(closed)
		if t.State != schema.TargetFailed || next >= len(p.Content.Entries) ||
			(len(platforms) > 0 && !slices.Contains(platforms, t.Platform)) {
			continue
		}
		step := schema.StepPrepare
		if len(closed) < len(t.Receipts) { // came late: the platform may be at it still
			step, closed = schema.StepFind, t.Receipts
		}
		t.State, t.Receipts, t.NextAt = schema.TargetPending, closed, now.Add(delay)
		if unit := g.unit(t, day); unit.limit > 0 && !t.ChargedOn.Equal(day) {
			t.ChargedOn = day
			taken.add(unit)
		}
		days = append(days, orNull(t.ChargedOn))
		ns, entries, receipts = append(ns, t.N), append(entries, int16(next)), append(receipts, string(encode(closed)))
		steps = append(steps, int16(step))
		if !slices.Contains(retried, t.Platform) {
			retried = append(retried, t.Platform)
		}
	}
	p.Version, p.Status, p.UpdatedAt = p.Version+1, schema.Scheduled, now
	due := now.Add(delay)
	b.Queue(`
		update posts set version = $2, status = $3, left_n = $4, failed_n = failed_n - $4, retried_for = $5, updated_at = $6
		where id = $1`, p.ID, p.Version, int16(p.Status), len(ns), due, now)
	b.Queue(`update targets set version = $2 where post_id = $1`, p.ID, p.Version)
	b.Queue(`
		update targets t set state = 0, step = u.step, entry = u.entry, receipts = u.receipts::json, next_at = $5,
			attempts = 0, looked = 0, since = case when u.step = 2 then t.since end, progress = null, lease_until = null,
			posted_at = null, charged_on = u.charged
		from unnest($2::int2[], $3::int2[], $4::text[], $6::int2[], $7::date[]) u (n, entry, receipts, step, charged)
		where t.post_id = $1 and t.n = u.n`, p.ID, ns, entries, receipts, due, steps, days)
	b.Queue(`delete from jobs where id = $1`, p.ID)
	queueAttempt(b, p.ID, schema.AttemptRetried, now, due)
	job := postJob(p)
	job.DueAt = due
	var jobs jobRows
	if delay == 0 {
		said.Publish = postMessages(p)
		job.DueAt = now.Add(schema.VisibilityTimeout)
	} else {
		said.Jobs = soon([]schema.Job{job}, now)
	}
	jobs.add(job, now)
	jobs.queue(b)
	if events := queueEvents(b, scheduledEvents(p, now), now); events != nil {
		said.Events = append(said.Events, *events)
	}
	taken.queue(b)
	return retried, taken, said
}

// nextEntry is the position after the last published entry: a retry never repeats a
// thread's head, and a hole that something followed stays one.
func nextEntry(receipts []schema.Receipt) int {
	next := 0
	for _, r := range receipts {
		next = max(next, r.Entry+1)
	}
	return next
}
