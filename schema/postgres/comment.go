package postgres

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// commentRows are the columns of the first comments to insert once their target has
// ended.
type commentRows struct {
	ids        []schema.CommentID
	posts      []schema.PostID
	ns         []int16
	positions  []int16
	workspaces []schema.WorkspaceID
	accounts   []schema.AccountID
	entries    []int16
	texts      []string
	states     []int16
	steps      []int16
	since      []*time.Time
	jobs       []schema.Job
}

// add adds the comments of a target that has ended. Comments on entries that were not
// published are skipped.
func (r *commentRows) add(result *schema.Result, now time.Time) {
	for _, c := range result.Comments {
		id := schema.NewID[schema.CommentID](now)
		state, step := schema.CommentSkipped, schema.StepPublish
		if !result.CommentsSince.IsZero() {
			step = schema.StepFind
		}
		if tables.Published(result.Receipts, c.Target) {
			state = schema.CommentPending
			r.jobs = append(r.jobs, schema.Job{
				ID: schema.JobID(id), Kind: schema.JobComment, Shard: schema.ShardOf(result.Ref.Post),
				DueAt:   now.Add(schema.FirstCommentDelay).Truncate(time.Microsecond),
				Payload: db.Encode(schema.CommentMessage{Comment: id, Workspace: result.Workspace, Account: result.Account, Platform: result.Platform}),
			})
		}
		r.ids, r.posts, r.ns = append(r.ids, id), append(r.posts, result.Ref.Post), append(r.ns, result.Ref.N)
		r.positions, r.workspaces = append(r.positions, int16(c.Position)), append(r.workspaces, result.Workspace)
		r.accounts, r.entries = append(r.accounts, result.Account), append(r.entries, int16(c.Target))
		r.texts, r.states = append(r.texts, c.Text), append(r.states, int16(state))
		r.steps, r.since = append(r.steps, int16(step)), append(r.since, db.OrNull(result.CommentsSince))
	}
}

// queue adds the statements, and returns the jobs to announce. A comment that exists from
// an earlier try stays, unless it was skipped and its entry is published now.
func (r *commentRows) queue(b *pgx.Batch, now time.Time) []schema.Job {
	if len(r.ids) == 0 {
		return nil
	}
	insertComments.Queue(b, pgx.StrictNamedArgs{
		"ids": r.ids, "posts": r.posts, "ns": r.ns, "positions": r.positions, "workspaces": r.workspaces, "accounts": r.accounts,
		"entries": r.entries, "texts": r.texts, "states": r.states, "steps": r.steps, "since": r.since,
	})
	var jobs tables.JobRows
	for _, j := range r.jobs {
		jobs.Add(j, now)
	}
	jobs.Queue(b)
	return r.jobs
}

var insertComments = db.NewStatement(`
	insert into comments as c (id, post_id, n, position, workspace_id, account_id, entry, text, state, step, since)
	select * from unnest(@ids::uuid[], @posts::uuid[], @ns::int2[], @positions::int2[], @workspaces::uuid[], @accounts::uuid[],
		@entries::int2[], @texts::text[], @states::int2[], @steps::int2[], @since::timestamptz[])
	on conflict (post_id, n, position) do update
		set id = excluded.id, state = excluded.state, text = excluded.text, step = excluded.step, since = excluded.since
		where c.state = {comment_skipped} and excluded.state = {comment_pending}`)

// Comment is the store of the comment stage. A reply is a comment without a post: what is said
// of first comments holds for both.
type Comment struct {
	*Store
	lost        *lostClaims[schema.CommentID]
	constraints func(schema.Platform) schema.Constraints
}

// NewComment returns the store of the comment stage.
func NewComment(s *Store, constraints func(schema.Platform) schema.Constraints) *Comment {
	return &Comment{Store: s, constraints: constraints, lost: newLostClaims[schema.CommentID]()}
}

// Claim leases first comments for one step each, by the rules of Publish.Claim. The job
// of a comment that is deleted or has ended is deleted.
func (c *Comment) Claim(ctx context.Context, ids []schema.CommentID) ([]schema.Delivery, error) {
	return claimRemembering(c.lost, ids, c.Now, func(tokens []int64, takeovers []bool) ([]schema.Delivery, error) {
		return c.claim(ctx, ids, tokens, takeovers)
	})
}

