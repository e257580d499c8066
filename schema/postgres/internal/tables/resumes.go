package tables

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// resumeChunk is how many parked jobs one transaction handles.
const resumeChunk = 1000

// BeginResume notes that a pause was lifted, in the transaction that lifts it. From then
// on what it held is made due, by this process or another. A resume looks at all that is parked, so one that
// has not begun is for this pause too: however often somebody pauses and resumes, few wait.
func BeginResume(ctx context.Context, tx pgx.Tx) (id [16]byte, err error) {
	err = tx.QueryRow(ctx, `
		with waiting as (
			select id from resumes where after_since = '-infinity' order by id limit 1 for update skip locked
		), begun as (
			insert into resumes (id) select uuidv7() where not exists (select from waiting) returning id
		)
		select id from waiting union all select id from begun`).Scan(&id)
	return id, err
}

// GoOnResuming makes the next chunk of parked jobs due that nothing holds any more, for a
// pause that was lifted, or for any where id is nil. It returns how many, and whether there
// are more to look at. The oldest come first, each due a microsecond after the one before,
// so that they fire in the order of their own times; what waits for something else too is due
// then. What is partly held is parked again when it fires.
func GoOnResuming(ctx context.Context, tx pgx.Tx, id *[16]byte) (resumed int, more bool, err error) {
	var mine [16]byte
	err = tx.QueryRow(ctx, `select id from resumes where id = coalesce($1, id) order by id limit 1 for update`, id).Scan(&mine)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	var looked int
	if err := tx.QueryRow(ctx, resume, pgx.StrictNamedArgs{"id": mine, "limit": resumeChunk, "settle": schema.SettleTime}).Scan(&looked, &resumed); err != nil {
		return 0, false, err
	}
	if looked == resumeChunk {
		return resumed, true, nil
	}
	// Of any, more is true even after the last chunk: that costs one more query.
	_, err = tx.Exec(ctx, `delete from resumes where id = $1`, mine)
	return resumed, id == nil, err
}

// resume reads its chunk in the order of the index and changes it in the order of locks. It is a
// statement after the one that waits for others who resume, and what it makes due is due from its own
// begin on: counted from that of its transaction, it could be due before their chunks.
// It finds the rows to lock by id: while the statistics know of no parked jobs yet, the
// planner would scan their index for each row.
var resume = sql.Text(`
	with parked as materialized (
		select j.id, j.kind, j.overdue_since from resumes r cross join lateral (
			select id, kind, overdue_since from jobs
			where held and (overdue_since, id) > (r.after_since, r.after_id)
			order by overdue_since, id limit @limit
		) j where r.id = @id
	), free as (
		select id, row_number() over (order by overdue_since, id) nth, coalesce(
			(select min(coalesce({opens_at(t)}, now())) from targets t where t.post_id = k.id and t.state in {open_targets}),
			(select {opens_at(c)} from comments c where c.id = k.id),
			now()) opens_at
		from parked k
		where not (k.kind = {job_post} and exists (
				select from posts p where p.id = k.id and p.status in {open_posts} and (
					{reviewed(p.id, p.id)}
					or not exists (select from targets t where t.post_id = p.id and t.state in {open_targets} and not {paused(p.workspace_id, t.account_id, t.platform)}))))
			and not (k.kind = {job_comment} and exists (
				select from comments c join accounts a on a.id = c.account_id
				where c.id = k.id and ({reviewed(c.post_id, c.id)} or {paused(c.workspace_id, c.account_id, a.platform)})))
	), locked as materialized (
		select j.id, f.nth, f.opens_at from jobs j join free f on f.id = j.id where j.held is distinct from false order by j.id for update of j
	), resumed as (
		update jobs j set held = false, due_at = greatest(statement_timestamp() + l.nth * interval '1 microsecond', l.opens_at) from locked l where j.id = l.id returning 1
	), last as (
		select overdue_since, id from parked order by overdue_since desc, id desc limit 1
	), moved as (
		update resumes r set after_since = last.overdue_since, after_id = last.id from last where r.id = @id
	)
	select (select count(*) from parked), (select count(*) from resumed)`)

// ResumeChunk is GoOnResuming in a transaction of its own.
func ResumeChunk(ctx context.Context, d *db.DB, id *[16]byte) (resumed int, more bool, err error) {
	err = pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		resumed, more, err = GoOnResuming(ctx, tx, id)
		return err
	})
	return resumed, more, db.Unavailable(err)
}
