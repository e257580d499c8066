// Package operation is the store of the operator's commands: workspaces and keys, pauses,
// what a restored backup left under review, and dead letters.
package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/accounts"
	"crier/schema/postgres/billing"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/keys"
)

// Admin is the store of the operator's commands.
type Admin struct {
	*db.DB
	*accountStore
	*keyStore
	*billingStore
}

// The stores of resources that operators change too.
type (
	accountStore = accounts.Store
	keyStore     = keys.Store
	billingStore = billing.Store
)

// New returns the store of the operator's commands.
func New(d *db.DB) *Admin {
	return &Admin{d, accounts.New(d), &keys.Store{DB: d}, &billing.Store{DB: d}}
}

// Workspace returns the live workspace of that name. The error is NotFound where there is none.
func (a *Admin) Workspace(ctx context.Context, name string) (schema.Workspace, error) {
	w, err := workspaceOf(ctx, a.Pool, name, false)
	return w, db.Wrap(err, fmt.Sprintf("finding workspace %q", name))
}

// WorkspacesOf returns the workspaces that are meant by a name: the live one and its sandbox, or that alone,
// as "NAME (sandbox)"; or by the id of one of them. The error is NotFound where there is none.
func (a *Admin) WorkspacesOf(ctx context.Context, text string) ([]schema.WorkspaceID, error) {
	name, isSandbox := strings.CutSuffix(text, schema.SandboxSuffix)
	var id schema.WorkspaceID // of none, unless it is one
	if parsed, err := schema.ParseID[schema.WorkspaceID](text); err == nil {
		id = parsed
	}
	rows, err := a.Pool.Query(ctx, `
		select id from workspaces where name = $1 and (live_id is not null or not $2) or id = $3 order by live_id is not null`, name, isSandbox, id)
	ids, err := db.Collect(rows, err, db.ScanID[schema.WorkspaceID])
	if err == nil && len(ids) == 0 {
		err = &schema.Error{Kind: schema.NotFound, Message: "there is no such workspace"}
	}
	return ids, db.Wrap(err, fmt.Sprintf("finding workspace %q", text))
}

// MakeWorkspace returns the live workspace of that name, or its sandbox twin, and makes what of
// them is not there: the live one with the plan, which is the twin's too. One that is there keeps
// its own.
func (a *Admin) MakeWorkspace(ctx context.Context, name, plan string, sandbox bool) (w schema.Workspace, err error) {
	err = a.InTx(ctx, fmt.Sprintf("making workspace %q", name), func(tx pgx.Tx) error {
		live, err := a.makeWorkspace(ctx, tx, name, plan, nil)
		if err != nil || !sandbox {
			w = live
			return err
		}
		w, err = a.makeWorkspace(ctx, tx, name, live.Plan, &live.ID)
		w.Plan = live.Plan
		return err
	})
	return w, err
}

// makeWorkspace makes a live workspace that is not there, or the twin of live, and returns the
// one that is.
func (a *Admin) makeWorkspace(ctx context.Context, tx pgx.Tx, name, plan string, live *schema.WorkspaceID) (schema.Workspace, error) {
	if live != nil {
		if _, err := tx.Exec(ctx, tables.ShareHolds); err != nil {
			return schema.Workspace{}, err
		}
	}
	id := schema.NewID[schema.WorkspaceID](a.Now())
	tag, err := tx.Exec(ctx, `
		insert into workspaces (id, name, plan, live_id, limits)
		values ($1, $2, $3, $4, coalesce((select limits from workspaces where id = $4), 0))
		on conflict (name, (live_id is null)) do nothing`, id, name, plan, live)
	switch {
	case err != nil:
	case live != nil:
		err = pauseTwin(ctx, tx, *live)
	case tag.RowsAffected() > 0:
		err = audit.Write(ctx, tx, a.Now(), audit.Entry{Action: "workspace.create", Workspace: id, Subject: audit.Of("workspace", id, name)})
	}
	if err != nil {
		return schema.Workspace{}, err
	}
	return workspaceOf(ctx, tx, name, live != nil)
}