func (c *Comment) claim(ctx context.Context, ids []schema.CommentID, tokens []int64, takeovers []bool) ([]schema.Delivery, error) {
	var claimed []schema.Delivery
	batch := &pgx.Batch{}
	batch.Queue(dropCommentJobs, ids)
	claimComments.Queue(batch, pgx.StrictNamedArgs{
		"ids": ids, "tokens": tokens, "takeovers": takeovers, "node": c.Node, "lease": schema.Lease, "settle": schema.SettleTime,
		"delay": schema.FirstCommentDelay, "late": c.Late, "latest": c.Clock.Lease.Latest(time.Now()), "due": c.Clock.Due.Latest(time.Now()),
	}).Query(db.CollectInto(&claimed, c.scanClaim))
	sent := time.Now()
	if err := c.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, db.Wrap(err, "claiming comments")
	}
	if len(claimed) < len(ids) {
		refused := unclaimed(ids, claimed, func(d *schema.Delivery) schema.CommentID { return d.Comment.ID })
		if _, err := c.parkComments(ctx, refused); err != nil {
			return nil, db.Wrap(err, "parking held comments")
		}
	}
	arm(claimed, sent)
	return claimed, nil
}

var dropCommentJobs = sql.Text(`
	delete from jobs j where j.id = any($1)
	  and not exists (select from comments c where c.id = j.id and c.state in {open_comments})`)

var claimComments = db.NewStatement(`
	update comments c set
		state = {comment_claimed}, claim = c.claim + 1, node = @node, token = u.token, lease_until = now() + @lease::interval,
		step = {step_of_claim(c)},
		since = coalesce(c.since, now())
	from unnest(@ids::uuid[], @tokens::int8[], @takeovers::bool[]) u (id, token, takeover)
		join comments k on k.id = u.id
		left join posts p on p.id = k.post_id
		left join targets t on t.post_id = k.post_id and t.n = k.n,
		accounts a, workspaces w
	where c.id = u.id and (k.post_id is null or p.id is not null and t.n is not null)
	  and a.id = c.account_id and w.id = a.workspace_id
	  and {claimable(c)}
	  and ((select not exists (select from holds)) or (not {reviewed(c.post_id, c.id)}
	    and (not {paused(c.workspace_id, c.account_id, a.platform)} or uuid_extract_timestamp(c.id) + @delay::interval + @late::interval < now())))
	returning c.id, c.position, c.entry, c.text, c.claim, c.step, c.attempts, c.looked, coalesce(c.error ->> 'lost', ''), c.since, c.reply_to,
		coalesce(t.post_id, {no_id}), coalesce(t.n, 0), coalesce(t.version, 0), t.receipts, p.content, {paused(c.workspace_id, c.account_id, a.platform)}, {restored_since(c)}, {account_columns}`)

func (c *Comment) scanClaim(row pgx.Row, d *schema.Delivery) error {
	var answers, receipts, document []byte
	d.Comment = &schema.Comment{}
	a := &d.Account
	err := row.Scan(append([]any{(*[16]byte)(&d.Comment.ID), &d.Comment.Position, &d.Comment.Entry, &d.Comment.Text, &d.Claim, &d.Step, &d.Attempts, &d.FindAttempts, &d.Lost, db.OrZero(&d.Since), &answers,
		(*[16]byte)(&d.Ref.Post), &d.Ref.N, &d.Ref.Version, &receipts, &document, &d.Paused, &d.Restored}, tables.AccountFields(a)...)...)
	if err != nil {
		return err
	}
	d.Workspace, d.Entry = a.Workspace, d.Comment.Entry
	d.DueAt = d.Comment.ID.Time().Add(schema.FirstCommentDelay)
	if answers != nil {
		d.DueAt = d.Comment.ID.Time()
		d.Unreadable = guard.Do(func() error {
			if err := db.Decode("item that a reply answers", answers, &d.Comment.ReplyTo); err != nil {
				return err
			}
			d.DescribeReply(c.constraints(a.Platform))
			return nil
		})
		return nil
	}
	d.Unreadable = guard.Do(func() error {
		var content schema.Content
		if err := db.Decode("receipts of a target", receipts, &d.Receipts); err != nil {
			return err
		}
		if err := db.Decode("content of a post", document, &content); err != nil {
			return err
		}
		d.DescribeComment(content, c.constraints(a.Platform))
		return nil
	})
	return nil
}

// Finish stores the result of a comment's step, and moves its job on or deletes it. If
// another claim has followed, only the receipt is stored. A look that found what belongs
// to another entry is refused with schema.ErrReceiptTaken.
func (c *Comment) Finish(ctx context.Context, r schema.CommentResult) error {
	receipt := recordable(r.NativeID)
	err := c.finish(ctx, r, receipt)
	if receipt && isTaken(err) {
		err = c.finishTaken(ctx, r)
	}
	return db.Wrap(err, "finishing a comment")
}

