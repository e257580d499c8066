package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Holds are looked at by every claim: what is held is left out of its answer. The job of
// a held post or comment is parked then, until a pause's deadline, so that it does not
// fire again and again; whoever lifts a hold makes the parked jobs due.

// paused tells whether the work of a workspace for an account of a platform is paused.
// The table of holds is empty on most days, and small on any.
func paused(workspace, account, platform string) string {
	return `(exists (select from holds h where h.subject = any (array[` + workspace + `, ` + account + `]))
		or ` + platform + ` = any (array(select h.platform from holds h where h.platform is not null)))`
}

var (
	pausedAccount = paused("p.workspace_id", "a.id", "a.platform")
	pausedTarget  = paused("p.workspace_id", "t.account_id", "t.platform")
	pausedComment = paused("c.workspace_id", "c.account_id", "t.platform")

	// hasFreeTarget keeps a post that is held whole scheduled: it can still be edited and
	// cancelled.
	hasFreeTarget = `not exists (select from holds h where h.subject = p.id)
		and exists (select from targets t where t.post_id = p.id and t.state in ` + openTargets + `
			and (not ` + pausedTarget + ` or coalesce(p.retried_for, p.scheduled_for) + @late::interval < now()))`
)

const (
	anyHold = `select exists (select from holds)`
	// afterDeadline is how long after its deadline a paused job fires: later than any claim
	// lets it through.
	afterDeadline = "1 second"
	// reviewAgain is when the job of a post under review fires again, only to be parked.
	reviewAgain = "1 day"
)

// Whoever parks jobs shares this lock, whoever lifts a hold has it alone: no job is parked
// for a hold that is gone.
const (
	shareHolds = `select pg_advisory_xact_lock_shared(hashtext('crier holds'))`
	lockHolds  = `select pg_advisory_xact_lock(hashtext('crier holds'))`
)

// readHolding reads the answer of anyHold.
func (s *Store) readHolding(holding *bool) func(pgx.Row) error {
	return func(row pgx.Row) error {
		if err := row.Scan(holding); err != nil {
			return err
		}
		s.holding.Store(*holding)
		return nil
	}
}

// parkPosts puts the jobs of posts that are held off, each to the time when the first of
// its targets can go on or must end.
func (s *Store) parkPosts(ctx context.Context, posts []schema.PostID) error {
	return s.park(ctx,
		`select from posts where id = any($1) order by id for no key update`, []any{posts},
		`update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
		from (
			select p.id, coalesce(p.retried_for, p.scheduled_for) base, bool_or(review or paused) held, min(case
				when review then now() + interval '`+reviewAgain+`'
				when paused then greatest(coalesce(p.retried_for, p.scheduled_for) + $2::interval, now()) + interval '`+afterDeadline+`'
				when t.state = `+targetClaimed+` then t.lease_until + $3::interval
				else greatest(coalesce(t.next_at, now()), now()) + case when t.claim = 0 then $4::interval else interval '0' end end) due_at
			from posts p join targets t on t.post_id = p.id
			cross join lateral (select exists (select from holds h where h.subject = p.id) review, `+pausedTarget+` paused) held
			where p.id = any($1) and p.status in `+openPosts+` and t.state in `+openTargets+` group by p.id
		) w
		where j.id = w.id and w.held`,
		[]any{posts, s.late.String(), schema.SettleTime.String(), schema.VisibilityTimeout.String()})
}

// parkComments puts the jobs of first comments that are held off.
func (s *Store) parkComments(ctx context.Context, ids []schema.CommentID) error {
	return s.park(ctx,
		`select from comments where id = any($1) order by id for no key update`, []any{ids},
		`update jobs j set held = true, due_at = w.due_at, overdue_since = coalesce(j.overdue_since, w.base)
		from (
			select c.id, base, case
				when review then now() + interval '`+reviewAgain+`'
				else greatest(base + $2::interval, now()) + interval '`+afterDeadline+`' end due_at
			from comments c join targets t on t.post_id = c.post_id and t.n = c.n
			cross join lateral (select uuid_extract_timestamp(c.id) + $3::interval base,
				exists (select from holds h where h.subject = c.post_id) review, `+pausedComment+` paused) held
			where c.id = any($1) and c.state in `+openComments+` and (review or paused)
		) w
		where j.id = w.id`,
		[]any{ids, s.late.String(), schema.FirstCommentDelay.String()})
}

// park runs two statements, the second with what the first has locked.
func (s *Store) park(ctx context.Context, lock string, of []any, move string, by []any) error {
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(shareHolds)
	b.Queue(lock, of...)
	b.Queue(move, by...)
	b.Queue("commit")
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return s.abandon(ctx, conn.Conn(), err)
	}
	return nil
}

// HoldOverdue holds every post for review whose time has passed, or one of whose first
// comments has not gone out, and returns how many. It is for a database that was restored
// from a backup, before anything is claimed: the platforms may have it all already.
func (s *Store) HoldOverdue(ctx context.Context) (int64, error) {
	var held int64
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, setting := range []string{`set local enable_seqscan = on`, `set local transaction_timeout = 0`, lockHolds} {
			if _, err := tx.Exec(ctx, setting); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, `
			insert into holds (subject, kind, reason)
			select id, $1, 'overdue when crier was started with --hold-overdue' from (
				select id from posts where status in `+openPosts+` and coalesce(retried_for, scheduled_for) <= now()
				union
				select post_id from comments where state in `+openComments+`
			) overdue
			on conflict (subject) do nothing`, int16(schema.UnderReview))
		held = tag.RowsAffected()
		return err
	})
	return held, unavailable(err)
}

const holdColumns = `coalesce(h.subject, ` + noID + `), coalesce(h.platform, 0), h.kind, h.reason, h.created_at`

func scanHold(rows pgx.Rows, h *schema.Hold) error {
	var subject [16]byte
	if err := rows.Scan(&subject, &h.Platform, &h.Kind, &h.Reason, &h.Since); err != nil {
		return err
	}
	h.Since = h.Since.UTC()
	switch h.Kind {
	case schema.WorkspacePaused:
		h.Workspace = subject
	case schema.AccountPaused:
		h.Account = subject
	case schema.UnderReview:
		h.Post = subject
	default:
	}
	return nil
}

// addHolds tells of each open target what holds it.
func addHolds(ctx context.Context, q querier, posts []schema.Post) error {
	var subjects [][16]byte
	var platforms []int16
	for i := range posts {
		p := &posts[i]
		if p.Status != schema.Scheduled && p.Status != schema.Processing {
			continue
		}
		subjects = append(subjects, p.ID, p.Workspace)
		for _, t := range p.Targets {
			subjects, platforms = append(subjects, t.Account), append(platforms, int16(t.Platform))
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	rows, err := q.Query(ctx, `
		select `+holdColumns+` from holds h where h.subject = any($1)
		union all
		select `+holdColumns+` from holds h where h.platform = any($2)`, subjects, platforms)
	holds, err := collect(rows, err, scanHold)
	if err != nil {
		return err
	}
	for _, h := range holds {
		for i := range posts {
			for j := range posts[i].Targets {
				if t := &posts[i].Targets[j]; h.Holds(&posts[i], t) {
					t.Hold = &h
				}
			}
		}
	}
	return nil
}
