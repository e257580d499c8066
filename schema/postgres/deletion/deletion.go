// Package deletion deletes workspaces and accounts with all that is kept of them:
//
//	Ask ─▶ asked ─ Stop ─▶ stopping ─ calls in hand have ended ─▶ removing ─▶ done
//
// A deletion that was confirmed goes on by itself, wherever a process died.
package deletion

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store keeps deletions, and deletes.
type Store struct {
	*db.DB
	late    time.Duration
	cursors map[schema.DeletionID]cursor // how far the step of each is in this process
}

// Late is how long after the stop something of a deletion may still be written: by a request
// that had begun, an upload that takes its time, an event on its way. A pass that begins later
// and finds nothing is the last.
const Late = 2 * time.Minute

// New returns the store of deletions. late is Late, except in tests.
func New(d *db.DB, late time.Duration) *Store {
	return &Store{d, late, map[schema.DeletionID]cursor{}}
}

// Ask notes that a workspace with its sandbox is to be deleted, or one of its accounts, and
// returns what would go. Nothing is done to it before Stop. It is NotFound where there is no
// such workspace or account, and InvalidState while the workspace pays for a subscription.
func (s *Store) Ask(ctx context.Context, d schema.Deletion, token [32]byte) (schema.DeletionContents, error) {
	var contents schema.DeletionContents
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		workspaces, err := s.deletable(ctx, tx, d)
		if err != nil {
			return err
		}
		if contents, err = contentsOf(ctx, tx, workspaces, d.Account); err != nil {
			return err
		}
		if err := insert(ctx, tx, d, row{workspaces: workspaces, token: token[:], posts: contents.Posts}); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), entry(d))
	})
	return contents, db.OrNotFound(err, "workspace")
}

// entry is what the audit log says of a deletion; that of a workspace goes with it.
func entry(d schema.Deletion) audit.Entry {
	subject := audit.Of("workspace", d.Workspace, "")
	if !d.Account.IsZero() {
		subject = audit.Of("account", d.Account, "")
	}
	return audit.Entry{Workspace: d.Workspace, Subject: subject, Changes: []people.Change{{Field: "deletion", After: d.ID.String()}}}
}

// row is what a deletion begins with.
type row struct {
	request    schema.DeletionID // zero: its own
	workspaces []schema.WorkspaceID
	token      []byte
	posts      int
}

func insert(ctx context.Context, tx pgx.Tx, d schema.Deletion, r row) error {
	if r.request.IsZero() {
		r.request = d.ID
	}
	accounts := []schema.AccountID{}
	if !d.Account.IsZero() {
		accounts = append(accounts, d.Account)
	}
	_, err := tx.Exec(ctx, sql.Text(`
		insert into deletions (id, request, status, of_workspace, token_hash, workspaces, accounts, posts, asked_at)
		values (@id, @request, {deletion_asked}, @whole, @token, @workspaces, @accounts, @posts, @asked)`), pgx.StrictNamedArgs{
		"id": d.ID, "request": r.request, "whole": d.Account.IsZero(), "token": r.token, "workspaces": r.workspaces, "accounts": accounts,
		"posts": r.posts, "asked": d.AskedAt,
	})
	return err
}

// deletable returns the workspace and, of a live one that goes whole, its sandbox twin.
func (s *Store) deletable(ctx context.Context, tx pgx.Tx, d schema.Deletion) ([]schema.WorkspaceID, error) {
	if !d.Account.IsZero() {
		var found bool
		err := tx.QueryRow(ctx, `
			select exists (select from accounts a join workspaces w on w.id = a.workspace_id
				where a.id = $1 and a.workspace_id = $2 and a.native_id not like 'deleted %' and w.deleting_at is null)`, d.Account, d.Workspace).Scan(&found)
		if err == nil && !found {
			err = db.NotFound("account")
		}
		return []schema.WorkspaceID{d.Workspace}, err
	}
	rows, err := tx.Query(ctx, `
		select id from workspaces where (id = $1 or live_id = $1) and deleting_at is null order by live_id is not null`, d.Workspace)
	workspaces, err := db.Collect(rows, err, db.ScanID[schema.WorkspaceID])
	switch {
	case err != nil:
		return nil, err
	case len(workspaces) == 0 || workspaces[0] != d.Workspace:
		return nil, db.NotFound("workspace")
	}
	return workspaces, refuseSubscribed(ctx, tx, workspaces)
}

// refuseSubscribed refuses what would go on being paid for.
func refuseSubscribed(ctx context.Context, tx pgx.Tx, workspaces []schema.WorkspaceID) error {
	var subscribed bool
	err := tx.QueryRow(ctx, `
		select exists (select from subscriptions where workspace_id = any($1) and began_at is not null and ended_at is null)`, workspaces).Scan(&subscribed)
	if err == nil && subscribed {
		err = tables.InvalidState("the workspace pays for a subscription: end it first, or it would be charged on")
	}
	return err
}

