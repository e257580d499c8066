// Package keys keeps API keys: how they are made, rotated and ended, also by those who
// register a workspace.
package keys

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store keeps keys.
type Store struct{ *db.DB }

// maxKeys are the keys that may work at a time: of a workspace, and of its sandbox twin.
const maxKeys = 100

func scanKey(row pgx.Row, k *schema.KeyRecord) error {
	return row.Scan((*[16]byte)(&k.ID), (*[16]byte)(&k.Lineage), (*[16]byte)(&k.Workspace), &k.Sandbox, &k.Name, &k.Prefix, &k.Permission,
		&k.CreatedAt, db.OrZero(&k.LastUsedAt), db.OrZero(&k.ExpiresAt), db.OrZero(&k.RevokedAt), db.OrZero(&k.SuspendedAt), db.OrZero(&k.SuspendedUntil),
		&k.Networks, (*[16]byte)(&k.MadeBy))
}

// Keys returns a page of the keys that a workspace manages, newest first, and how many
// there are.
func (s *Store) Keys(ctx context.Context, workspace schema.WorkspaceID, limit, offset int) (keys []schema.KeyRecord, total int, err error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {key_columns} {managed_keys} order by k.id desc limit $2 offset $3`), workspace, limit, offset)
	keys, err = db.Collect(rows, err, scanKey)
	if err == nil {
		err = s.Pool.QueryRow(ctx, sql.Text(`select count(*) {managed_keys}`), workspace).Scan(&total)
	}
	return keys, total, db.Wrap(err, "reading keys")
}

// Key returns a key that a workspace manages.
func (s *Store) Key(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) (schema.KeyRecord, error) {
	var k schema.KeyRecord
	return k, db.OrNotFound(scanKey(s.Pool.QueryRow(ctx, sql.Text(`select {key_columns} {managed_keys} and k.id = $2`), workspace, id), &k), "key")
}

// CreateKey stores a key by its hash. The error is InvalidState where the workspace has as
// many as it may, and Forbidden where the member who makes it may not give it by now.
func (s *Store) CreateKey(ctx context.Context, k schema.KeyRecord, hash [32]byte) error {
	return s.InTx(ctx, "creating a key", func(tx pgx.Tx) error {
		if err := tables.LockWorkspace(ctx, tx, k.Workspace); err != nil {
			return err
		}
		if err := mayGive(ctx, tx, k); err != nil {
			return err
		}
		if err := insertKey(ctx, tx, k, hash); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), creationEntry(k))
	})
}

// mayGive refuses a key that a member makes whose role does not reach it by now: their request may have waited for
// a change of it. The end of the membership waits for the key, and can end it.
func mayGive(ctx context.Context, tx pgx.Tx, k schema.KeyRecord) error {
	if k.MadeBy.IsZero() {
		return nil
	}
	role, err := lockRole(ctx, tx, k.Workspace, k.MadeBy)
	if err == nil && k.Permission > role.Grants() {
		err = &schema.Error{Kind: schema.Forbidden, Message: "your role in the workspace does not reach this key"}
	}
	return err
}

// lockRole returns the role of a user in a workspace, of a sandbox in its live one, as it stays until the end of
// the transaction; people.Anyone: none.
func lockRole(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, user schema.UserID) (role people.Role, err error) {
	err = tx.QueryRow(ctx, `
		select m.role from memberships m join workspaces w on coalesce(w.live_id, w.id) = m.workspace_id
		where w.id = $1 and m.user_id = $2 for share of m`, workspace, user).Scan((*int16)(&role))
	if errors.Is(err, pgx.ErrNoRows) {
		return people.Anyone, nil
	}
	return role, err
}

// creationEntry is the entry of the audit log for a new key.
func creationEntry(k schema.KeyRecord) audit.Entry {
	return audit.Entry{Workspace: k.Workspace, Subject: audit.Of("key", k.ID, k.Name), Changes: audit.Differences(
		people.Change{Field: "permission", After: strings.Join(k.Permission.Names(), ", ")},
		people.Change{Field: "networks", After: strings.Trim(fmt.Sprint(k.Networks), "[]")},
		people.Change{Field: "expires", After: audit.Time(k.ExpiresAt)},
	)}
}

func insertKey(ctx context.Context, tx pgx.Tx, k schema.KeyRecord, hash [32]byte) error {
	return db.ExecOr(ctx, tx, tables.InvalidState(fmt.Sprintf("the workspace has %d keys, as many as it may; revoke one first", maxKeys)), `
		insert into api_keys (id, lineage, workspace_id, name, prefix, hash, permission, created_at, suspended_at, suspended_until, expires_at, networks, made_by)
		select @id, @lineage, @workspace, @name, @prefix, @hash, @permission, @created, @suspended, @until, @expires::timestamptz, coalesce(@networks::cidr[], '{}'), @maker::uuid
		where (select count(*) from api_keys k where k.workspace_id = @workspace and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) < @most`, pgx.StrictNamedArgs{
		"id": k.ID, "lineage": k.Lineage, "workspace": k.Workspace, "name": k.Name, "prefix": k.Prefix, "hash": hash[:],
		"permission": int16(k.Permission), "created": k.CreatedAt, "suspended": db.OrNull(k.SuspendedAt), "until": db.OrNull(k.SuspendedUntil),
		"expires": db.OrNull(k.ExpiresAt), "networks": k.Networks, "maker": k.MadeBy, "most": maxKeys,
	})
}

// RotateKey stores the successor of a key: of its lineage, with its name, permission, networks and end, and its
// maker unless a member rotates it. The error is InvalidState if the key was revoked or has expired.
func (s *Store) RotateKey(ctx context.Context, workspace schema.WorkspaceID, r schema.KeyRotation) (schema.KeyRecord, error) {
	successor := r.Successor
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		old, err := lockKey(ctx, tx, workspace, r.Key)
		if err != nil {
			return err
		}
		if !old.RevokedAt.IsZero() || (!old.ExpiresAt.IsZero() && !old.ExpiresAt.After(s.Now())) {
			return &schema.Error{Kind: schema.InvalidState, Message: "the key has ended; make another one"}
		}
		successor.Lineage, successor.Workspace, successor.Sandbox = old.Lineage, old.Workspace, old.Sandbox
		successor.Name, successor.Permission, successor.Networks = old.Name, old.Permission, old.Networks
		successor.SuspendedAt, successor.SuspendedUntil = old.SuspendedAt, old.SuspendedUntil
		if err := mayGive(ctx, tx, successor); err != nil {
			return err
		}
		if successor.MadeBy.IsZero() {
			successor.MadeBy = old.MadeBy
		}
		if successor.ExpiresAt, err = endOf(ctx, tx, old.Lineage); err != nil {
			return err
		}
		if err := insertKey(ctx, tx, successor, r.Hash); err != nil {
			return err
		}
		if err := succeed(ctx, tx, r, s.Now().Add(r.Overlap)); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{
			Workspace: old.Workspace, Subject: audit.Of("key", r.Key, old.Name), Changes: audit.Differences(
				people.Change{Field: "key", Before: old.Prefix, After: successor.Prefix},
				people.Change{Field: "works until", After: audit.Time(s.Now().Add(r.Overlap))},
			),
		})
	})
	return successor, db.Wrap(db.OrNotFound(err, "key"), "rotating a key")
}

// endOf returns when the keys of a lineage end for good; zero: never. The newest of them has no overlap yet.
func endOf(ctx context.Context, tx pgx.Tx, lineage schema.KeyID) (end time.Time, err error) {
	err = tx.QueryRow(ctx, `select expires_at from api_keys where lineage = $1 order by id desc limit 1`, lineage).Scan(db.OrZero(&end))
	return end, err
}

// succeed lets a key end, whose successor is a device's as it was.
func succeed(ctx context.Context, tx pgx.Tx, r schema.KeyRotation, end time.Time) error {
	b := &pgx.Batch{}
	b.Queue(`
		update api_keys k set by_device = old.by_device
		from api_keys old where k.id = $1 and old.id = $2`, r.Successor.ID, r.Key)
	b.Queue(`update api_keys set expires_at = least(expires_at, $2) where id = $1`, r.Key, end)
	return tx.SendBatch(ctx, b).Close()
}

// lockKey reads a key for a change, in turn with others of its workspace.
func lockKey(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.KeyID) (schema.KeyRecord, error) {
	var k schema.KeyRecord
	err := tx.QueryRow(ctx, sql.Text(`select w.id {managed_keys} and k.id = $2 for no key update of w`), workspace, id).Scan((*[16]byte)(&k.Workspace))
	if err != nil {
		return k, err
	}
	err = scanKey(tx.QueryRow(ctx, sql.Text(`select {key_columns} {managed_keys} and k.id = $2 for no key update of k`), workspace, id), &k)
	return k, err
}

// EndKey revokes a key for good. The error is InvalidState where nobody could manage the
// workspace's keys any more.
func (s *Store) EndKey(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		k, err := lockKey(ctx, tx, workspace, id)
		if err != nil || !k.RevokedAt.IsZero() {
			return err
		}
		if !k.Sandbox && k.Permission == schema.Admin {
			if err := othersManage(ctx, tx, k); err != nil {
				return err
			}
		}
		if _, err = tx.Exec(ctx, `update api_keys set revoked_at = now() where id = $1`, id); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: k.Workspace, Subject: audit.Of("key", id, k.Name)})
	})
	return db.Wrap(db.OrNotFound(err, "key"), "revoking a key")
}

// Unsuspend ends the suspension of a key, and forgets what it was suspended for: it is suspended again by as many
// refusals as before. A key that is not suspended stays as it is.
func (s *Store) Unsuspend(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) (k schema.KeyRecord, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		k, err = lockKey(ctx, tx, workspace, id)
		if err != nil || !k.SuspendedUntil.After(s.Now()) {
			return err
		}
		before := k.SuspendedUntil
		k.SuspendedAt, k.SuspendedUntil = time.Time{}, time.Time{}
		b := &pgx.Batch{}
		b.Queue(`update api_keys set suspended_at = null, suspended_until = null where id = $1`, id)
		b.Queue(`delete from request_windows where subject = $1`, tables.RefusalsOf(id))
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: k.Workspace, Subject: audit.Of("key", id, k.Name), Changes: audit.Differences(
			people.Change{Field: "suspended until", Before: audit.Time(before)},
		)})
		return tx.SendBatch(ctx, b).Close()
	})
	return k, db.Wrap(db.OrNotFound(err, "key"), "ending the suspension of a key")
}

// othersManage fails where a key is the last that can manage its workspace's keys for good.
func othersManage(ctx context.Context, tx pgx.Tx, k schema.KeyRecord) error {
	var others bool
	err := tx.QueryRow(ctx, `
		select exists (select from api_keys where workspace_id = $1 and id <> $2 and permission = $3 and revoked_at is null and expires_at is null)`,
		k.Workspace, k.ID, int16(schema.Admin)).Scan(&others)
	if err != nil || others {
		return err
	}
	return &schema.Error{Kind: schema.InvalidState, Message: "this is the workspace's last live key with the permission admin; make another one first, or rotate it"}
}
