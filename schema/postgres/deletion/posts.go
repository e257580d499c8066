package deletion

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// stand is where posts stand: among the open ones, or in history.
type stand struct{ posts, targets, comments string }

// names are those of its tables in statements.
func (s stand) names() []string {
	return []string{"posts", s.posts, "targets", s.targets, "comments", s.comments}
}

var (
	open = stand{"posts", "targets", "comments"}
	past = stand{"posts_history", "targets_history", "comments_history"}
)

func (w *work) openPosts(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.posts(ctx, tx, open)
}

func (w *work) pastPosts(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.posts(ctx, tx, past)
}

// found is a post of a chunk.
type found struct {
	id    schema.PostID
	at    *time.Time
	named bool // it has a target of the account; all do where whole workspaces go
	whole bool // and none of another
}

// posts removes a chunk of posts, with all that hangs on them. Of an account they go where all
// targets are its own; else its targets go.
func (w *work) posts(ctx context.Context, tx pgx.Tx, from stand) (gone removed, more bool, err error) {
	page, err := w.nextPosts(ctx, tx, from)
	if err != nil || len(page) == 0 {
		return removed{}, false, err
	}
	var whole, parts []schema.PostID
	for _, p := range page {
		switch {
		case p.whole:
			whole = append(whole, p.id)
		case p.named:
			parts = append(parts, p.id)
		}
	}
	slices.SortFunc(whole, func(a, b schema.PostID) int { return slices.Compare(a[:], b[:]) })
	slices.SortFunc(parts, func(a, b schema.PostID) int { return slices.Compare(a[:], b[:]) })
	if gone.rows, err = w.removePosts(ctx, tx, from, whole); err != nil {
		return gone, false, err
	}
	rows, err := w.removeTargets(ctx, tx, from, parts)
	gone.posts, gone.rows = len(whole), gone.rows+rows
	last := page[len(page)-1]
	w.cursor.at, w.cursor.id = last.at, last.id
	return gone, len(page) == postChunk, err
}

// nextPosts returns the next posts of the workspaces, those without a time first, then in the
// order of their times, the last first: what would go out last goes last of what is open, and
// is not in the way of what fires.
func (w *work) nextPosts(ctx context.Context, tx pgx.Tx, from stand) ([]found, error) {
	rows, err := tx.Query(ctx, sql.Text(nextPosts, from.names()...), pgx.StrictNamedArgs{
		"whole": w.whole, "workspaces": w.workspaces, "account": w.account, "at": w.cursor.at, "id": schema.PostID(w.cursor.id), "limit": postChunk,
	})
	return db.Collect(rows, err, func(row pgx.Row, p *found) error {
		return row.Scan((*[16]byte)(&p.id), &p.at, &p.named, &p.whole)
	})
}

// nextPosts are the next posts, by the indexes of history: those of the API and others each by itself.
const nextPosts = `
	select p.id, p.scheduled_for, @whole::bool or exists (select from {targets} t where t.post_id = p.id and t.account_id = @account),
		@whole::bool or not exists (select from {targets} t where t.post_id = p.id and t.account_id is distinct from @account)
	from (
		select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
			select p.id, p.scheduled_for from {posts} p
			where p.workspace_id = w.id and p.from_api and p.scheduled_for is null and @at::timestamptz is null and p.id < coalesce(@id::uuid, {max_id})
			order by p.scheduled_for desc, p.id desc limit @limit) p
		union all
		select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
			select p.id, p.scheduled_for from {posts} p
			where p.workspace_id = w.id and p.from_api
			  and (p.scheduled_for, p.id) < (coalesce(@at::timestamptz, 'infinity'), case when @at::timestamptz is null then {max_id} else @id::uuid end)
			order by p.scheduled_for desc, p.id desc limit @limit) p
		union all
		select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
			select p.id, p.scheduled_for from {posts} p
			where p.workspace_id = w.id and not p.from_api and p.scheduled_for is null and @at::timestamptz is null and p.id < coalesce(@id::uuid, {max_id})
			order by p.scheduled_for desc, p.id desc limit @limit) p
		union all
		select p.id, p.scheduled_for from unnest(@workspaces::uuid[]) w (id) cross join lateral (
			select p.id, p.scheduled_for from {posts} p
			where p.workspace_id = w.id and not p.from_api
			  and (p.scheduled_for, p.id) < (coalesce(@at::timestamptz, 'infinity'), case when @at::timestamptz is null then {max_id} else @id::uuid end)
			order by p.scheduled_for desc, p.id desc limit @limit) p
	) p order by p.scheduled_for desc nulls first, p.id desc limit @limit`

