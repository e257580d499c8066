package maintenance

import (
	"bytes"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

const (
	// sweepRows is how many rows a chunk looks at that goes by id.
	sweepRows = 5000
	// longestVisible is how long the job of a delivery that is not handled waits at most, which fires
	// less and less often, and some time more.
	longestVisible = 16 * schema.VisibilityTimeout
)

// span is the rows of a table whose ids are above one and not above another.
type span struct {
	after, last [16]byte
	more        bool // others follow
}

// nextRows moves the pass on by some rows, of which some are open by a condition.
func (c *chunk) nextRows(ctx context.Context, table, open string) (of span, err error) {
	of.after = c.pass.after.id
	var looked int
	var first *[16]byte
	err = c.tx.QueryRow(ctx, sql.Text(`
		with page as materialized (select id, {open} as open from {table} where id > $1 order by id limit $2)
		select last.id, (select count(*) from page), (select id from page where open order by id limit 1)
		from (select id from page order by id desc limit 1) last`, "open", open, "table", table), of.after, sweepRows).
		Scan(&of.last, &looked, &first)
	if errors.Is(err, pgx.ErrNoRows) {
		return span{}, nil
	}
	if c.pass.open == ([16]byte{}) && first != nil {
		c.pass.open = *first
	}
	c.pass.after.id, of.more = of.last, looked == sweepRows
	return of, err
}

// nextRecent is nextRows of a table whose rows end, and then stay as they are: the pass begins
// no earlier than any may be open, and the next one before the first that was open in this
// one. So what has ended is read once.
func (c *chunk) nextRecent(ctx context.Context, table, open string) (span, error) {
	since := [16]byte(schema.FirstID[schema.DeliveryID](c.Now().Add(-sweepBack)))
	if bytes.Compare(c.pass.after.id[:], since[:]) < 0 {
		c.pass.after.id = since
	}
	of, err := c.nextRows(ctx, table, open)
	c.pass.next = schema.FirstID[schema.DeliveryID](c.pass.beganAt.Add(-sweepOverlap))
	if first := c.pass.open; first != ([16]byte{}) && bytes.Compare(first[:], c.pass.next[:]) < 0 {
		clear(first[6:]) // ids begin with their time
		c.pass.next = first
	}
	return of, err
}

// sweepJobs deletes and moves jobs of a page. Each is chosen before it is changed, and left
// alone where somebody changes it meanwhile.
var sweepJobs = sql.Text(`
	with page as materialized (
		select id, kind, due_at, version, held, overdue_since from jobs where id > @after order by id limit @rows
	), orphans as materialized (
		select id, version from page where overdue_since is not null and kind = {job_post}
		  and not exists (select from posts p where p.id = page.id and p.status in {open_posts})
	), deleted as (
		delete from jobs j using orphans o where j.id = o.id and j.version = o.version returning j.id
	), far as materialized (
		select id, due_at from page where not held and due_at > now() + interval '2 minutes' and kind in ({job_comment}, {job_notify})
	), forgotten as materialized (
		select far.* from far join comments c on c.id = far.id where c.state = {comment_claimed} and c.lease_until < now() - interval '2 minutes'
		union all
		select far.* from far join deliveries d on d.id = far.id where d.state = {delivery_claimed} and d.lease_until < now() - interval '2 minutes'
	), ahead as materialized (
		select far.id, far.due_at, c.id comment, null::uuid delivery, c.state = {comment_claimed} claimed from far join comments c on c.id = far.id
		where c.state = {comment_claimed} and c.lease_until > now() + @lease::interval + interval '1 minute'
		   or c.state = {comment_pending} and far.due_at > greatest(c.next_at, uuid_extract_timestamp(c.id) + @delay::interval, now()) + interval '2 minutes'
		union all
		select far.id, far.due_at, null, d.id, d.state = {delivery_claimed} from far join deliveries d on d.id = far.id
		where d.state = {delivery_claimed} and d.lease_until > now() + @lease::interval + interval '1 minute'
		   or d.state = {delivery_pending} and far.due_at > greatest(d.next_at, now()) + @visible::interval
	), comment_leases as (
		update comments c set lease_until = now() + @lease::interval from ahead a where c.id = a.comment and a.claimed and c.lease_until > now() + @lease::interval
	), delivery_leases as (
		update deliveries d set lease_until = now() + @lease::interval from ahead a where d.id = a.delivery and a.claimed and d.lease_until > now() + @lease::interval
	), woken as (
		update jobs j set due_at = now() from (select id, due_at, false early from forgotten union all select id, due_at, true from ahead) f
		where j.id = f.id and j.due_at = f.due_at returning j.id, f.early
	)
	select last.id, (select count(*) from page), (select count(*) from deleted), (select count(*) from woken where not early), (select count(*) from woken where early),
		array(select p.id from page join posts p on p.id = page.id
			where page.kind = {job_post} and not page.held and page.overdue_since > now() + interval '1 minute' and p.status = {post_processing} order by p.id)
	from (select id from page order by id desc limit 1) last`)

// jobs drops those of posts that are gone or done, and makes those of first comments and
// deliveries due whose lease is over for long and that are not due for long: whoever held
// them will not come back. So it does with what was noted while the server's clock was ahead: what is
// claimed for longer, or due later, than any can be, and posts that have begun, though their time is
// to come by the clock of now.
func (c *chunk) jobs(ctx context.Context) (more bool, err error) {
	var looked, deleted, woken, ahead int
	var posts [][16]byte
	err = c.tx.QueryRow(ctx, sweepJobs, pgx.StrictNamedArgs{
		"after": c.pass.after.id, "rows": sweepRows, "lease": schema.Lease, "delay": schema.FirstCommentDelay, "visible": longestVisible,
	}).Scan(&c.pass.after.id, &looked, &deleted, &woken, &ahead, &posts)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	c.repaired[repairOrphan] += deleted
	c.repaired[repairLease] += woken
	c.repaired[repairAhead] += ahead
	if err != nil || len(posts) == 0 {
		return looked == sweepRows, err
	}
	found := lists.Map(posts, func(id [16]byte) suspect { return suspect{schema.PostID(id), repairAhead} })
	if err := c.repairPosts(ctx, found); err != nil {
		return false, err
	}
	return looked == sweepRows, nil
}

// comments gives first comments and replies the job they lack.
func (c *chunk) comments(ctx context.Context) (more bool, err error) {
	of, err := c.nextRecent(ctx, "comments", "state in {open_comments}")
	if err != nil {
		return false, err
	}
	rows, err := c.tx.Query(ctx, sql.Text(`
		with page as materialized (select * from comments where id > $1 and id <= $2 and state in {open_comments})
		select c.id, coalesce(c.post_id, c.id), c.workspace_id, c.account_id, a.platform from page c join accounts a on a.id = c.account_id
		where not exists (select from jobs j where j.id = c.id)`), of.after, of.last)
	return of.more, c.giveJobs(ctx, repairNoComment, rows, err, func(row pgx.Row, j *schema.Job) error {
		var m schema.CommentMessage
		var post schema.PostID
		err := row.Scan((*[16]byte)(&m.Comment), (*[16]byte)(&post), (*[16]byte)(&m.Workspace), (*[16]byte)(&m.Account), &m.Platform)
		*j = schema.Job{ID: schema.JobID(m.Comment), Kind: schema.JobComment, Shard: schema.ShardOf(post), DueAt: c.Now(), Payload: db.Encode(m)}
		return err
	})
}

// deliveries gives deliveries the job they lack.
func (c *chunk) deliveries(ctx context.Context) (more bool, err error) {
	of, err := c.nextRecent(ctx, "deliveries", "state in {open_deliveries}")
	if err != nil {
		return false, err
	}
	rows, err := c.tx.Query(ctx, sql.Text(`
		with page as materialized (
			select id, webhook_id, workspace_id from deliveries where id > $1 and id <= $2 and state in {open_deliveries}
		)
		select id, webhook_id, workspace_id from page d
		where not exists (select from jobs j where j.id = d.id) and exists (select from webhooks w where w.id = d.webhook_id)`), of.after, of.last)
	return of.more, c.giveJobs(ctx, repairNoDelivery, rows, err, func(row pgx.Row, j *schema.Job) error {
		var m schema.NotifyMessage
		err := row.Scan((*[16]byte)(&m.Delivery), (*[16]byte)(&m.Webhook), (*[16]byte)(&m.Workspace))
		*j = schema.Job{ID: schema.JobID(m.Delivery), Kind: schema.JobNotify, Shard: schema.ShardOf(m.Webhook), DueAt: c.Now(), Payload: db.Encode(m)}
		return err
	})
}

// renewals gives accounts that are to be looked at the job they lack.
func (c *chunk) renewals(ctx context.Context) (more bool, err error) {
	of, err := c.nextRows(ctx, "accounts", "false")
	if err != nil {
		return false, err
	}
	rows, err := c.tx.Query(ctx, `
		with page as materialized (
			select id, workspace_id from accounts where id > $1 and id <= $2 and renew_at is not null and disconnected_at is null
		)
		select id, workspace_id from page a where not exists (select from jobs j where j.id = a.id)`, of.after, of.last)
	return of.more, c.giveJobs(ctx, repairNoRenewal, rows, err, func(row pgx.Row, j *schema.Job) error {
		var a schema.Account
		err := row.Scan((*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace))
		*j = tables.RenewalJob(&a, c.Now())
		return err
	})
}

// collections has accounts read that nobody has had read yet, such as those that an older version
// has connected, and gives what is to be read the job it lacks.
func (c *chunk) collections(ctx context.Context) (more bool, err error) {
	of, err := c.nextRows(ctx, "accounts", "false")
	if err != nil {
		return false, err
	}
	rows, err := c.tx.Query(ctx, `
		with page as materialized (select id, platform from accounts where id > $1 and id <= $2 and disconnected_at is null)
		select c.id, c.account_id, c.workspace_id, c.what, c.due_at, p.platform from page p join collections c on c.account_id = p.id
		where c.due_at is not null and not exists (select from jobs j where j.id = c.id)`, of.after, of.last)
	if err := c.giveJobs(ctx, repairNoCollect, rows, err, tables.ScanCollectionJob); err != nil {
		return false, err
	}
	accounts, err := c.uncollected(ctx, of)
	if err != nil || len(accounts) == 0 {
		return of.more, err
	}
	var due []schema.Job
	b := &pgx.Batch{}
	tables.QueueCollections(b, tables.Collecting{Accounts: accounts, Now: c.Now()}, &due)
	if err := c.tx.SendBatch(ctx, b).Close(); err != nil {
		return false, err
	}
	b = &pgx.Batch{}
	tables.QueueCollectionJobs(b, due)
	return of.more, c.tx.SendBatch(ctx, b).Close()
}

// uncollected returns the accounts of a span that work and of which something rests, or was
// never read. That the metrics of no post are due is usual.
func (c *chunk) uncollected(ctx context.Context, of span) ([]schema.AccountID, error) {
	rows, err := c.tx.Query(ctx, sql.Text(`
		select a.id from accounts a where a.id > $1 and a.id <= $2 and {collected_account}
		  and (not exists (select from collections c where c.account_id = a.id)
		    or exists (select from collections c where c.account_id = a.id and c.due_at is null
		      and (c.what <> {collect_metrics} or exists (select from snapshots s where s.account_id = a.id))))`), of.after, of.last)
	return db.Collect(rows, err, db.ScanID[schema.AccountID])
}

// giveJobs reads the jobs that are missing and makes them.
func (c *chunk) giveJobs(ctx context.Context, kind string, rows pgx.Rows, err error, scan func(pgx.Row, *schema.Job) error) error {
	missing, err := db.Collect(rows, err, scan)
	if err != nil {
		return err
	}
	c.repaired[kind] += len(missing)
	var jobs tables.JobRows
	for _, j := range missing {
		jobs.Add(j, c.Now())
	}
	b := &pgx.Batch{}
	jobs.Queue(b)
	return c.tx.SendBatch(ctx, b).Close()
}
