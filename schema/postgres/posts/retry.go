package posts

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Retry sets the failed targets of a post going again after a delay, all of them or those
// of some platforms, each after its last receipt. What may be there already is looked for
// first; where nobody can look the target is left out, unless a second post is accepted. It
// refuses a post that has not failed, and one of which nothing is left to publish.
func (s *Store) Retry(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, retry schema.Retry) (schema.Retried, error) {
	var done schema.Retried
	var announcement schema.Announcement
	err := s.charging(ctx, func(tx pgx.Tx) (*tables.Demand, error) {
		post, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return nil, err
		}
		if post.Status != schema.Failed && post.Status != schema.PartiallyFailed {
			return nil, tables.InvalidState("a post that is " + post.Status.String() + " cannot be retried; only a failed or partially failed post can")
		}
		posts := []schema.Post{post}
		if err := tables.AddTargets(ctx, tx, posts); err != nil {
			return nil, err
		}
		b := &pgx.Batch{}
		var taken tables.Charges
		done, taken, announcement = s.queueRetry(b, posts[0], retry)
		if len(done.Platforms) == 0 {
			return nil, nothingToRetry(done.LeftOut)
		}
		audit.Queue(ctx, b, s.Now(), changedEntry(&posts[0], &done.Post))
		return &tables.Demand{Post: &done.Post, Charges: taken.Taken()}, tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return schema.Retried{}, db.OrNotFound(err, "post")
	}
	s.Announce(announcement)
	return done, nil
}

func nothingToRetry(leftOut []schema.Detail) error {
	if len(leftOut) == 0 {
		return tables.InvalidState("the post has no failed target on these platforms that could go on")
	}
	return &schema.Error{Kind: schema.InvalidState, Message: leftOut[0].Message, Details: leftOut}
}

// leftOut says why a target does not go on.
func leftOut(t *schema.Target) schema.Detail {
	return schema.Detail{
		Field: "platforms", Platform: t.Platform.String(), Code: schema.CodeOutcomeUnknown,
		Message: "the post may be on " + t.Platform.String() + " already, which offers no way to find out; " +
			"look at the account " + t.Account.String() + ", and retry with acceptDuplicate: true if it is not there",
	}
}

// retryRows are the columns of targets that go on, one array each.
type retryRows struct {
	ns, entries, steps []int16
	receipts           []string
	unsettled          []int32
	days               []*time.Time // of whose daily cap they hold a unit
}

func (r *retryRows) add(t *schema.Target, to schema.Resumption) {
	r.ns, r.entries, r.steps = append(r.ns, t.N), append(r.entries, int16(to.Entry)), append(r.steps, int16(to.Step))
	r.receipts, r.unsettled = append(r.receipts, string(db.Encode(to.Receipts))), append(r.unsettled, int32(to.Unsettled))
	r.days = append(r.days, db.OrNull(t.ChargedOn))
}

// queueRetry adds the statements of a retry. Claims go on counting: a result of the time
// before never answers a claim of the time after. A target that still holds a unit of the
// day, because something of it is there or may be, takes no second one.
func (s *Store) queueRetry(b *pgx.Batch, p schema.Post, retry schema.Retry) (done schema.Retried, taken tables.Charges, announcement schema.Announcement) {
	now := s.Now()
	due := now.Add(retry.Delay)
	rows, done, taken := s.resume(&p, retry, due)
	p.Version, p.Status, p.UpdatedAt = p.Version+1, schema.Scheduled, now
	rows.queue(b, &p, due, retry.AcceptDuplicate)
	tables.QueueReopened(b, p.ID)
	tables.QueueUses(b, &p) // which may have been given up since the post ended
	tables.QueueAttempt(b, p.ID, schema.AttemptRetried, now, due)
	b.Queue(`delete from jobs where id = $1`, p.ID)
	announcement = queueJob(b, &p, now, due)
	announcement.Events = append(announcement.Events, tables.QueueEvents(b, tables.ScheduledEvents(&p, now), now)...)
	taken.Queue(b)
	done.Post = p
	return done, taken, announcement
}

// resume makes the failed targets of a post pending that are to go on, and charges the day on
// which they are due.
func (s *Store) resume(p *schema.Post, retry schema.Retry, due time.Time) (rows retryRows, done schema.Retried, taken tables.Charges) {
	day := schema.DayOf(due)
	taken = tables.Charges{}
	for i := range p.Targets {
		t := &p.Targets[i]
		to, ok := t.Resume(len(p.Content.Entries), s.constraints(t.Platform).CannotFind, retry.AcceptDuplicate)
		if !ok || (len(retry.Platforms) > 0 && !slices.Contains(retry.Platforms, t.Platform)) {
			continue
		}
		if to.LeftOut {
			done.LeftOut = append(done.LeftOut, leftOut(t))
			continue
		}
		t.State, t.Receipts, t.NextAt = schema.TargetPending, to.Receipts, due
		if unit := s.unit(t, day); unit.Limit > 0 && !t.ChargedOn.Equal(day) {
			t.ChargedOn = day
			taken.Add(unit)
		}
		rows.add(t, to)
		if !slices.Contains(done.Platforms, t.Platform) {
			done.Platforms = append(done.Platforms, t.Platform)
		}
	}
	return rows, done, taken
}

// queue adds the statements that set targets going at the post's new version. The time from
// which an entry is looked for stays while one is to be looked for, and so does what was prepared
// for it, by which some platforms find it.
func (r *retryRows) queue(b *pgx.Batch, p *schema.Post, due time.Time, acceptDuplicate bool) {
	b.Queue(`
		update posts set version = @version, status = @status, left_n = @left, failed_n = failed_n - @left, retried_for = @due, updated_at = @now,
			edited_at = @now
		where id = @post`, pgx.StrictNamedArgs{
		"post": p.ID, "version": p.Version, "status": int16(p.Status), "left": len(r.ns), "due": due, "now": p.UpdatedAt,
	})
	b.Queue(`update targets set version = $2 where post_id = $1`, p.ID, p.Version)
	b.Queue(sql.Text(`
		update targets t set state = {target_pending}, step = case when t.since is null then {step_prepare} else u.step end, entry = u.entry,
			receipts = u.receipts::json, next_at = @due, attempts = 0, looked = 0,
			since = case when u.step = {step_find} or u.unsettled <> 0 then t.since end, unsettled = u.unsettled, accept_duplicate = @accept,
			progress = case when u.step = {step_find} and u.entry = t.entry then t.progress end, lease_until = null, posted_at = null, charged_on = u.charged
		from unnest(@ns::int2[], @entries::int2[], @receipts::text[], @steps::int2[], @unsettled::int4[], @days::date[])
			u (n, entry, receipts, step, unsettled, charged)
		where t.post_id = @post and t.n = u.n`), pgx.StrictNamedArgs{
		"post": p.ID, "due": due, "accept": acceptDuplicate, "ns": r.ns, "entries": r.entries, "receipts": r.receipts,
		"steps": r.steps, "unsettled": r.unsettled, "days": r.days,
	})
}