// removePosts removes posts, which are sorted, with all that hangs on them.
func (w *work) removePosts(ctx context.Context, tx pgx.Tx, from stand, posts []schema.PostID) (rows int, err error) {
	if len(posts) == 0 {
		return 0, nil
	}
	var comments []schema.CommentID
	b := &pgx.Batch{}
	if from == open { // in the order of locks
		b.Queue(`select from posts where id = any($1) order by id for update`, posts)
		b.Queue(`select from targets where post_id = any($1) order by post_id, n for update`, posts)
	}
	b.Queue(sql.Text(`delete from {comments} where post_id = any($1) returning id`, from.names()...), posts).
		Query(db.CollectInto(&comments, db.ScanID[schema.CommentID]))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	b = &pgx.Batch{}
	rows = len(comments)
	count := func(tag pgconn.CommandTag) error { rows += int(tag.RowsAffected()); return nil }
	subjects := make([][16]byte, 0, len(posts)+len(comments))
	for _, id := range posts {
		subjects = append(subjects, id)
	}
	for _, id := range comments {
		subjects = append(subjects, id)
	}
	b.Queue(`select from jobs where id = any($1) order by id for update`, subjects)
	b.Queue(`delete from jobs where id = any($1)`, subjects).Exec(count)
	b.Queue(`delete from holds where subject = any($1)`, subjects).Exec(count)
	b.Queue(sql.Text(`update receipts set owner = {no_id} where profile = any($2) and owner = any($1)`), subjects, w.profiles)
	b.Queue(sql.Text(`delete from {targets} where post_id = any($1)`, from.names()...), posts).Exec(count)
	for _, table := range []string{"attempts", "queue_slots", "media_uses", "ended_posts", "duplicates", "snapshots", "restore_releases", "restore_findings"} {
		b.Queue(sql.Text(`delete from {table} where post_id = any($1)`, "table", table), posts).Exec(count)
	}
	b.Queue(sql.Text(`delete from {posts} where id = any($1)`, from.names()...), posts).Exec(count)
	return rows, tx.SendBatch(ctx, b).Close()
}

// removeTargets removes the account's targets of posts that have others, which are sorted. A
// post whose last open target it was has ended.
func (w *work) removeTargets(ctx context.Context, tx pgx.Tx, from stand, posts []schema.PostID) (rows int, err error) {
	if len(posts) == 0 {
		return 0, nil
	}
	b := &pgx.Batch{}
	if from == open {
		b.Queue(`select from posts where id = any($1) order by id for update`, posts)
		b.Queue(`select from jobs where id = any($1) order by id for update`, posts)
	}
	count := func(tag pgconn.CommandTag) error { rows += int(tag.RowsAffected()); return nil }
	b.Queue(sql.Text(`
		with gone as (
			delete from {comments} where post_id = any($1) and account_id = $2 returning id
		), forgotten as (
			update receipts set owner = {no_id} from gone where profile = any($3) and owner = gone.id
		)
		delete from jobs j using gone where j.id = gone.id`, from.names()...), posts, w.account, w.profiles)
	b.Queue(sql.Text(`update receipts set owner = {no_id} where profile = any($2) and owner = any($1)`), posts, w.profiles)
	b.Queue(sql.Text(`
		delete from attempts a using {targets} t
		where a.post_id = any($1) and t.post_id = a.post_id and t.n = a.n and t.account_id = $2`, from.names()...), posts, w.account).Exec(count)
	b.Queue(`delete from duplicates where post_id = any($1) and account_id = $2`, posts, w.account).Exec(count)
	b.Queue(sql.Text(`delete from {targets} where post_id = any($1) and account_id = $2`, from.names()...), posts, w.account).Exec(count)
	b.Queue(sql.Text(`
		update {posts} p set platforms = coalesce((select bit_or(1 << t.platform) from {targets} t where t.post_id = p.id), 0)
		where p.id = any($1)`, from.names()...), posts)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	if from == past {
		return rows, recountPast(ctx, tx, posts)
	}
	return rows, w.recount(ctx, tx, posts)
}

// recountPast sets the figures and the outcome of ended posts by the targets that are left.
func recountPast(ctx context.Context, tx pgx.Tx, posts []schema.PostID) error {
	_, err := tx.Exec(ctx, sql.Text(`
		update posts_history p set posted_n = c.posted, failed_n = c.failed, status = case
			when p.status not in ({post_posted}, {post_partially_failed}, {post_failed}) then p.status
			when c.failed = 0 then {post_posted} when c.posted = 0 then {post_failed} else {post_partially_failed} end
		from (
			select post_id, count(*) filter (where state = {target_posted}) posted, count(*) filter (where state = {target_failed}) failed
			from targets_history where post_id = any($1) group by post_id
		) c
		where p.id = c.post_id`), posts)
	return err
}

// recount does so for open posts, names the account no more in their jobs, and tells of those
// that have ended by it.
func (w *work) recount(ctx context.Context, tx pgx.Tx, posts []schema.PostID) error {
	var ended []schema.Post
	b := &pgx.Batch{}
	var before []schema.PostID
	b.Queue(sql.Text(`select id from posts where id = any($1) and status in {open_posts}`), posts).
		Query(db.CollectInto(&before, db.ScanID[schema.PostID]))
	b.Queue(tables.RecountPosts, posts)
	b.Queue(`update jobs set payload = replace(payload::text, $2, $3)::json where id = any($1)`, posts, w.account.String(), schema.AccountID{}.String())
	b.Queue(sql.Text(`delete from jobs j using posts p where j.id = any($1) and p.id = j.id and p.status not in {open_posts}`), posts)
	b.Queue(sql.Text(`select {post_columns} from posts p where p.id = any($1) and p.status in {ended_posts}`), posts).
		Query(db.CollectInto(&ended, tables.ScanPost))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	ended = slices.DeleteFunc(ended, func(p schema.Post) bool { return !slices.Contains(before, p.ID) })
	if len(ended) == 0 {
		return nil
	}
	if err := tables.AddTargets(ctx, tx, ended); err != nil {
		return err
	}
	var events []schema.Event
	for i := range ended {
		events = append(events, tables.DoneEvents(&ended[i], w.Now())...)
	}
	b = &pgx.Batch{}
	tables.QueueEvents(b, events, w.Now()) // the outbox is read a moment later
	return tx.SendBatch(ctx, b).Close()
}
