// Package accounts keeps connected accounts and the brands they are grouped by.
package accounts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store keeps accounts and their brands.
type Store struct {
	*db.DB
	*Health
}

// New returns the store of accounts.
func New(d *db.DB) *Store { return &Store{d, NewHealth(d)} }

// UpdateAccount changes the brand and the name of an account.
func (s *Store) UpdateAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, change func(*schema.Account)) (schema.Account, error) {
	var a schema.Account
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) (err error) {
		if a, err = lockAccount(ctx, tx, workspace, id); err != nil {
			return err
		}
		before := a
		change(&a)
		if err := brandExists(ctx, tx, workspace, a.Brand); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update accounts set brand_id = $3, name = $4 where id = $1 and workspace_id = $2`, id, workspace, a.Brand, a.Name)
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), tables.AccountEntry(a,
			people.Change{Field: "name", Before: before.Name, After: a.Name},
			people.Change{Field: "brand", Before: tables.IDText(before.Brand), After: tables.IDText(a.Brand)},
		))
	})
	if err != nil {
		return a, db.OrNotFound(err, "account")
	}
	return s.Account(ctx, workspace, id)
}

// lockAccount reads a connected account for a change.
func lockAccount(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	var a schema.Account
	row := tx.QueryRow(ctx, sql.Text(`select {account_columns} from accounts a join workspaces w on w.id = a.workspace_id
		where a.id = $1 and a.workspace_id = $2 and a.disconnected_at is null for update of a`), id, workspace)
	err := tables.ScanAccount(row, &a)
	return a, err
}

// Disconnect disconnects an account: its credentials are erased, its renewal stops, and its workspace's pause ends, which
// nobody could lift any more: what that held fails as the account is gone. It returns the account as it was, so that the
// credentials can be revoked.
func (s *Store) Disconnect(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	var a schema.Account
	err := s.Announcing(ctx, "disconnecting an account", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		if a, err = lockAccount(ctx, tx, workspace, id); err != nil {
			return announcement, err
		}
		if _, _, err := tables.Lift(ctx, tx, memberPause(id, "")); err != nil {
			return announcement, err
		}
		ended := a.Revived()
		ended.Disconnected = true
		b := &pgx.Batch{}
		b.Queue(`
			update accounts set disconnected_at = now(), sealed = '', revision = revision + 1, needs_reconnect = false, ended = 0, end_message = null, expires_at = null,
				renew_at = null, renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0
			where id = $1 and workspace_id = $2`, id, workspace)
		b.Queue(`delete from jobs where id = $1`, id)
		announcement.Events = tables.QueueEvents(b, []schema.Event{tables.AccountEvent(schema.AccountDisconnected, ended, nil, s.Now())}, s.Now())
		audit.Queue(ctx, b, s.Now(), tables.AccountEntry(a))
		return announcement, tx.SendBatch(ctx, b).Close()
	})
	return a, db.OrNotFound(err, "account")
}

// Accounts returns the connected accounts of a workspace, by id.
func (s *Store) Accounts(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`{listed_accounts} order by a.id`), workspace)
	accounts, err := db.Collect(rows, err, scanListed)
	return accounts, db.Wrap(err, "reading accounts")
}

// AccountsVersion returns a text that is another one once an account or a brand of a workspace has
// changed: one of which row versions there are. It costs a fraction of reading them. The limits are
// those that the workspace is held to.
func (s *Store) AccountsVersion(ctx context.Context, workspace schema.WorkspaceID) (version string, limits schema.LimitSet, err error) {
	err = s.Pool.QueryRow(ctx, `
		select concat((
				select concat(count(*), ' ', sum(hashtextextended(concat(t.ctid, ' ', t.xmin), 0)))
				from accounts t where t.workspace_id = $1 and t.disconnected_at is null), ', ', (
				select concat(count(*), ' ', sum(hashtextextended(concat(t.ctid, ' ', t.xmin), 0))) from brands t where t.workspace_id = $1)),
			coalesce((select w.limits from workspaces w where w.id = $1), $2)`, workspace, schema.SpecificationLimits).
		Scan(&version, &limits)
	return version, limits, db.Wrap(err, "reading the version of accounts")
}

// Account returns a connected account of a workspace.
func (s *Store) Account(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	var a schema.Account
	row := s.Pool.QueryRow(ctx, sql.Text(`{listed_accounts} and a.id = $2`), workspace, id)
	return a, db.OrNotFound(scanListed(row, &a), "account")
}

// scanListed reads a row of {listed_accounts}.
func scanListed(row pgx.Row, a *schema.Account) error {
	pause := schema.Hold{}
	err := tables.ScanAccount(row, a, &a.BrandName, &a.FromDashboard, &pause.Kind, &pause.Reason, &pause.Since)
	if pause.Account = a.ID; pause.Kind != 0 {
		a.Pause = &pause
	}
	return err
}