// workspaceOf returns the workspace of a name, live or its sandbox twin, or NotFound.
func workspaceOf(ctx context.Context, q db.Querier, name string, sandbox bool) (schema.Workspace, error) {
	w := schema.Workspace{Name: name, Sandbox: sandbox}
	err := q.QueryRow(ctx, `select id, plan, limits from workspaces where name = $1 and (live_id is not null) = $2`, name, sandbox).
		Scan((*[16]byte)(&w.ID), &w.Plan, (*int16)(&w.Limits))
	if errors.Is(err, pgx.ErrNoRows) {
		return w, &schema.Error{Kind: schema.NotFound, Message: "there is no such workspace"}
	}
	return w, err
}

// GivePlan puts the workspace of that name on a plan, which is that of its sandbox too, and
// returns the one before. What the workspace pays for is noted beside it, and leaves it alone until that begins
// again. The error is NotFound where there is no such workspace.
func (a *Admin) GivePlan(ctx context.Context, name, plan string) (before string, err error) {
	err = a.InTx(ctx, fmt.Sprintf("changing the plan of workspace %q", name), func(tx pgx.Tx) error {
		live, err := workspaceOf(ctx, tx, name, false)
		if err != nil {
			return err
		}
		before = live.Plan
		if _, err = tx.Exec(ctx, `update workspaces set plan = $2 where id = $1`, live.ID, plan); err != nil {
			return err
		}
		return audit.Write(ctx, tx, a.Now(), workspaceEntry(live, people.Change{Field: "plan", Before: before, After: plan}))
	})
	return before, err
}

// SetLimits says which limits the posts of a workspace are held to, those of its sandbox too, and returns
// the set before. The error is NotFound where there is no such workspace.
func (a *Admin) SetLimits(ctx context.Context, name string, limits schema.LimitSet) (before schema.LimitSet, err error) {
	err = a.InTx(ctx, fmt.Sprintf("changing the limits of workspace %q", name), func(tx pgx.Tx) error {
		live, err := workspaceOf(ctx, tx, name, false)
		if err != nil {
			return err
		}
		before = live.Limits
		if _, err = tx.Exec(ctx, `update workspaces set limits = $2 where id = $1 or live_id = $1`, live.ID, int16(limits)); err != nil {
			return err
		}
		return audit.Write(ctx, tx, a.Now(), workspaceEntry(live, people.Change{Field: "limits", Before: before.String(), After: limits.String()}))
	})
	return before, err
}

func workspaceEntry(w schema.Workspace, changes ...people.Change) audit.Entry {
	return audit.Entry{Workspace: w.ID, Subject: audit.Of("workspace", w.ID, w.Name), Changes: audit.Differences(changes...)}
}

// Workspaces returns the live workspaces whose names come after one, by name. One that is being
// deleted is left out.
func (a *Admin) Workspaces(ctx context.Context, after string, limit int) ([]schema.Workspace, error) {
	rows, err := a.Pool.Query(ctx, `
		select id, name, plan, limits from workspaces
		where live_id is null and deleting_at is null and name > $1 order by name limit $2`, after, limit)
	all, err := db.Collect(rows, err, func(row pgx.Row, w *schema.Workspace) error {
		return row.Scan((*[16]byte)(&w.ID), &w.Name, &w.Plan, (*int16)(&w.Limits))
	})
	return all, db.Wrap(err, "listing workspaces")
}

