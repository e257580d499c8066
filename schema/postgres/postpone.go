package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

const (
	// waitingTargets are those of $1 to $4, of which a claim would have to wait, for waits that end by
	// targetsTurn; $5 is how late they may be.
	waitingTargets = `
			unnest($1::uuid[], $2::int2[], $3::int[], $4::interval[]) u (post, n, version, wait)
			join posts p on p.id = u.post and p.version = u.version
			where t.post_id = u.post and t.n = u.n and p.status in ` + tables.OpenPosts + ` and t.state = ` + tables.TargetPending + ` and t.step <> ` + tables.StepFind + `
			  and coalesce(t.next_at, now()) <= now() + interval '` + tables.EarlyBy + `'
			  and coalesce(p.retried_for, p.scheduled_for) + $5::interval > now()`
	targetsTurn = `least(now() + u.wait, coalesce(p.retried_for, p.scheduled_for) + $5::interval + interval '` + afterDeadline + `')`
	// waitingComments are those of $1 and $2 by the same rules; $3 is their delay, $4 how late they may be.
	waitingComments = `
			unnest($1::uuid[], $2::interval[]) u (id, wait)
			where c.id = u.id and c.state = ` + tables.CommentPending + ` and c.step <> ` + tables.StepFind + ` and coalesce(c.next_at, now()) <= now() + interval '` + tables.EarlyBy + `'
			  and uuid_extract_timestamp(c.id) + $3::interval + $4::interval > now()`
	commentsTurn = `least(now() + u.wait, uuid_extract_timestamp(c.id) + $3::interval + $4::interval + interval '` + afterDeadline + `')`
)

// Postpone delays targets that have to wait for their platform, each by its wait, with
// their jobs, and returns those that it delayed. It leaves out targets that a claim would
// leave out, those with an open claim, those that are looked for, whose looks do not wait for
// what holds a post back, and those past their deadline, to which waits are cut. Long waits are
// told in the posts' timelines.
func (p *Publish) Postpone(ctx context.Context, refs []schema.TargetRef, waits []time.Duration) ([]schema.TargetRef, error) {
	posts, ns, versions := columnsOf(refs)
	var postponed []schema.TargetRef
	var moved []schema.Job
	var told tables.AttemptRows
	began := p.Now()
	err := pgx.BeginFunc(ctx, p.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select from posts where id = any($1) order by id for no key update`, posts); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			update targets t set next_at = `+targetsTurn+` from `+waitingTargets+`
			returning `+toldOfTarget+`, t.next_at`, posts, ns, versions, waits, p.Late)
		postponed, err = db.Collect(rows, err, scanTarget(&told, began, toldWait))
		if err != nil {
			return err
		}
		if err := tell(ctx, tx, told); err != nil {
			return err
		}
		put := postsOf(postponed)
		rows, err = tx.Query(ctx, tables.MoveOpen, put, schema.VisibilityTimeout.String(), schema.SettleTime.String(), put)
		moved, err = db.Collect(rows, err, tables.ScanJob)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("postponing targets: %w", db.Unavailable(err))
	}
	p.Announce(schema.Announcement{Jobs: tables.Soon(moved, p.Now())})
	return postponed, nil
}

// RecordWaits records in the posts' timelines that targets wait in memory for their turn, each for a wait.
// It leaves out those that Postpone leaves out.
func (p *Publish) RecordWaits(ctx context.Context, refs []schema.TargetRef, waits []time.Duration) error {
	posts, ns, versions := columnsOf(refs)
	began := p.Now()
	var told tables.AttemptRows
	rows, err := p.Pool.Query(ctx, `select `+toldOfTarget+`, `+targetsTurn+` from targets t, `+waitingTargets, posts, ns, versions, waits, p.Late)
	_, err = db.Collect(rows, err, scanTarget(&told, began, 0))
	if err == nil {
		err = tell(ctx, p.Pool, told)
	}
	if err != nil {
		return fmt.Errorf("telling what targets wait for: %w", db.Unavailable(err))
	}
	return nil
}

const toldOfTarget = `t.post_id, t.n, t.version, t.entry, t.attempts`

// scanTarget scans toldOfTarget and when the target has its turn, which it tells where that takes at
// least so long.
func scanTarget(told *tables.AttemptRows, now time.Time, least time.Duration) func(pgx.Row, *schema.TargetRef) error {
	return func(row pgx.Row, r *schema.TargetRef) error {
		a := schema.Attempt{At: now, Comment: schema.NoComment}
		err := row.Scan((*[16]byte)(&r.Post), &r.N, &r.Version, &a.Entry, &a.Tries, &a.NextAt)
		a.N = r.N
		told.Add(r.Post, deferred(a, least))
		return err
	}
}

