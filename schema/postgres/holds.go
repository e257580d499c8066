package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/maintenance"
)

const (
	// afterDeadline is how long after its deadline a paused job fires: later than any claim
	// lets it through.
	afterDeadline = "1 second"
	// reviewAgain is when the job of a post under review fires again, only to be parked.
	reviewAgain = "1 day"
)

// parkPosts puts the jobs of posts that are held off, each to the time when the first of
// its targets can go on or must end.
func (s *Store) parkPosts(ctx context.Context, posts []schema.PostID) error {
	return s.park(ctx, tables.LockPosts, posts, parkJobsOfPosts, pgx.StrictNamedArgs{
		"posts": posts, "late": s.Late, "settle": schema.SettleTime, "visibility": schema.VisibilityTimeout,
	})
}

var parkJobsOfPosts = db.NewStatement(`
	update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
	from (
		select p.id, coalesce(p.retried_for, p.scheduled_for) base, bool_or(review or paused) held, min(case
			when review then now() + interval '` + reviewAgain + `'
			when paused then greatest(coalesce(p.retried_for, p.scheduled_for) + @late::interval, now()) + interval '` + afterDeadline + `'
			when t.state = ` + tables.TargetClaimed + ` then t.lease_until + @settle::interval
			else greatest(coalesce(t.next_at, now()), now()) + case when t.claim = 0 then @visibility::interval else interval '0' end end) due_at
		from posts p join targets t on t.post_id = p.id
		cross join lateral (select exists (select from holds h where h.subject = p.id) review, ` + tables.PausedTarget + ` paused) held
		where p.id = any(@posts) and p.status in ` + tables.OpenPosts + ` and t.state in ` + tables.OpenTargets + ` group by p.id
	) w
	where j.id = w.id and w.held`)

// parkComments puts the jobs of first comments that are held off.
func (s *Store) parkComments(ctx context.Context, ids []schema.CommentID) error {
	return s.park(ctx, `select from comments where id = any($1) order by id for no key update`, ids,
		parkJobsOfComments, pgx.StrictNamedArgs{"ids": ids, "late": s.Late, "delay": schema.FirstCommentDelay})
}

var parkJobsOfComments = db.NewStatement(`
	update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
	from (
		select c.id, base, case
			when review then now() + interval '` + reviewAgain + `'
			else greatest(base + @late::interval, now()) + interval '` + afterDeadline + `' end due_at
		from comments c join accounts a on a.id = c.account_id
		cross join lateral (select uuid_extract_timestamp(c.id) + @delay::interval base,
			exists (select from holds h where h.subject = c.post_id) review, ` + tables.PausedComment + ` paused) held
		where c.id = any(@ids) and c.state in ` + tables.OpenComments + ` and (review or paused)
	) w
	where j.id = w.id`)

// park runs lock with ids, and then move, with the jobs of the ids locked as well: what fires them
// locks them by id, too. Where nothing is held it locks nothing.
func (s *Store) park(ctx context.Context, lock string, ids any, move *db.Statement, parameters pgx.StrictNamedArgs) error {
	return s.OnConnection(ctx, func(conn *pgx.Conn) error {
		var holding bool
		if err := conn.QueryRow(ctx, `select exists (select from holds)`).Scan(&holding); err != nil || !holding {
			return err
		}
		b := &pgx.Batch{}
		b.Queue("begin")
		b.Queue(tables.ShareHolds)
		b.Queue(lock, ids)
		b.Queue(`select from jobs where id = any($1) order by id for update`, ids)
		move.Queue(b, parameters)
		b.Queue("commit")
		return conn.SendBatch(ctx, b).Close()
	})
}

// HoldOverdue holds every post for review whose time has passed, or one of whose first
// comments has not gone out, and returns how many. It is for a database that was restored
// from a backup, before anything is claimed: the platforms may have it all already.
func (s *Store) HoldOverdue(ctx context.Context) (int64, error) {
	return maintenance.HoldOverdue(ctx, s.DB)
}