// RevokeKey ends a key, or leaves one that has ended. The error is NotFound where there is
// no such key.
func (a *Admin) RevokeKey(ctx context.Context, hash [32]byte) error {
	err := pgx.BeginFunc(ctx, a.Pool, func(tx pgx.Tx) error {
		var k schema.KeyRecord
		err := tx.QueryRow(ctx, `
			update api_keys set revoked_at = coalesce(revoked_at, now()) where hash = $1 returning id, workspace_id, name`, hash[:]).
			Scan((*[16]byte)(&k.ID), (*[16]byte)(&k.Workspace), &k.Name)
		if err != nil {
			return db.OrNotFound(err, "key")
		}
		return audit.Write(ctx, tx, a.Now(), audit.Entry{Workspace: k.Workspace, Subject: audit.Of("key", k.ID, k.Name)})
	})
	if err != nil && schema.KindOf(err) != schema.NotFound {
		return db.Wrap(err, "revoking a key")
	}
	if err != nil {
		return &schema.Error{Kind: schema.NotFound, Message: "there is no such key; give it whole, as it was shown when it was made"}
	}
	return nil
}

// AccountID returns the id under which an account is stored: that of an account which is
// connected already, or a new one. Its credentials are sealed with it.
func (a *Admin) AccountID(ctx context.Context, account schema.Account) (schema.AccountID, error) {
	id := schema.NewID[schema.AccountID](a.Now())
	err := a.Pool.QueryRow(ctx, `
		select id from accounts where workspace_id = $1 and platform = $2 and native_id = $3 and server = $4`,
		account.Workspace, account.Platform, account.NativeID, account.Server).Scan((*[16]byte)(&id))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return id, db.Wrap(err, "finding an account")
	}
	return id, nil
}

// PutAccount stores an account, or new credentials of one that is there. The error is
// PlanLimitReached where the workspace's plan has no room for another.
func (a *Admin) PutAccount(ctx context.Context, account schema.Account) error {
	return a.InTx(ctx, "storing an account", func(tx pgx.Tx) error {
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
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, a.Now(), tables.AccountEntry(account))
	})
}

// Twin returns the sandbox twin of a live workspace, and makes it if it is not there.
func (a *Admin) Twin(ctx context.Context, live schema.WorkspaceID) (schema.WorkspaceID, error) {
	var twin schema.WorkspaceID
	err := pgx.BeginFunc(ctx, a.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, tables.ShareHolds); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into workspaces (id, name, plan, live_id, limits)
			select $2, name, plan, id, limits from workspaces where id = $1 and live_id is null and deleting_at is null
			on conflict do nothing`, live, schema.NewID[schema.WorkspaceID](a.Now()))
		if err == nil {
			err = pauseTwin(ctx, tx, live)
		}
		if err == nil {
			err = tx.QueryRow(ctx, `select id from workspaces where live_id = $1`, live).Scan((*[16]byte)(&twin))
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return twin, db.NotFound("workspace")
	}
	return twin, db.Wrap(err, "making a sandbox")
}

// admitAccount refuses an account that the plan of its workspace has no room for; one
// that is connected already has its place.
func admitAccount(ctx context.Context, tx pgx.Tx, account schema.Account) error {
	remaining, err := accounts.Remaining(ctx, tx, account.Workspace)
	if err != nil || remaining > 0 {
		return err
	}
	var connected bool
	err = tx.QueryRow(ctx, `select exists (select from accounts where id = $1 and disconnected_at is null)`, account.ID).Scan(&connected)
	if err != nil || connected {
		return err
	}
	return &schema.Error{Kind: schema.PlanLimitReached, Message: "the plan of the workspace has no room for another connected account"}
}

// WorkspaceOfKey returns the workspace that a key is of, or NotFound.
func (a *Admin) WorkspaceOfKey(ctx context.Context, id schema.KeyID) (workspace schema.WorkspaceID, err error) {
	err = a.Pool.QueryRow(ctx, `select workspace_id from api_keys where id = $1`, id).Scan((*[16]byte)(&workspace))
	return workspace, db.OrNotFound(err, "key")
}

// WorkspaceOfAccount returns the workspace that an account is of, or NotFound.
func (a *Admin) WorkspaceOfAccount(ctx context.Context, id schema.AccountID) (workspace schema.WorkspaceID, err error) {
	err = a.Pool.QueryRow(ctx, `select workspace_id from accounts where id = $1`, id).Scan((*[16]byte)(&workspace))
	return workspace, db.OrNotFound(err, "account")
}
