package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// commentRows are the columns of first comments to be made, once their target is done.
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
	jobs       []schema.Job
}

// add makes the comments of a target that is done: those of entries that were not
// published are skipped.
func (r *commentRows) add(result *schema.Result, now time.Time) {
	for _, c := range result.Comments {
		id := schema.NewCommentID(now)
		state := schema.CommentSkipped
		if published(result.Receipts, c.Target) {
			state = schema.CommentPending
			r.jobs = append(r.jobs, schema.Job{
				ID: schema.JobID(id), Kind: schema.JobComment, Shard: schema.ShardOf(result.Ref.Post),
				DueAt:   now.Add(schema.FirstCommentDelay).Truncate(time.Microsecond),
				Payload: encode(schema.CommentMessage{Comment: id, Workspace: result.Workspace, Account: result.Account}),
			})
		}
		r.ids, r.posts, r.ns = append(r.ids, id), append(r.posts, result.Ref.Post), append(r.ns, result.Ref.N)
		r.positions, r.workspaces = append(r.positions, int16(c.Position)), append(r.workspaces, result.Workspace)
		r.accounts, r.entries = append(r.accounts, result.Account), append(r.entries, int16(c.Target))
		r.texts, r.states = append(r.texts, c.Text), append(r.states, int16(state))
	}
}

func published(receipts []schema.Receipt, entry int) bool {
	for _, r := range receipts {
		if r.Entry == entry && r.NativeID != "" {
			return true
		}
	}
	return false
}

// queue adds the statements, and returns the jobs to announce. A comment that is there
// from an earlier try stays, unless it was skipped and its entry is published now.
func (r *commentRows) queue(b *pgx.Batch, now time.Time) []schema.Job {
	if len(r.ids) == 0 {
		return nil
	}
	b.Queue(`
		insert into comments as c (id, post_id, n, position, workspace_id, account_id, entry, text, state)
		select * from unnest($1::uuid[], $2::uuid[], $3::int2[], $4::int2[], $5::uuid[], $6::uuid[], $7::int2[], $8::text[], $9::int2[])
		on conflict (post_id, n, position) do update
			set id = excluded.id, state = excluded.state, text = excluded.text
			where c.state = 4 and excluded.state = 0`,
		r.ids, r.posts, r.ns, r.positions, r.workspaces, r.accounts, r.entries, r.texts, r.states)
	var jobs jobRows
	for _, j := range r.jobs {
		jobs.add(j, now)
	}
	jobs.queue(b)
	return r.jobs
}

// Comment is the store of the comment stage.
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
// of a comment that is gone or done is deleted.
func (c *Comment) Claim(ctx context.Context, ids []schema.CommentID) ([]schema.Delivery, error) {
	return claimHeard(c.lost, ids, c.Now, func(tokens []int64, again []bool) ([]schema.Delivery, error) {
		return c.claim(ctx, ids, tokens, again)
	})
}

func (c *Comment) claim(ctx context.Context, ids []schema.CommentID, tokens []int64, again []bool) ([]schema.Delivery, error) {
	batch := &pgx.Batch{}
	batch.Queue(anyHold)
	batch.Queue(`
		delete from jobs j where j.id = any($1)
		  and not exists (select from comments c where c.id = j.id and c.state in (0, 1))`, ids)
	batch.Queue(claimComments, ids, c.node, schema.Lease.String(), schema.SettleTime.String(), schema.FirstCommentDelay.String(), c.late.String(), tokens, again, c.clock.lease.latest(time.Now()))
	sent := time.Now()
	results := c.pool.SendBatch(ctx, batch)
	defer results.Close()
	holding, err := c.readHolding(results)
	if err != nil {
		return nil, fmt.Errorf("claiming comments: %w", unavailable(err))
	}
	if _, err := results.Exec(); err != nil {
		return nil, fmt.Errorf("claiming comments: %w", unavailable(err))
	}
	rows, err := results.Query()
	claimed, err := collect(rows, err, c.scanClaim)
	if err == nil {
		err = results.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("claiming comments: %w", unavailable(err))
	}
	if holding && len(claimed) < len(ids) {
		if err := c.parkComments(ctx, ids); err != nil {
			return nil, fmt.Errorf("parking held comments: %w", unavailable(err))
		}
	}
	return claimed, c.arm(ctx, claimed, sent)
}