// toldWait is the shortest wait before a claim that is told: a backlog has very many that are shorter.
const toldWait = time.Minute

// deferred is the attempt of what waits before its claim; nil: for too short a time to be told.
func deferred(a schema.Attempt, least time.Duration) *schema.Attempt {
	if a.NextAt.Sub(a.At) < least {
		return nil
	}
	a.Kind, a.Code, a.Message = schema.AttemptDeferred, schema.CodeOf(schema.RateLimited), "the account has to wait for its platform"
	return &a
}

// batches is a pool or a transaction.
type batches interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

func tell(ctx context.Context, to batches, told tables.AttemptRows) error {
	b := &pgx.Batch{}
	if told.Queue(b); b.Len() == 0 {
		return nil
	}
	return to.SendBatch(ctx, b).Close()
}

// columnsOf are targets as the columns of a query.
func columnsOf(refs []schema.TargetRef) (posts []schema.PostID, ns []int16, versions []int32) {
	for _, r := range refs {
		posts, ns, versions = append(posts, r.Post), append(ns, r.N), append(versions, r.Version)
	}
	return posts, ns, versions
}

func postsOf(refs []schema.TargetRef) []schema.PostID {
	posts := make([]schema.PostID, len(refs))
	for i, r := range refs {
		posts[i] = r.Post
	}
	return posts
}

// Postpone delays first comments by the rules of Publish.Postpone.
func (c *Comment) Postpone(ctx context.Context, ids []schema.CommentID, waits []time.Duration) ([]schema.CommentID, error) {
	var postponed []schema.CommentID
	var moved []schema.Job
	var told tables.AttemptRows
	began := c.Now()
	err := pgx.BeginFunc(ctx, c.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			update comments c set next_at = `+commentsTurn+` from `+waitingComments+`
			returning `+toldOfComment+`, c.next_at`, ids, waits, schema.FirstCommentDelay, c.Late)
		postponed, err = db.Collect(rows, err, scanComment(&told, began, toldWait))
		if err != nil {
			return err
		}
		if err := tell(ctx, tx, told); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `
			update jobs j set due_at = c.next_at, held = false,
				overdue_since = coalesce(j.overdue_since, uuid_extract_timestamp(j.id) + $2::interval)
			from comments c
			where j.id = any($1) and c.id = j.id
			returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`, postponed, schema.FirstCommentDelay)
		moved, err = db.Collect(rows, err, tables.ScanJob)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("postponing first comments: %w", db.Unavailable(err))
	}
	c.Announce(schema.Announcement{Jobs: tables.Soon(moved, c.Now())})
	return postponed, nil
}

const toldOfComment = `c.id, coalesce(c.post_id, ` + db.NoID + `), c.n, c.position, c.entry, c.attempts`

// scanComment scans toldOfComment and when the comment has its turn, as scanTarget does.
func scanComment(told *tables.AttemptRows, now time.Time, least time.Duration) func(pgx.Row, *schema.CommentID) error {
	return func(row pgx.Row, id *schema.CommentID) error {
		a, post := schema.Attempt{At: now}, schema.PostID{}
		err := row.Scan((*[16]byte)(id), (*[16]byte)(&post), &a.N, &a.Comment, &a.Entry, &a.Tries, &a.NextAt)
		if !post.IsZero() { // a reply has no timeline
			told.Add(post, deferred(a, least))
		}
		return err
	}
}

// RecordWaits records waits of first comments by the rules of Publish.RecordWaits.
func (c *Comment) RecordWaits(ctx context.Context, ids []schema.CommentID, waits []time.Duration) error {
	began := c.Now()
	var told tables.AttemptRows
	rows, err := c.Pool.Query(ctx, `select `+toldOfComment+`, `+commentsTurn+` from comments c, `+waitingComments,
		ids, waits, schema.FirstCommentDelay, c.Late)
	_, err = db.Collect(rows, err, scanComment(&told, began, 0))
	if err == nil {
		err = tell(ctx, c.Pool, told)
	}
	if err != nil {
		return fmt.Errorf("telling what first comments wait for: %w", db.Unavailable(err))
	}
	return nil
}
