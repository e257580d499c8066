package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Postpone delays targets that have to wait for their platform, each by its wait, with
// their jobs, and returns those that it delayed. It leaves out targets that a claim would
// leave out, those with an open claim, those that are looked for, whose looks do not wait for
// what holds a post back, and those past their deadline, to which waits are cut. Long waits are
// told in the posts' timelines.
func (p *Publish) Postpone(ctx context.Context, refs []schema.TargetRef, waits []time.Duration) ([]schema.TargetRef, error) {
	var deferred []deferral[schema.TargetRef]
	began := p.Now()
	err := p.Announcing(ctx, "postponing targets", func(tx pgx.Tx) (a schema.Announcement, err error) {
		if _, err := tx.Exec(ctx, tables.LockPosts, postsOf(refs)); err != nil {
			return a, err
		}
		rows, err := tx.Query(ctx, postponeTargets, p.targetsAndWaits(refs, waits))
		if deferred, err = db.Collect(rows, err, scanTargetDeferral); err != nil {
			return a, err
		}
		b := &pgx.Batch{}
		attempts := timelineOf(deferred, began, schema.RecordedWait)
		attempts.Queue(b)
		posts := postsOf(subjectsOf(deferred))
		return tables.MoveJobsOf(ctx, tx, b, posts, p.Now())
	})
	return subjectsOf(deferred), err
}

// RecordWaits records in the posts' timelines that targets wait in memory for their turn, each for a wait.
// It leaves out those that Postpone leaves out.
func (p *Publish) RecordWaits(ctx context.Context, refs []schema.TargetRef, waits []time.Duration) error {
	began := p.Now()
	rows, err := p.Pool.Query(ctx, selectTargetTurns, p.targetsAndWaits(refs, waits))
	deferred, err := db.Collect(rows, err, scanTargetDeferral)
	if err == nil {
		err = p.tell(ctx, timelineOf(deferred, began, 0))
	}
	return db.Wrap(err, "telling what targets wait for")
}

// targetsAndWaits are the parameters of postponeTargets and of selectTargetTurns.
func (p *Publish) targetsAndWaits(refs []schema.TargetRef, waits []time.Duration) pgx.StrictNamedArgs {
	posts, ns, versions := columnsOf(refs)
	return pgx.StrictNamedArgs{"posts": posts, "ns": ns, "versions": versions, "waits": waits, "late": p.Late, "due": p.Clock.Due.Latest(time.Now())}
}

var (
	postponeTargets = sql.Text(`
		update targets t set next_at = {targets_turn} from {waiting_targets}
		returning t.post_id, t.n, t.version, t.entry, t.attempts, t.next_at`)
	selectTargetTurns = sql.Text(`select t.post_id, t.n, t.version, t.entry, t.attempts, {targets_turn} from targets t, {waiting_targets}`)
)

// scanTargetDeferral reads what is told of a target and when the target has its turn.
func scanTargetDeferral(row pgx.Row, d *deferral[schema.TargetRef]) error {
	ref, a := &d.subject, &d.attempt
	err := row.Scan((*[16]byte)(&ref.Post), &ref.N, &ref.Version, &a.Entry, &a.Tries, &a.NextAt)
	d.post, a.N, a.Comment = ref.Post, ref.N, schema.NoComment
	return err
}

// deferral is a target or a first comment that waits before its claim.
type deferral[K any] struct {
	subject K
	post    schema.PostID  // zero: a reply, which has no timeline
	attempt schema.Attempt // which its wait is told as
}

// timelineOf returns what is told of waits: those that end at least so long after now.
func timelineOf[K any](deferred []deferral[K], now time.Time, minWait time.Duration) (attempts tables.AttemptRows) {
	for _, d := range deferred {
		a := d.attempt
		if d.post.IsZero() || a.NextAt.Sub(now) < minWait {
			continue
		}
		a.At, a.Kind, a.Code = now, schema.AttemptDeferred, schema.CodeOf(schema.RateLimited)
		a.Message = "the account has to wait for its platform"
		attempts.Add(d.post, &a)
	}
	return attempts
}

