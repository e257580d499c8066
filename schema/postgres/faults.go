package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Fault stores a fault of crier's own, and gives the claim back, to be tried again after
// a wait. From the schema.MaxFaults-th fault on it is a dead letter: it is set aside and
// only a replay brings it back. What has a deadline is tried once more then, and ends if
// that fails: every post ends, with a reason.
func (s *Store) Fault(ctx context.Context, f schema.Fault) (dead bool, err error) {
	err = s.Announcing(ctx, "noting a fault", func(tx pgx.Tx) (schema.Announcement, error) {
		unreadable, err := isUnreadable(ctx, tx, &f)
		if err != nil {
			return schema.Announcement{}, err
		}
		tries, err := s.noteFault(ctx, tx, f, unreadable)
		if err != nil {
			return schema.Announcement{}, err
		}
		if dead = unreadable || f.Final || tries >= schema.MaxFaults; dead {
			return s.setAside(ctx, tx, f, unreadable)
		}
		return s.leaveAlone(ctx, tx, f, tries)
	})
	return dead && err == nil, err
}

// isUnreadable reports whether nothing would send the message again: no job and no row of the outbox is known for it.
// Its id is then made from its bytes, so that the same message is stored once.
func isUnreadable(ctx context.Context, tx pgx.Tx, f *schema.Fault) (bool, error) {
	if mark := tables.MarkOf(f.Stage); mark != 0 {
		var owed bool
		err := tx.QueryRow(ctx, `select exists (select from outbox where id = $1 and owed & $2::int2 <> 0)`, db.IDValue(f.Subject.ID), int16(mark)).Scan(&owed)
		if err != nil || owed {
			return false, err
		}
		f.Subject = schema.Subject{}
	}
	if f.Subject != (schema.Subject{}) {
		return false, nil
	}
	sum := sha256.Sum256(append([]byte(f.Message.Topic), f.Message.Value...))
	f.Subject.ID = [16]byte(sum[:])
	return true, nil
}

// noteFault counts the fault and returns how often the same thing has failed lately.
func (s *Store) noteFault(ctx context.Context, tx pgx.Tx, f schema.Fault, unreadable bool) (tries int, err error) {
	err = tx.QueryRow(ctx, `
		insert into dead_letters as l (id, stage, subject, n, unreadable, topic, partition, key, value, reason, tries, failed_at)
		values (@id, @stage, @subject, @n, @unreadable, @topic, @partition, @key, @value, @reason, least(@tries::int, 30000), now())
		on conflict (stage, subject, n) do update set
			tries = least(excluded.tries + case when l.dead_at is null and l.failed_at < now() - @memory::interval then 0 else l.tries end, 30000),
			key = excluded.key, value = excluded.value, reason = excluded.reason, failed_at = now(),
			replay_at = null -- it was replayed, and failed again before that was noted
		returning tries`, pgx.StrictNamedArgs{
		"id": schema.NewID[schema.DeadLetterID](s.Now()), "stage": f.Stage, "subject": db.IDValue(f.Subject.ID), "n": f.Subject.N, "unreadable": unreadable,
		"topic": f.Message.Topic, "partition": f.Message.Partition, "key": f.Message.Key, "value": append([]byte{}, f.Message.Value...),
		"reason": plainText(f.Reason), "tries": f.Tries, "memory": schema.FaultMemory.String(),
	}).Scan(&tries)
	return tries, err
}

