package deletion

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// deliveries removes what its webhooks got, with the jobs. What names an account is left to
// scan.
func (w *work) deliveries(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.counted(ctx, tx, tables.DeleteDeliveries, w.webhooks, chunkLimit)
}

// some runs a statement that removes up to chunkLimit rows.
func (w *work) some(ctx context.Context, tx pgx.Tx, statement string, args ...any) (removed, bool, error) {
	tag, err := tx.Exec(ctx, statement, args...)
	return removed{rows: int(tag.RowsAffected())}, tag.RowsAffected() == chunkLimit, err
}

// counted is some of a statement that removes other rows, too, and returns how many of those it has removed.
func (w *work) counted(ctx context.Context, tx pgx.Tx, statement string, args ...any) (gone removed, more bool, err error) {
	err = tx.QueryRow(ctx, statement, args...).Scan(&gone.rows)
	return gone, gone.rows == chunkLimit, err
}

// ofWhole is some where a workspace goes; with an account nothing does.
func (w *work) ofWhole(ctx context.Context, tx pgx.Tx, statement string, args ...any) (gone removed, more bool, err error) {
	if !w.whole {
		return removed{}, false, nil
	}
	return w.some(ctx, tx, statement, args...)
}

// found removes by what its monitors know a post that comes again.
func (w *work) found(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.ofWhole(ctx, tx, `
		delete from found_items where (monitor_id, item) in (
			select f.monitor_id, f.item from monitors m join found_items f on f.monitor_id = m.id where m.workspace_id = any($1) limit $2)`, w.workspaces, chunkLimit)
}

// snapshots removes the looks at posts that were to follow.
func (w *work) snapshots(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.some(ctx, tx, `
		delete from snapshots where (post_id, n) in (select post_id, n from snapshots where account_id = any($1) limit $2)`, w.accounts, chunkLimit)
}

// queueSlots removes the taken slots of its queues.
func (w *work) queueSlots(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.ofWhole(ctx, tx, `
		delete from queue_slots where (queue_id, slot_at) in (
			select s.queue_id, s.slot_at from queues q join queue_slots s on s.queue_id = q.id where q.workspace_id = any($1) limit $2)`, w.workspaces, chunkLimit)
}

// answers removes those of requests that were made with its keys. Where an account goes they
// stay, without its id: a request that comes again gets what it got.
func (w *work) answers(ctx context.Context, tx pgx.Tx) (gone removed, more bool, err error) {
	if w.whole {
		return w.some(ctx, tx, `
			delete from idempotency where (lineage, key) in (select lineage, key from idempotency where lineage = any($1) limit $2)`, w.lineages, chunkLimit)
	}
	return w.some(ctx, tx, sql.Text(`
		update idempotency i set response = convert_to(replace(convert_from(i.response, 'UTF8'), $2::text, $3::text), 'UTF8')
		from (
			select i.lineage, i.key from ({lineages_of($1)}) k
			join idempotency i on i.lineage = k.lineage
			where position(convert_to($2::text, 'UTF8') in i.response) > 0 limit $4
		) o
		where i.lineage = o.lineage and i.key = o.key`), w.workspaces, w.account.String(), schema.AccountID{}.String(), chunkLimit)
}

// replies removes those of its accounts, with their jobs. Their receipts stay without an
// owner.
func (w *work) replies(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.counted(ctx, tx, sql.Text(`
		with gone as (
			delete from comments where id in (
				select id from comments where post_id is null and account_id = any($1) order by id limit $2 for update)
			returning id
		), jobs as (
			delete from jobs j using gone where j.id = gone.id
		), seconds as (
			delete from duplicates d using gone where d.post_id = gone.id
		), receipts as (
			update receipts r set owner = {no_id} from gone where r.profile = any($3) and r.owner = gone.id
		)
		select count(*) from gone`), w.accounts, chunkLimit, w.profiles)
}

// inbox removes what its accounts have received.
func (w *work) inbox(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.some(ctx, tx, `
		delete from inbox where id in (select id from inbox where account_id = any($1) order by id limit $2 for update)`, w.accounts, chunkLimit)
}

