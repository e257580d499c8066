package deletion

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

const (
	// postChunk is how many posts go at a time, with all that hangs on them.
	postChunk = 500
	// again is how long a deletion rests that waits for another's work.
	again = 5 * time.Second
)

// Eraser erases events from ClickHouse.
type Eraser = func(ctx context.Context, of schema.Erasure) (events int64, err error)

// work is a deletion that is worked on.
type work struct {
	*Store
	id         schema.DeletionID
	whole      bool
	workspaces []schema.WorkspaceID
	account    schema.AccountID // zero: all of the workspaces
	accounts   []schema.AccountID
	webhooks   []schema.WebhookID
	lineages   []schema.KeyID
	keys       []schema.KeyID
	profiles   [][]byte
	unshared   [][]byte // of profiles, those that nobody else has connected
	status     schema.DeletionStatus
	stoppedAt  time.Time

	step   int
	passed time.Time // when the pass began
	rows   int64     // that it has removed
	cursor cursor
	erase  Eraser
}

// cursor is how far a step of a pass is. A process that has none begins the step again, and finds
// less.
type cursor struct {
	pass     time.Time
	step     int
	at       *time.Time // of the last post
	id       [16]byte
	relation int
	block    int64
}

// removed is what a chunk has removed.
type removed struct{ posts, rows int }

// steps are one pass, each in chunks. Those that read whole tables are left to passes that may
// be the last.
func (w *work) steps() []func(context.Context, pgx.Tx) (removed, bool, error) {
	early := []func(context.Context, pgx.Tx) (removed, bool, error){
		w.openPosts, w.pastPosts, w.deliveries, w.queueSlots, w.found, w.answers, w.media, w.snapshots, w.replies, w.inbox, w.audit, w.rest,
	}
	if !w.mayEnd() {
		return early
	}
	return append(early, w.scan, w.outbox, w.events)
}

// mayEnd reports whether the pass began late enough to be the last.
func (w *work) mayEnd() bool { return w.passed.After(w.stoppedAt.Add(w.late)) }

// Delete is one chunk of the deletion that has waited longest. A stop whose caller went away is
// carried on as well.
func (s *Store) Delete(ctx context.Context, erase Eraser) (rows int, more bool, err error) {
	err = s.AloneOutside(ctx, "deletion", func(conn *pgx.Conn) error {
		w, err := s.next(ctx, conn)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		w.erase = erase
		if w.status == schema.DeletionStopping {
			more, err = s.trySettle(ctx, w.id)
			return err
		}
		rows, err = w.chunk(ctx, conn)
		more = err == nil
		return err
	})
	return rows, more, db.Wrap(err, "deleting")
}

// next takes the deletion that was worked on longest ago. Its turn is over even if the chunk
// fails: one that cannot go on holds up no other.
func (s *Store) next(ctx context.Context, conn *pgx.Conn) (*work, error) {
	w := &work{Store: s}
	var workspaces, accounts, webhooks, lineages, keys [][16]byte
	err := conn.QueryRow(ctx, sql.Text(`
		with chosen as (
			select id from deletions where status in ({deletion_stopping}, {deletion_removing}) and worked_at <= now() order by worked_at limit 1 for update
		)
		update deletions d set worked_at = now(), pass_began_at = coalesce(d.pass_began_at, now()) from chosen where d.id = chosen.id
		returning d.id, d.of_workspace, d.workspaces, d.accounts, d.webhooks, d.lineages, d.keys, d.profiles, d.unshared, d.status, coalesce(d.stopped_at, now()),
			d.step, d.pass_began_at, d.pass_rows`)).
		Scan((*[16]byte)(&w.id), &w.whole, &workspaces, &accounts, &webhooks, &lineages, &keys, &w.profiles, &w.unshared, &w.status, &w.stoppedAt,
			&w.step, &w.passed, &w.rows)
	if err != nil {
		return nil, err
	}
	w.workspaces, w.accounts = db.IDs[schema.WorkspaceID](workspaces), db.IDs[schema.AccountID](accounts)
	w.webhooks = db.IDs[schema.WebhookID](webhooks)
	w.lineages, w.keys = db.IDs[schema.KeyID](lineages), db.IDs[schema.KeyID](keys)
	if !w.whole && len(w.accounts) > 0 {
		w.account = w.accounts[0]
	}
	if w.cursor = s.cursors[w.id]; w.cursor.step != w.step || !w.cursor.pass.Equal(w.passed) {
		w.cursor = cursor{pass: w.passed, step: w.step}
	}
	return w, nil
}