// contentsOf counts what would go.
func contentsOf(ctx context.Context, tx pgx.Tx, workspaces []schema.WorkspaceID, account schema.AccountID) (c schema.DeletionContents, err error) {
	if !account.IsZero() {
		c.Accounts = 1
		return c, countAccountPosts(ctx, tx, workspaces, account, &c)
	}
	err = tx.QueryRow(ctx, sql.Text(`
		select w.name,
			(select count(*) from accounts a where a.workspace_id = any($1) and a.disconnected_at is null),
			(select count(*) from api_keys k where k.workspace_id = any($1) and k.revoked_at is null),
			(select count(*) from brands b where b.workspace_id = any($1)),
			(select count(*) from queues q where q.workspace_id = any($1)),
			(select count(*) from webhooks h where h.workspace_id = any($1)),
			(select count(*) from (select from media m where m.workspace_id = any($1) and m.state in {present_uploads} limit $2) counted),
			(select count(*) from (
				(select from all_posts p where p.workspace_id = any($1) and p.from_api limit $2) union all
				(select from all_posts p where p.workspace_id = any($1) and not p.from_api limit $2)
				limit $2) counted),
			(select count(*) from (select from posts p where p.workspace_id = any($1) and p.status in {open_posts} limit $2) counted)
		from workspaces w where w.id = $3`), workspaces, schema.MaxCounted, workspaces[0]).
		Scan(&c.Workspace, &c.Accounts, &c.Keys, &c.Brands, &c.Queues, &c.Webhooks, &c.Media, &c.Posts, &c.Open)
	return c, err
}

// countAccountPosts counts the posts that have a target of the account.
func countAccountPosts(ctx context.Context, tx pgx.Tx, workspaces []schema.WorkspaceID, account schema.AccountID, c *schema.DeletionContents) error {
	return tx.QueryRow(ctx, sql.Text(`
		select count(*), count(*) filter (where status in {open_posts}) from (
			(select p.status from all_posts p
			where p.workspace_id = any($1) and p.from_api and p.platforms & (select 1 << a.platform from accounts a where a.id = $2) <> 0
			  and exists (select from all_targets t where t.post_id = p.id and t.account_id = $2) limit $3)
			union all
			(select p.status from all_posts p
			where p.workspace_id = any($1) and not p.from_api and p.platforms & (select 1 << a.platform from accounts a where a.id = $2) <> 0
			  and exists (select from all_targets t where t.post_id = p.id and t.account_id = $2) limit $3)
			limit $3) counted`), workspaces, account, schema.MaxCounted).Scan(&c.Posts, &c.Open)
}

func scan(row pgx.Row, d *schema.Deletion) error {
	var workspaces, accounts [][16]byte
	err := row.Scan((*[16]byte)(&d.ID), &d.Status, &d.OfWorkspace, &workspaces, &accounts, &d.Posts, &d.PostsRemoved, &d.RowsRemoved, &d.AskedAt,
		&d.ConfirmedAt, &d.StoppedAt, &d.EndedAt)
	if len(workspaces) > 0 {
		d.Workspace = workspaces[0]
	}
	if !d.OfWorkspace && len(accounts) > 0 {
		d.Account = accounts[0]
	}
	return err
}

// Deletions returns how far the deletions are that a request has asked for: those of one
// person's accounts are several. It is NotFound where there are none.
func (s *Store) Deletions(ctx context.Context, request schema.DeletionID) ([]schema.Deletion, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {deletion_columns} from deletions where request = $1 order by id`), request)
	found, err := db.Collect(rows, err, scan)
	if err == nil && len(found) == 0 {
		err = pgx.ErrNoRows
	}
	return found, db.OrNotFound(err, "deletion")
}

// Forget deletes what was never confirmed, and what was done long ago.
func (s *Store) Forget(ctx context.Context) (rows int, more bool, err error) {
	tag, err := s.Pool.Exec(ctx, sql.Text(`
		delete from deletions where id in (
			select id from deletions
			where status = {deletion_asked} and asked_at < $1 or status = {deletion_done} and asked_at < $2 limit $3)`),
		s.Now().Add(-schema.DeletionLife), s.Now().Add(-schema.DeletionRetention), tables.HistoryChunk)
	if err != nil {
		return 0, false, db.Wrap(err, "forgetting deletions")
	}
	rows = int(tag.RowsAffected())
	return rows, rows == tables.HistoryChunk, nil
}