// media marks uploads, whose content and rows are then removed by those who keep them. Until
// then no pass is the last.
func (w *work) media(ctx context.Context, tx pgx.Tx) (gone removed, more bool, err error) {
	if !w.whole {
		return removed{}, false, nil
	}
	var marked int64
	b := &pgx.Batch{}
	b.Queue(`
		update media set state = $2, deleted_at = coalesce(deleted_at, now() - interval '1 hour'), alt_text = '', file_name = '' where id in (
			select id from media where workspace_id = any($1) and state <> $2 limit $3)`, w.workspaces, int16(schema.UploadDeleted), chunkLimit).
		Exec(func(tag pgconn.CommandTag) error { marked = tag.RowsAffected(); return nil })
	b.Queue(`select count(*) from (select from media where workspace_id = any($1) limit 1) m`, w.workspaces).
		QueryRow(func(row pgx.Row) error { return row.Scan(&gone.rows) })
	err = tx.SendBatch(ctx, b).Close()
	return gone, marked == chunkLimit, err
}

// rest removes what there is little of.
func (w *work) rest(ctx context.Context, tx pgx.Tx) (gone removed, more bool, err error) {
	count := func(tag pgconn.CommandTag) error { gone.rows += int(tag.RowsAffected()); return nil }
	b := &pgx.Batch{}
	turns := lists.Map(w.accounts, func(account schema.AccountID) string { return "%" + account.String() + "%" })
	b.Queue(`delete from app_turns where app like any($1)`, turns).Exec(count)
	b.Queue(`delete from jobs j using collections c where c.account_id = any($1) and j.id = c.id`, w.accounts).Exec(count)
	b.Queue(`delete from collections where account_id = any($1)`, w.accounts).Exec(count)
	b.Queue(`delete from counters where subject = any($1)`, w.accounts).Exec(count)
	// A result that came after its post was gone has left a receipt of it, as old as its transaction:
	// that may have waited for the post since before the stop.
	b.Queue(sql.Text(`
		update receipts r set owner = {no_id}
		where r.profile = any($1) and r.seen_at >= $2 and r.owner <> {no_id}
		  and not exists (select from posts p where p.id = r.owner) and not exists (select from posts_history p where p.id = r.owner)
		  and not exists (select from comments c where c.id = r.owner) and not exists (select from comments_history c where c.id = r.owner)`), w.profiles, w.stoppedAt.Add(-db.TransactionTimeout)).Exec(count)
	b.Queue(sql.Text(`delete from receipts where profile = any($1) and (owner = {no_id} or seen_at < $2)`), w.unshared, w.stoppedAt).Exec(count)
	if w.whole {
		var windows []string
		for _, key := range w.keys {
			windows = append(windows, key.String(), tables.RefusalsOf(key))
		}
		b.Queue(`delete from request_windows where subject = any($1)`, windows).Exec(count)
		b.Queue(`delete from redeliveries where webhook_id = any($1)`, w.webhooks).Exec(count)
		b.Queue(`delete from mails where about = any($1)`, w.workspaces).Exec(count)
		for _, table := range []string{"webhooks", "queues", "consents", "ended_posts", "monitors", "plan_usage", "sessions", "invitations", "device_requests", "memberships", "mail_choices"} {
			b.Queue(sql.Text(`delete from {table} where workspace_id = any($1)`, "table", table), w.workspaces).Exec(count)
		}
	}
	return gone, false, tx.SendBatch(ctx, b).Close()
}

// audit removes what is told of its workspaces.
func (w *work) audit(ctx context.Context, tx pgx.Tx) (removed, bool, error) {
	return w.ofWhole(ctx, tx, `
		delete from audit where (id, at) in (select id, at from audit where workspace_id = any($1) limit $2)`, w.workspaces, chunkLimit)
}

// events erases those of ClickHouse, outside of the transaction that notes it: erasing again
// finds nothing.
func (w *work) events(ctx context.Context, _ pgx.Tx) (gone removed, more bool, err error) {
	erased, err := w.erase(ctx, schema.Erasure{Workspaces: w.workspaces, Account: w.account})
	return removed{rows: int(erased)}, false, err
}