// chunk does a chunk of the deletion's step, and notes it with what it has removed.
func (w *work) chunk(ctx context.Context, conn *pgx.Conn) (rows int, err error) {
	steps := w.steps()
	if w.step >= len(steps) {
		return 0, w.endPass(ctx, conn)
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		gone, more, err := steps[w.step](ctx, tx)
		if err != nil {
			return err
		}
		rows = gone.posts + gone.rows
		if !more {
			w.step++
			w.cursor = cursor{pass: w.passed, step: w.step}
		}
		_, err = tx.Exec(ctx, `
			update deletions set step = $2, pass_rows = pass_rows + $3, posts_removed = posts_removed + $4, rows_removed = rows_removed + $3
			where id = $1`, w.id, w.step, rows, gone.posts)
		return err
	})
	if err != nil {
		return 0, err
	}
	w.cursors[w.id] = w.cursor
	return rows, nil
}

// endPass ends the deletion if the pass has found nothing and began late enough; else another
// begins, once it may be the last.
func (w *work) endPass(ctx context.Context, conn *pgx.Conn) error {
	if w.mayEnd() && w.rows == 0 {
		delete(w.cursors, w.id)
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return w.end(ctx, tx) })
	}
	wait := again
	if began := w.stoppedAt.Add(w.late + time.Millisecond); w.Now().Before(began) {
		wait = began.Sub(w.Now())
	} else if !w.mayEnd() {
		wait = 0
	}
	_, err := conn.Exec(ctx, `
		update deletions set step = 0, pass_rows = 0, pass_began_at = null, worked_at = now() + $2::interval where id = $1`, w.id, wait.String())
	return err
}

// end removes what the deletion was held together by, and forgets what it was of.
func (w *work) end(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	if w.whole {
		b.Queue(`delete from restore_looks l using accounts a where a.id = l.account_id and a.workspace_id = any($1)`, w.workspaces)
		for _, table := range []string{"accounts", "brands", "api_keys", "subscriptions", "consents"} {
			b.Queue(sql.Text(`delete from {table} where workspace_id = any($1)`, "table", table), w.workspaces)
		}
		b.Queue(`delete from holds where subject = any($1)`, w.workspaces)
		b.Queue(sql.Text(`update sweeps set workspace_id = {no_id}, due_at = '-infinity' where workspace_id = any($1)`), w.workspaces)
		b.Queue(`delete from workspaces where id = any($1) and live_id is not null`, w.workspaces)
		b.Queue(`delete from workspaces where id = any($1)`, w.workspaces)
	}
	if w.whole { // others that were asked for, or begun, of a part of it
		b.Queue(sql.Text(`delete from deletions where status = {deletion_asked} and workspaces && $1`), w.workspaces)
		b.Queue(sql.Text(`update deletions set {forget_deletion} where id <> $2 and status <> {deletion_done} and workspaces && $1`), w.workspaces, w.id)
	}
	b.Queue(`delete from accounts where id = any($1)`, w.accounts)
	b.Queue(`delete from restore_looks where account_id = any($1)`, w.accounts)
	b.Queue(`delete from holds where subject = any($1)`, w.accounts)
	b.Queue(sql.Text(`delete from deletions where status = {deletion_asked} and accounts && $1`), w.accounts)
	b.Queue(sql.Text(`update deletions set {forget_deletion} where id = $1`), w.id)
	return tx.SendBatch(ctx, b).Close()
}

// chunkLimit is how many rows of a table go at a time.
const chunkLimit = tables.HistoryChunk
