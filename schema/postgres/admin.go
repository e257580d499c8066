package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Admin is the store of the operator's commands.
type Admin struct{ *Store }

// NewAdmin returns the store of the operator's commands.
func NewAdmin(s *Store) *Admin { return &Admin{Store: s} }

// Workspace returns the workspace of that name, or its sandbox twin, and makes it with
// the plan if it is not there; plan is empty where nothing is to be made.
func (a *Admin) Workspace(ctx context.Context, name, plan string, sandbox bool) (schema.Workspace, error) {
	w := schema.Workspace{Name: name, Plan: plan, Sandbox: sandbox}
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		live, err := a.oneWorkspace(ctx, tx, name, plan, nil)
		if err != nil {
			return err
		}
		w.ID, w.Plan = live.ID, live.Plan
		if !sandbox {
			return nil
		}
		twin, err := a.oneWorkspace(ctx, tx, name, live.Plan, &live.ID)
		w.ID = twin.ID
		return err
	})
	if err != nil {
		return w, fmt.Errorf("finding workspace %q: %w", name, unavailable(err))
	}
	return w, nil
}

func (a *Admin) oneWorkspace(ctx context.Context, tx pgx.Tx, name, plan string, live *schema.WorkspaceID) (schema.Workspace, error) {
	w := schema.Workspace{Name: name, Plan: plan, Sandbox: live != nil}
	if plan != "" {
		_, err := tx.Exec(ctx, `
			insert into workspaces (id, name, plan, live_id) values ($1, $2, $3, $4)
			on conflict (name, (live_id is null)) do nothing`, schema.NewWorkspaceID(a.Now()), name, plan, live)
		if err != nil {
			return w, err
		}
	}
	err := tx.QueryRow(ctx, `select id, plan from workspaces where name = $1 and (live_id is not null) = $2`, name, w.Sandbox).
		Scan((*[16]byte)(&w.ID), &w.Plan)
	if errors.Is(err, pgx.ErrNoRows) {
		return w, &schema.Error{Kind: schema.NotFound, Message: "there is no such workspace; crier keys create makes one"}
	}
	return w, err
}

// RevokeKey ends a key, or leaves one that has ended. The error is NotFound where there is
// no such key.
func (a *Admin) RevokeKey(ctx context.Context, hash [32]byte) error {
	tag, err := a.pool.Exec(ctx, `update api_keys set revoked_at = coalesce(revoked_at, now()) where hash = $1`, hash[:])
	if err != nil {
		return fmt.Errorf("revoking a key: %w", unavailable(err))
	}
	if tag.RowsAffected() == 0 {
		return &schema.Error{Kind: schema.NotFound, Message: "there is no such key; give it whole, as it was shown when it was made"}
	}
	return nil
}

// AccountID returns the id under which an account is stored: that of an account which is
// connected already, or a new one. Its credentials are sealed with it.
func (a *Admin) AccountID(ctx context.Context, account schema.Account) (schema.AccountID, error) {
	id := schema.NewAccountID(a.Now())
	err := a.pool.QueryRow(ctx, `
		select id from accounts where workspace_id = $1 and platform = $2 and native_id = $3 and server = $4`,
		account.Workspace, account.Platform, account.NativeID, account.Server).Scan((*[16]byte)(&id))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return id, fmt.Errorf("finding an account: %w", unavailable(err))
	}
	return id, nil
}

// PutAccount stores an account, or new credentials of one that is there. The error is
// PlanLimitReached where the workspace's plan has no room for another.
func (a *Admin) PutAccount(ctx context.Context, account schema.Account) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		if err := admitAccount(ctx, tx, account); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into accounts (id, workspace_id, brand_id, platform, native_id, name, server, sealed)
			values (@id, @workspace, @brand, @platform, @native, @name, @server, @sealed)
			on conflict (id) do update set name = excluded.name, sealed = excluded.sealed, needs_reconnect = false, ended = 0, end_message = null,
				revision = accounts.revision + 1, disconnected_at = null`,
			pgx.StrictNamedArgs{
				"id": account.ID, "workspace": account.Workspace, "brand": account.Brand, "platform": account.Platform,
				"native": account.NativeID, "name": account.Name, "server": account.Server, "sealed": account.Sealed,
			})
		return err
	})
	if err != nil {
		return fmt.Errorf("storing an account: %w", unavailable(err))
	}
	return nil
}