// plainText returns a text of bounded length that PostgreSQL can store.
func plainText(text string) string {
	const maxBytes = 2000
	if len(text) > maxBytes {
		text = text[:maxBytes]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// leaveAlone gives the claim back, not to be claimed for a while. A call that may have
// been made is looked for.
func (s *Store) leaveAlone(ctx context.Context, tx pgx.Tx, f schema.Fault, tries int) (schema.Announcement, error) {
	wait := schema.FaultWait(tries).String()
	b := &pgx.Batch{}
	switch f.Stage {
	case schema.TopicPublish:
		b.Queue(tables.LockPost, db.IDValue(f.Subject.ID))
		b.Queue(sql.Text(`
		update targets t set state = {target_pending}, lease_until = null, step = {step_after_fault(t)}, next_at = now() + @wait::interval
		where post_id = @post and n = @n and state = {target_claimed} and claim = @claim`),
			pgx.StrictNamedArgs{"post": db.IDValue(f.Subject.ID), "n": f.Subject.N, "claim": f.Claim.Claim, "called": f.Claim.Called, "wait": wait})
		return tables.MoveJobsOf(ctx, tx, b, []schema.PostID{f.Subject.ID}, s.Now())
	case schema.TopicComment:
		b.Queue(sql.Text(`
		update comments c set state = {comment_pending}, lease_until = null, step = {step_after_fault(c)}, next_at = now() + @wait::interval
		where id = @comment and state = {comment_claimed} and claim = @claim`),
			pgx.StrictNamedArgs{"comment": db.IDValue(f.Subject.ID), "claim": f.Claim.Claim, "called": f.Claim.Called, "wait": wait})
	case schema.TopicNotify:
		b.Queue(sql.Text(`update deliveries set state = {delivery_pending}, lease_until = null, next_at = now() + $3::interval where id = $1 and state = {delivery_claimed} and claim = $2`),
			db.IDValue(f.Subject.ID), f.Claim.Claim, wait)
	case schema.TopicRefresh:
		b.Queue(`update accounts set renew_lease = null, renew_at = now() + $3::interval where id = $1 and renew_claim = $2`,
			db.IDValue(f.Subject.ID), f.Claim.Claim, wait)
	case schema.TopicCollect:
		b.Queue(`update collections set lease_until = null, due_at = now() + $3::interval where id = $1 and claim = $2 and due_at is not null`,
			db.IDValue(f.Subject.ID), f.Claim.Claim, wait)
	default:
		return schema.Announcement{}, nil // the outbox sends its events again
	}
	b.Queue(`update jobs set due_at = now() + $2::interval where id = $1`, db.IDValue(f.Subject.ID), wait)
	return schema.Announcement{}, tx.SendBatch(ctx, b).Close()
}

// setAside keeps the row of a dead letter from being claimed.
func (s *Store) setAside(ctx context.Context, tx pgx.Tx, f schema.Fault, unreadable bool) (schema.Announcement, error) {
	b := &pgx.Batch{}
	id := db.IDValue(f.Subject.ID)
	b.Queue(`update dead_letters set dead_at = coalesce(dead_at, now()) where stage = $1 and subject = $2 and n = $3`, f.Stage, id, f.Subject.N)
	switch {
	case unreadable:
	case f.Stage == schema.TopicPublish:
		return s.setTargetAside(ctx, tx, b, f)
	case f.Stage == schema.TopicComment:
		s.setCommentAside(b, f)
	case f.Stage == schema.TopicNotify:
		b.Queue(sql.Text(`
			update deliveries set state = {delivery_failed}, lease_until = null, error = 'crier failed on this delivery'
			where id = $1 and (state = {delivery_pending} or (state = {delivery_claimed} and (claim = $2 or lease_until < now() or ($2 = 0 and node = $3))))`), id, f.Claim.Claim, s.Node)
		b.Queue(`delete from jobs where id = $1`, id)
	case f.Stage == schema.TopicRefresh:
		b.Queue(`
			update accounts set renew_lease = null, renew_at = now() + $3::interval
			where id = $1 and (renew_claim = $2 or ($2 = 0 and (renew_lease is null or renew_lease < now() or renew_node = $4)))`,
			id, f.Claim.Claim, renewAside, s.Node)
		b.Queue(`update jobs set due_at = now() + $2::interval where id = $1`, id, renewAside)
	case f.Stage == schema.TopicCollect:
		b.Queue(`
			update collections set lease_until = null, due_at = now() + $3::interval
			where id = $1 and due_at is not null and (claim = $2 or ($2 = 0 and (lease_until is null or lease_until < now() or node = $4)))`,
			id, f.Claim.Claim, renewAside, s.Node)
		b.Queue(`update jobs set due_at = now() + $2::interval where id = $1`, id, renewAside)
	case f.Stage == schema.TopicDelay:
		b.Queue(`delete from jobs where id = $1`, id) // the sweep makes a readable one
	default:
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return schema.Announcement{}, err
		}
		_, err := tables.TakeMark(ctx, tx, []schema.BatchID{f.Subject.ID}, tables.MarkOf(f.Stage))
		return schema.Announcement{}, err
	}
	return schema.Announcement{}, tx.SendBatch(ctx, b).Close()
}

// renewAside is how long a renewal or a collection is set aside. It is not for ever: the account would lose its
// credentials.
const renewAside = "24 hours"

// setTargetAside sets a target aside until its deadline. One that is past it is ended; if not even that
// could be stored, it is set aside for an hour.
func (s *Store) setTargetAside(ctx context.Context, tx pgx.Tx, b *pgx.Batch, f schema.Fault) (schema.Announcement, error) {
	post := schema.PostID(f.Subject.ID)
	b.Queue(tables.LockPost, post)
	b.Queue(sql.Text(`
		update targets t set state = {target_pending}, lease_until = null, step = {step_after_fault(t)},
			next_at = greatest(coalesce(p.retried_for, p.scheduled_for) + @late::interval, now() + '1 hour'::interval)
		from posts p where t.post_id = @post and t.n = @n and p.id = t.post_id and {held_by_claim(t)}`), pgx.StrictNamedArgs{
		"post": post, "n": f.Subject.N, "claim": f.Claim.Claim, "called": f.Claim.Called, "late": s.Late.String(), "node": s.Node,
	})
	announcement, err := tables.MoveJobsOf(ctx, tx, b, []schema.PostID{post}, s.Now())
	if err != nil {
		return announcement, err
	}
	// The post's rows may be what cannot be read; then it cannot be ended.
	ended, endErr := s.endDead(ctx, tx, post, f.Subject.N)
	if endErr != nil {
		s.Log.ErrorContext(ctx, "a dead post could not be ended", "post", post, "err", endErr)
		return announcement, nil
	}
	announcement.Events = append(announcement.Events, ended.Events...)
	return announcement, nil
}

// endDead ends a target past its deadline, in a savepoint: a failure undoes nothing else.
func (s *Store) endDead(ctx context.Context, tx pgx.Tx, post schema.PostID, n int16) (announcement schema.Announcement, err error) {
	err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		dead, charged, err := s.failDead(ctx, tx, schema.TargetRef{Post: post, N: n})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tables.RepairPosts(ctx, tx, []schema.PostID{post}, s.Now(), &announcement); err != nil {
			return err
		}
		b := &pgx.Batch{}
		announcement.Events = append(announcement.Events, tables.QueueEvents(b, []schema.Event{tables.TargetFact(&dead, s.Now())}, s.Now())...)
		told := schema.FailedAttempt(dead.Error, n, schema.NoComment, dead.Entry)
		var attempts tables.AttemptRows
		attempts.Add(post, &told)
		attempts.Queue(b)
		refunds := tables.Charges{}
		refunds.Add(tables.RefundDay(dead.Account, charged))
		refunds.Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return announcement, err
}

// failDead fails a target past its deadline and returns the day whose unit it gives back: the zero time where something
// of it is on the platform, or may be. The error is pgx.ErrNoRows if the deadline has not passed.
func (s *Store) failDead(ctx context.Context, tx pgx.Tx, ref schema.TargetRef) (dead schema.Result, charged time.Time, err error) {
	dead = schema.Result{Ref: ref, State: schema.TargetFailed, Error: schema.DeadMissed(s.Now())}
	unknown := schema.DeadUnknown(s.Now())
	var isUnknown bool
	err = tx.QueryRow(ctx, sql.Text(`
		with late as (
			select t.post_id, t.n, p.workspace_id, coalesce(p.retried_for, p.scheduled_for) due,
				t.step = {step_find} or t.looked = {call_repeating} or t.unsettled <> 0 unknown, t.receipts::text <> '[]' begun, t.charged_on
			from targets t join posts p on p.id = t.post_id
			where t.post_id = @post and t.n = @n and t.state = {target_pending} and coalesce(p.retried_for, p.scheduled_for) + @late::interval < now()
		)
		update targets t set state = {target_failed}, error = case when l.unknown then @unknown::text::json else @missed::text::json end,
			charged_on = case when l.unknown or l.begun then t.charged_on end
		from late l where t.post_id = l.post_id and t.n = l.n
		returning l.workspace_id, t.account_id, t.platform, t.entry, l.due, l.unknown, case when t.charged_on is null then l.charged_on end`), pgx.StrictNamedArgs{
		"post": ref.Post, "n": ref.N, "late": s.Late.String(), "unknown": string(db.Encode(unknown)), "missed": string(db.Encode(dead.Error)),
	}).Scan((*[16]byte)(&dead.Workspace), (*[16]byte)(&dead.Account), &dead.Platform, &dead.Entry, &dead.DueAt, &isUnknown, db.OrZero(&charged))
	if isUnknown {
		dead.Error = unknown
	}
	return dead, charged, err
}

// setCommentAside sets a first comment aside until its deadline. One that is past it is
// ended; if not even that could be stored, it is set aside for an hour.
func (s *Store) setCommentAside(b *pgx.Batch, f schema.Fault) {
	id, now := db.IDValue(f.Subject.ID), s.Now()
	b.Queue(sql.Text(`
		update comments c set state = {comment_pending}, lease_until = null, step = {step_after_fault(c)},
			next_at = greatest(uuid_extract_timestamp(c.id) + @late::interval, now() + '1 hour'::interval)
		where c.id = @comment and {held_by_claim(c)}`), pgx.StrictNamedArgs{
		"comment": id, "claim": f.Claim.Claim, "called": f.Claim.Called, "late": (schema.FirstCommentDelay + s.Late).String(), "node": s.Node,
	})
	b.Queue(sql.Text(`
		with ended as (
			update comments set state = {comment_failed}, error = case when step = {step_find} or looked = {call_repeating} then $3::text::json else $4::text::json end
			where id = $1 and state = {comment_pending} and uuid_extract_timestamp(id) + $2::interval < now()
			returning post_id, n, position, entry, error
		)
		insert into attempts (post_id, at, kind, n, comment, entry, code, message)
		select post_id, $5, {attempt_failed}, n, position, entry, error ->> 'code', error ->> 'message' from ended where post_id is not null`),
		id, (schema.FirstCommentDelay + s.Late).String(), string(db.Encode(schema.DeadUnknown(now))), string(db.Encode(schema.DeadMissed(now))), now)
	b.Queue(sql.Text(`update jobs j set due_at = c.next_at from comments c where j.id = $1 and c.id = j.id and c.state = {comment_pending}`), id)
	b.Queue(sql.Text(`delete from jobs j where j.id = $1 and not exists (select from comments c where c.id = j.id and c.state in {open_comments})`), id)
}
