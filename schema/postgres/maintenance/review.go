package maintenance

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// holdPage is how many rows a chunk of HoldOverdue looks at.
const holdPage = 5000

var (
	holdPosts = sql.Text(`
	with page as materialized ({due_page}), held as (
		insert into holds (subject, kind, reason) select id, @kind, 'overdue when crier was started with --hold-overdue'
		from page where status in {open_posts} and coalesce(retried_for, scheduled_for) <= @to
		on conflict (subject, kind) do nothing returning subject
	)
	select workspace_id, scheduled_for, id, (select count(*) from held) from (select workspace_id, scheduled_for, id from page order by workspace_id desc, scheduled_for, id limit 1) last`)

	holdComments = sql.Text(`
	with page as materialized (
		select id, post_id, state from comments where id > @id order by id limit @page
	), held as (
		insert into holds (subject, kind, reason) select post_id, @kind, 'overdue when crier was started with --hold-overdue'
		from (select distinct post_id from page where post_id is not null and state in {open_comments}) open
		on conflict (subject, kind) do nothing returning subject
	), ended as (
		update comments c set state = {comment_failed}, claim = claim + 1, lease_until = null, error = @error::text::json
		from page where c.id = page.id and page.post_id is null and page.state in {open_comments}
	)
	select id, (select count(*) from held) from page order by id desc limit 1`)
)

// HoldOverdue holds every post for review whose time has passed, or one of whose first
// comments has not gone out, and returns how many. Replies that have not gone out end: nobody
// would miss the moment for them. It goes in chunks; one that was cut off is
// to be begun again.
func HoldOverdue(ctx context.Context, d *db.DB) (held int64, err error) {
	var at duePlace
	now, kind := d.Now(), int16(schema.UnderReview)
	for _, chunk := range []func(pgx.Tx) (int64, error){
		func(tx pgx.Tx) (n int64, err error) {
			err = tx.QueryRow(ctx, holdPosts, pgx.StrictNamedArgs{
				"workspace": at.workspace, "due": at.due, "id": at.id, "from": always, "to": now, "page": holdPage, "kind": kind,
			}).Scan(&at.workspace, &at.due, &at.id, &n)
			return n, err
		},
		func(tx pgx.Tx) (n int64, err error) {
			err = tx.QueryRow(ctx, holdComments, pgx.StrictNamedArgs{"id": at.id, "page": holdPage, "kind": kind, "error": string(db.Encode(schema.RestoredReply(now)))}).Scan(&at.id, &n)
			return n, err
		},
	} {
		n, err := holdAll(ctx, d, chunk)
		if held += n; err != nil {
			return held, db.Unavailable(err)
		}
		at = duePlace{}
	}
	return held, nil
}

// holdAll does chunks until one finds no more rows.
func holdAll(ctx context.Context, d *db.DB, chunk func(pgx.Tx) (int64, error)) (held int64, err error) {
	for {
		var n int64
		err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) (err error) {
			for _, first := range []string{keysetPlans, tables.LockHolds} {
				if _, err := tx.Exec(ctx, first); err != nil {
					return err
				}
			}
			n, err = chunk(tx)
			return err
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return held, nil
		}
		if err != nil {
			return held, err
		}
		held += n
	}
}
