package maintenance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// The kinds of what a sweep repairs.
const (
	repairNoJob      = "post_without_job"
	repairOtherJob   = "post_with_job_of_another_version"
	repairCounts     = "counters_disagree"
	repairLease      = "lease_over_and_no_job_due"
	repairOrphan     = "job_without_its_post"
	repairNoComment  = "comment_without_job"
	repairNoDelivery = "delivery_without_job"
	repairNoRenewal  = "renewal_without_job"
)

const (
	// sweepBack is how far back in time a pass looks for posts: past their deadline they
	// have ended. Older ones, such as retried ones, come with the round over all posts.
	sweepBack  = 26 * time.Hour
	sweepAhead = 30 * time.Minute
	// sweepRound is how many posts of the round over all of them a pass takes.
	sweepRound = 20_000
	// sweepLimit bounds the repairs of a kind in a pass.
	sweepLimit = 500
)

// Sweep finds what should not be, repairs it, and returns how many of each kind. The
// state of a post and its job change in one transaction, so what a statement sees is
// never half done. Only one process sweeps at a time; the others do nothing.
func (s *Store) Sweep(ctx context.Context) (repaired map[string]int, more bool, err error) {
	repaired = map[string]int{
		repairNoJob: 0, repairOtherJob: 0, repairCounts: 0, repairLease: 0, repairOrphan: 0, repairNoComment: 0, repairNoDelivery: 0, repairNoRenewal: 0,
	}
	var said schema.Announcement
	err = s.Alone(ctx, "sweep", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local enable_seqscan = off`); err != nil {
			return err
		}
		if err := s.sweepPosts(ctx, tx, repaired, &said); err != nil {
			return err
		}
		return s.sweepJobs(ctx, tx, repaired)
	})
	if err != nil {
		return nil, false, fmt.Errorf("sweeping: %w", db.Unavailable(err))
	}
	s.Announce(said)
	return repaired, false, nil
}

// suspect is an open post that something is wrong with.
type suspect struct {
	post schema.PostID
	kind string
}

// findSuspects looks at open posts: those due around now by the index of the schedule,
// and the next ones of the round by id.
const findSuspects = `
	with candidates as (
		select p.id from workspaces w cross join lateral (
			select id, status, retried_for from posts p where p.workspace_id = w.id and p.scheduled_for between now() - $1::interval and now() + $2::interval
		) p where p.status in ` + tables.OpenPosts + ` and (p.retried_for is null or p.retried_for < now() + $2::interval)
		union
		select id from (select id, status, retried_for, scheduled_for from posts where id > coalesce($3::uuid, ` + db.NoID + `) and id <= $4) p
		where status in ` + tables.OpenPosts + ` and coalesce(retried_for, scheduled_for) < now() + $2::interval
	), open as (
		select p.id, p.version, p.left_n, p.posted_n, p.failed_n, c.*, j.id job, j.version job_version, j.due_at
		from candidates x join posts p on p.id = x.id
		cross join lateral (
			select count(*) filter (where state in ` + tables.OpenTargets + `) l, count(*) filter (where state = ` + tables.TargetPosted + `) posted, count(*) filter (where state = ` + tables.TargetFailed + `) failed,
				max(lease_until) filter (where state = ` + tables.TargetClaimed + `) lease
			from targets t where t.post_id = p.id
		) c
		left join jobs j on j.id = p.id
	)
	select id, case
		when (left_n, posted_n, failed_n) is distinct from (l, posted, failed) or l = 0 then '` + repairCounts + `'
		when job is null then '` + repairNoJob + `'
		when job_version <> version then '` + repairOtherJob + `'
		else '` + repairLease + `' end
	from open
	where (left_n, posted_n, failed_n) is distinct from (l, posted, failed) or l = 0
		or job is null or job_version <> version
		or (lease < now() - interval '2 minutes' and due_at > now() + interval '2 minutes'
			and not exists (select from jobs j where j.id = open.id and j.held))
	order by id limit $5`

func (s *Store) sweepPosts(ctx context.Context, tx pgx.Tx, repaired map[string]int, said *schema.Announcement) error {
	var last schema.PostID
	err := tx.QueryRow(ctx, `
		select coalesce((select id from posts where id > coalesce($1::uuid, `+db.NoID+`) order by id offset $2 limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)`,
		s.round, sweepRound).Scan((*[16]byte)(&last))
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, findSuspects, sweepBack.String(), sweepAhead.String(), s.round, last, sweepLimit)
	found, err := db.Collect(rows, err, func(row pgx.Row, x *suspect) error { return row.Scan((*[16]byte)(&x.post), &x.kind) })
	if err != nil {
		return err
	}
	if s.round = last; last[0] == 0xff {
		s.round = schema.PostID{}
	}
	if len(found) == 0 {
		return nil
	}
	return s.repairSuspects(ctx, tx, found, repaired, said)
}

// repairSuspects repairs posts, each half by itself where that fails, so that one which
// cannot be read holds up no other.
func (s *Store) repairSuspects(ctx context.Context, tx pgx.Tx, found []suspect, repaired map[string]int, said *schema.Announcement) error {
	ids := make([]schema.PostID, len(found))
	for i, x := range found {
		ids[i] = x.post
	}
	var made schema.Announcement
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		return db.Guard(func() error { return tables.RepairPosts(ctx, tx, ids, s.Now(), &made) })
	}) // a savepoint
	switch half := len(found) / 2; {
	case err == nil:
		for _, x := range found {
			repaired[x.kind]++
		}
		said.Events = append(said.Events, made.Events...)
		return nil
	case !db.IsDataError(err):
		return err
	case half == 0:
		s.Log.ErrorContext(ctx, "a post could not be repaired", "post", ids[0], "kind", found[0].kind, "err", err)
		return nil
	default:
		if err := s.repairSuspects(ctx, tx, found[:half], repaired, said); err != nil {
			return err
		}
		return s.repairSuspects(ctx, tx, found[half:], repaired, said)
	}
}

// sweepJobs drops jobs of posts that are gone or done, and gives first comments and
// deliveries the job they lack. Ids begin with their time, so that the newest are a range.
func (s *Store) sweepJobs(ctx context.Context, tx pgx.Tx, repaired map[string]int) error {
	tag, err := tx.Exec(ctx, `
		with orphans as (
			select j.id from jobs j where j.overdue_since is not null and j.kind = `+tables.JobPost+`
			  and not exists (select from posts p where p.id = j.id and p.status in `+tables.OpenPosts+`) order by j.overdue_since limit $1
		)
		delete from jobs j using orphans o where j.id = o.id`, sweepLimit)
	if err != nil {
		return err
	}
	repaired[repairOrphan] += int(tag.RowsAffected())
	now := s.Now()
	rows, err := tx.Query(ctx, `
		select c.id, c.post_id, c.workspace_id, c.account_id, a.platform from comments c join accounts a on a.id = c.account_id
		where c.id > $1 and c.state in `+tables.OpenComments+` and not exists (select from jobs j where j.id = c.id) limit $2`,
		schema.NewCommentID(now.Add(-sweepBack)), sweepLimit)
	comments, err := db.Collect(rows, err, func(row pgx.Row, j *schema.Job) error {
		var m schema.CommentMessage
		var post schema.PostID
		err := row.Scan((*[16]byte)(&m.Comment), (*[16]byte)(&post), (*[16]byte)(&m.Workspace), (*[16]byte)(&m.Account), &m.Platform)
		*j = schema.Job{ID: schema.JobID(m.Comment), Kind: schema.JobComment, Shard: schema.ShardOf(post), DueAt: now, Payload: db.Encode(m)}
		return err
	})
	if err != nil {
		return err
	}
	rows, err = tx.Query(ctx, `
		select id, webhook_id, workspace_id from deliveries d
		where id > $1 and state in `+tables.OpenDeliveries+` and not exists (select from jobs j where j.id = d.id)
		  and exists (select from webhooks w where w.id = d.webhook_id) limit $2`,
		schema.NewDeliveryID(now.Add(-sweepBack)), sweepLimit)
	deliveries, err := db.Collect(rows, err, func(row pgx.Row, j *schema.Job) error {
		var m schema.NotifyMessage
		err := row.Scan((*[16]byte)(&m.Delivery), (*[16]byte)(&m.Webhook), (*[16]byte)(&m.Workspace))
		*j = schema.Job{ID: schema.JobID(m.Delivery), Kind: schema.JobNotify, Shard: schema.ShardOf(m.Webhook), DueAt: now, Payload: db.Encode(m)}
		return err
	})
	if err != nil {
		return err
	}
	renewals, err := s.forgottenRenewals(ctx, tx)
	if err != nil {
		return err
	}
	repaired[repairNoRenewal] += len(renewals)
	repaired[repairNoComment] += len(comments)
	repaired[repairNoDelivery] += len(deliveries)
	var jobs tables.JobRows
	for _, j := range slices.Concat(comments, deliveries, renewals) {
		jobs.Add(j, now)
	}
	b := &pgx.Batch{}
	jobs.Queue(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	woken, err := s.wakeForgotten(ctx, tx, now)
	repaired[repairLease] += woken
	return err
}

// forgottenRenewals returns a job for each account that is to be looked at and has none.
func (s *Store) forgottenRenewals(ctx context.Context, tx pgx.Tx) ([]schema.Job, error) {
	rows, err := tx.Query(ctx, `
		select id, workspace_id from accounts a
		where renew_at is not null and disconnected_at is null
		  and not exists (select from jobs j where j.id = a.id) limit $1`, sweepLimit)
	return db.Collect(rows, err, func(row pgx.Row, j *schema.Job) error {
		var a schema.Account
		err := row.Scan((*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace))
		*j = tables.RenewalJob(&a, s.Now())
		return err
	})
}

// wakeForgotten makes the jobs of first comments and deliveries due whose lease is over for
// long, and whose job is not due for long: whoever held them will not come back.
func (s *Store) wakeForgotten(ctx context.Context, tx pgx.Tx, now time.Time) (int, error) {
	woken := 0
	for _, from := range []struct {
		table, claimed string
		oldest         any
	}{
		{"comments", tables.CommentClaimed, schema.NewCommentID(now.Add(-sweepBack))},
		{"deliveries", tables.DeliveryClaimed, schema.NewDeliveryID(now.Add(-sweepBack))},
	} {
		tag, err := tx.Exec(ctx, `
			update jobs j set due_at = now() from `+from.table+` x
			where x.id > $1 and x.state = `+from.claimed+` and x.lease_until < now() - interval '2 minutes'
			  and j.id = x.id and not j.held and j.due_at > now() + interval '2 minutes'`, from.oldest)
		if err != nil {
			return woken, err
		}
		woken += int(tag.RowsAffected())
	}
	return woken, nil
}