// finishTaken finishes a comment whose receipt is recorded already. If it is recorded for
// another, a look fails; a call's result is stored.
func (c *Comment) finishTaken(ctx context.Context, r schema.CommentResult) error {
	taken, err := c.receipt(r).taken(ctx, c.Pool)
	switch {
	case err != nil:
		return err
	case len(taken) > 0 && r.Found:
		c.arrivals.takenByLook.Inc()
		return fmt.Errorf("%s: %w", r.NativeID, schema.ErrReceiptTaken)
	case len(taken) > 0:
		c.arrivals.takenByCall.Inc()
		c.Log.ErrorContext(ctx, "a first comment was published that an earlier look had taken for another's", "comment", r.Comment, "id", r.NativeID)
	}
	return c.finish(ctx, r, false)
}

// receipt returns the receipt of a first comment's result.
func (c *Comment) receipt(r schema.CommentResult) *receiptRows {
	return &receiptRows{
		accounts: []schema.AccountID{r.Account}, natives: []string{r.NativeID}, owners: [][16]byte{r.Comment}, ns: []int16{0}, entries: []int16{0},
	}
}

// finish stores a result, with its receipt if receipt is true: that fails if it is
// recorded already.
func (c *Comment) finish(ctx context.Context, r schema.CommentResult, receipt bool) error {
	var attempts tables.AttemptRows
	if !r.Post.IsZero() { // a reply has no timeline
		attempts.Add(r.Post, r.Attempt)
	}
	parameters := attempts.Columns()
	maps.Copy(parameters, pgx.StrictNamedArgs{
		"comment": r.Comment, "claim": r.Claim, "state": int16(r.State), "step": int16(r.Step), "attempts": int16(r.Attempts),
		"looked": int16(r.FindAttempts), "next": r.NextIn.Seconds(), "native_id": r.NativeID, "url": r.URL, "error": errorOrNull(r.Error),
		"posted": db.OrNull(r.PostedAt),
	})
	var taken int64
	var moved []schema.Job
	batch := &pgx.Batch{}
	finishComment.Queue(batch, parameters).Exec(countRows(&taken))
	if receipt {
		recordNewReceipts.Queue(batch, c.receipt(r).columns())
	}
	if r.State == schema.CommentPending {
		batch.Queue(`
			update jobs set due_at = now() + $2::float8 * interval '1 second', held = false,
				overdue_since = coalesce(overdue_since, uuid_extract_timestamp(id) + $3::interval)
			where id = $1
			returning id, kind, shard, due_at, version, payload`, r.Comment, r.NextIn.Seconds(), schema.FirstCommentDelay.String()).
			Query(db.CollectInto(&moved, tables.ScanJob))
	} else {
		batch.Queue(sql.Text(`
			delete from jobs j where j.id = $1
			  and exists (select from comments c where c.id = j.id and c.state not in {open_comments})`), r.Comment)
	}
	attempts.QueueTrim(batch)
	if err := c.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if taken == 0 && r.NativeID != "" {
		return c.keepReceipt(ctx, r)
	}
	c.Announce(schema.Announcement{Jobs: tables.Soon(moved, c.Now())})
	return nil
}

// finishComment stores the attempt only if the claim still held.
var finishComment = db.NewStatement(`
	with taken as (
		update comments set
			state = @state, step = @step, attempts = @attempts, looked = @looked, next_at = now() + nullif(@next::float8, 0) * interval '1 second',
			lease_until = null, native_id = @native_id, url = @url, error = @error::text::json, posted_at = @posted
		where id = @comment and claim = @claim and state = {comment_claimed}
		returning id
	), told as (
	insert into attempts (post_id, at, kind, n, comment, entry, attempts, code, message, next_at)
	select u.* from unnest(@attempt_posts::uuid[], @attempt_ats::timestamptz[], @attempt_kinds::int2[], @attempt_ns::int2[], @attempt_comments::int2[],
			@attempt_entries::int2[], @attempt_tries::int2[], @attempt_codes::text[], @attempt_messages::text[], @attempt_next::timestamptz[])
		u (post, at, kind, n, comment, entry, attempts, code, message, next)
	where (u.kind <> @processing or not exists (
		select from attempts a
		where a.post_id = u.post and a.kind = u.kind and a.n = u.n and a.comment = u.comment and a.entry = u.entry)) and exists (select from taken))
	select from taken`)

func errorOrNull(e *schema.TargetError) *string {
	if e == nil {
		return nil
	}
	return db.TextOrNull(db.Encode(e))
}