var claimComments = `
	update comments c set
		state = 1, claim = c.claim + 1, node = $2, token = u.token, lease_until = now() + $3::interval,
		step = case when c.state = 1 and c.step = 1 and not (u.again and c.token is not distinct from u.token) then 2 else c.step end,
		since = coalesce(c.since, now())
	from unnest($1::uuid[], $7::int8[], $8::bool[]) u (id, token, again), posts p, targets t, accounts a, workspaces w
	where c.id = u.id and p.id = c.post_id and t.post_id = c.post_id and t.n = c.n
	  and a.id = c.account_id and w.id = a.workspace_id
	  and ((c.state = 0 and coalesce(c.next_at, now()) <= now() + interval '` + earlyBy + `')
	    or (c.state = 1 and (c.lease_until + $4::interval < least(now(), $9) or (u.again and c.token = u.token))))
	  and not exists (select from holds h where h.subject = c.post_id)
	  and (not ` + pausedComment + ` or uuid_extract_timestamp(c.id) + $5::interval + $6::interval < now())
	returning c.id, c.position, c.entry, c.text, c.claim, c.step, c.attempts, c.looked, c.since,
		t.post_id, t.n, t.version, t.receipts, p.content, ` + pausedComment + `, ` + accountColumns

func (c *Comment) scanClaim(rows pgx.Rows, d *schema.Delivery) error {
	var since *time.Time
	var receipts, document []byte
	d.Comment = &schema.Comment{}
	a := &d.Account
	err := rows.Scan(append([]any{(*[16]byte)(&d.Comment.ID), &d.Comment.Position, &d.Comment.Entry, &d.Comment.Text, &d.Claim, &d.Step, &d.Attempts, &d.Looked, &since,
		(*[16]byte)(&d.Ref.Post), &d.Ref.N, &d.Ref.Version, &receipts, &document, &d.Paused}, accountFields(a)...)...)
	if err != nil {
		return err
	}
	d.Workspace, d.Since, d.Entry = a.Workspace, fromNull(since), d.Comment.Entry
	d.DueAt = d.Comment.ID.Time().Add(schema.FirstCommentDelay)
	d.Unreadable = guard(func() error {
		var content schema.Content
		if err := decode("receipts of a target", receipts, &d.Receipts); err != nil {
			return err
		}
		if err := decode("content of a post", document, &content); err != nil {
			return err
		}
		d.DescribeComment(content, c.constraints(a.Platform))
		return nil
	})
	return nil
}

// Finish stores what a comment's step came to, and moves its job on or deletes it. Of a
// result whose claim another has followed only the receipt is kept.
func (c *Comment) Finish(ctx context.Context, r schema.CommentResult) error {
	batch := &pgx.Batch{}
	var attempts attemptRows
	attempts.add(r.Post, r.Attempt)
	batch.Queue(finishComment, append(attempts.columns(),
		r.Comment, r.Claim, int16(r.State), int16(r.Step), int16(r.Attempts), int16(r.Looked), r.NextIn.Seconds(),
		r.NativeID, r.URL, errorOrNull(r.Error), orNull(r.PostedAt))...)
	if r.State == schema.CommentPending {
		batch.Queue(`
			update jobs set due_at = now() + $2::float8 * interval '1 second', held = false,
				overdue_since = coalesce(overdue_since, uuid_extract_timestamp(id) + $3::interval)
			where id = $1
			returning id, kind, shard, due_at, version, payload`, r.Comment, r.NextIn.Seconds(), schema.FirstCommentDelay.String())
	} else {
		batch.Queue(`
			delete from jobs j where j.id = $1 and exists (select from comments c where c.id = j.id and c.state not in (0, 1))
			returning id, kind, shard, due_at, version, payload`, r.Comment)
	}
	attempts.queueTrim(batch)
	results := c.pool.SendBatch(ctx, batch)
	defer results.Close()
	taken, err := results.Exec()
	if err != nil {
		return fmt.Errorf("finishing a comment: %w", unavailable(err))
	}
	rows, err := results.Query()
	moved, err := collect(rows, err, scanJob)
	if err == nil {
		err = results.Close()
	}
	if err != nil {
		return fmt.Errorf("finishing a comment: %w", unavailable(err))
	}
	if taken.RowsAffected() == 0 && r.NativeID != "" {
		return c.keepReceipt(ctx, r)
	}
	if r.State == schema.CommentPending {
		c.announce(schema.Announcement{Jobs: soon(moved, c.Now())})
	}
	return nil
}

// finishComment tells the attempt only where the claim still held.
const finishComment = `
	with taken as (
		update comments set
			state = $14, step = $15, attempts = $16, looked = $17, next_at = now() + $18::float8 * interval '1 second', lease_until = null,
			native_id = $19, url = $20, error = $21::text::json, posted_at = $22
		where id = $12 and claim = $13 and state = 1
		returning id
	), told as (` + insertAttempts + ` and exists (select from taken))
	select from taken`

func errorOrNull(e *schema.TargetError) *string {
	if e == nil {
		return nil
	}
	return textOrNull(encode(e))
}