func subjectsOf[K any](deferred []deferral[K]) (subjects []K) {
	for _, d := range deferred {
		subjects = append(subjects, d.subject)
	}
	return subjects
}

// tell stores what is told in the timelines of posts.
func (s *Store) tell(ctx context.Context, attempts tables.AttemptRows) error {
	b := &pgx.Batch{}
	if attempts.Queue(b); b.Len() == 0 {
		return nil
	}
	return s.Pool.SendBatch(ctx, b).Close()
}

// columnsOf are targets as the columns of a query.
func columnsOf(refs []schema.TargetRef) (posts []schema.PostID, ns []int16, versions []int32) {
	posts, ns, versions = make([]schema.PostID, len(refs)), make([]int16, len(refs)), make([]int32, len(refs))
	for i, r := range refs {
		posts[i], ns[i], versions[i] = r.Post, r.N, r.Version
	}
	return posts, ns, versions
}

func postsOf(refs []schema.TargetRef) []schema.PostID {
	return lists.Map(refs, func(r schema.TargetRef) schema.PostID { return r.Post })
}

// Postpone delays first comments by the rules of Publish.Postpone.
func (c *Comment) Postpone(ctx context.Context, ids []schema.CommentID, waits []time.Duration) ([]schema.CommentID, error) {
	var deferred []deferral[schema.CommentID]
	began := c.Now()
	err := c.Announcing(ctx, "postponing first comments", func(tx pgx.Tx) (a schema.Announcement, err error) {
		rows, err := tx.Query(ctx, postponeComments, c.idsAndWaits(ids, waits))
		if deferred, err = db.Collect(rows, err, scanCommentDeferral); err != nil {
			return a, err
		}
		var moved []schema.Job
		b := &pgx.Batch{}
		attempts := timelineOf(deferred, began, schema.RecordedWait)
		attempts.Queue(b)
		b.Queue(`
			update jobs j set due_at = c.next_at, held = false,
				overdue_since = coalesce(j.overdue_since, uuid_extract_timestamp(j.id) + @delay::interval)
			from comments c
			where j.id = any(@ids) and c.id = j.id
			returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`,
			pgx.StrictNamedArgs{"ids": subjectsOf(deferred), "delay": schema.FirstCommentDelay}).
			Query(db.CollectInto(&moved, tables.ScanJob))
		err = tx.SendBatch(ctx, b).Close()
		return schema.Announcement{Jobs: tables.Soon(moved, c.Now())}, err
	})
	return subjectsOf(deferred), err
}

// RecordWaits records waits of first comments by the rules of Publish.RecordWaits.
func (c *Comment) RecordWaits(ctx context.Context, ids []schema.CommentID, waits []time.Duration) error {
	began := c.Now()
	rows, err := c.Pool.Query(ctx, selectCommentTurns, c.idsAndWaits(ids, waits))
	deferred, err := db.Collect(rows, err, scanCommentDeferral)
	if err == nil {
		err = c.tell(ctx, timelineOf(deferred, began, 0))
	}
	return db.Wrap(err, "telling what first comments wait for")
}

// idsAndWaits are the parameters of postponeComments and of selectCommentTurns.
func (c *Comment) idsAndWaits(ids []schema.CommentID, waits []time.Duration) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"ids": ids, "waits": waits, "delay": schema.FirstCommentDelay, "late": c.Late, "due": c.Clock.Due.Latest(time.Now())}
}

var (
	postponeComments = sql.Text(`
		update comments c set next_at = {comments_turn} from {waiting_comments}
		returning c.id, coalesce(c.post_id, {no_id}), c.n, c.position, c.entry, c.attempts, c.next_at`)
	selectCommentTurns = sql.Text(`select c.id, coalesce(c.post_id, {no_id}), c.n, c.position, c.entry, c.attempts, {comments_turn} from comments c, {waiting_comments}`)
)

// scanCommentDeferral reads what is told of a comment and when the comment has its turn.
func scanCommentDeferral(row pgx.Row, d *deferral[schema.CommentID]) error {
	a := &d.attempt
	return row.Scan((*[16]byte)(&d.subject), (*[16]byte)(&d.post), &a.N, &a.Comment, &a.Entry, &a.Tries, &a.NextAt)
}
