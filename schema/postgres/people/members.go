package people

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
)

// Members returns those of a live workspace, by their addresses.
func (s *Store) Members(ctx context.Context, workspace schema.WorkspaceID) ([]people.Member, error) {
	rows, err := s.Pool.Query(ctx, `
		select u.id, u.email, u.name, m.role, m.created_at,
			(select max(s.seen_at) from sessions s where s.user_id = u.id and s.workspace_id = m.workspace_id)
		from memberships m join users u on u.id = m.user_id where m.workspace_id = $1 order by u.email limit $2`, workspace, people.MaxMembers)
	all, err := db.Collect(rows, err, func(row pgx.Row, m *people.Member) error {
		return row.Scan((*[16]byte)(&m.User), &m.Email, &m.Name, (*int16)(&m.Role), &m.JoinedAt, db.OrZero(&m.SeenAt))
	})
	return all, db.Wrap(err, "reading members")
}

// ChangeMember gives a member another role, which is theirs from then on, whatever an issuer's groups gave. The error is NotFound where there is no such member, Forbidden
// where the role of whoever asks does not reach the member's or the new one, and InvalidState where the
// workspace would have no owner.
func (s *Store) ChangeMember(ctx context.Context, c people.MemberChange) error {
	return s.InTx(ctx, "changing a member", func(tx pgx.Tx) error {
		was, err := lockMember(ctx, tx, c)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update memberships set role = $3, given_by = null where workspace_id = $1 and user_id = $2`, c.Workspace, c.User, int16(c.Role)); err != nil {
			return err
		}
		if err := withdrawBeyond(ctx, tx, c); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), memberEntry(c.Workspace, c.User, was.name, people.Change{Field: "role", Before: was.role.String(), After: c.Role.String()}))
	})
}

// RemoveMember ends a membership, with the sessions that work on the workspace, and the API keys that the
// member has made there if that is wanted. It fails as ChangeMember does.
func (s *Store) RemoveMember(ctx context.Context, c people.MemberChange) error {
	return s.InTx(ctx, "removing a member", func(tx pgx.Tx) error {
		was, err := lockMember(ctx, tx, c)
		if err != nil {
			return err
		}
		if err := withdrawBeyond(ctx, tx, c); err != nil {
			return err
		}
		if err := leave(ctx, tx, c); err != nil {
			return err
		}
		var ended []audit.Entry
		if c.EndsKeys {
			if ended, err = endKeys(ctx, tx, c); err != nil {
				return err
			}
		}
		return audit.Write(ctx, tx, s.Now(), append(ended, memberEntry(c.Workspace, c.User, was.name, people.Change{Field: "role", Before: was.role.String()}))...)
	})
}

// endKeys ends the API keys that a member has made in a workspace and its sandbox, and returns what the audit log says
// of them.
func endKeys(ctx context.Context, tx pgx.Tx, c people.MemberChange) ([]audit.Entry, error) {
	rows, err := tx.Query(ctx, `
		update api_keys k set revoked_at = now() from workspaces w
		where w.id = k.workspace_id and (w.id = $1 or w.live_id = $1) and k.made_by = $2 and k.revoked_at is null
		returning k.id, k.name, k.workspace_id`, c.Workspace, c.User)
	return db.Collect(rows, err, func(row pgx.Row, e *audit.Entry) error {
		var id schema.KeyID
		var name string
		err := row.Scan((*[16]byte)(&id), &name, (*[16]byte)(&e.Workspace))
		e.Action, e.Subject = "key.revoke", audit.Of("key", id, name)
		return err
	})
}

// memberEntry is what the audit log says of a member.
func memberEntry(workspace schema.WorkspaceID, user schema.UserID, name string, changes ...people.Change) audit.Entry {
	return audit.Entry{Workspace: workspace, Subject: audit.Of("user", user, name), Changes: audit.Differences(changes...)}
}

// formerMember is a member before a change.
type formerMember struct {
	name string
	role people.Role
}

// lockMember lets changes of a workspace's members happen in turn, and refuses what whoever asks may not do.
func lockMember(ctx context.Context, tx pgx.Tx, c people.MemberChange) (was formerMember, err error) {
	if err := lockWorkspace(ctx, tx, c.Workspace); err != nil {
		return was, err
	}
	var owners int
	err = tx.QueryRow(ctx, `
		select u.name, m.role, (select count(*) from memberships o where o.workspace_id = m.workspace_id and o.role = $3)
		from memberships m join users u on u.id = m.user_id
		where m.workspace_id = $1 and m.user_id = $2`, c.Workspace, c.User, int16(people.Owner)).Scan(&was.name, (*int16)(&was.role), &owners)
	if err != nil {
		return was, db.OrNotFound(err, "member")
	}
	if err := mayManage(ctx, tx, c.Workspace, c.By, max(was.role, c.Role)); err != nil {
		return was, err
	}
	if was.role == people.Owner && c.Role != people.Owner && owners == 1 {
		return was, &schema.Error{Kind: schema.InvalidState, Message: "this is the workspace's last owner; make another one first"}
	}
	return was, nil
}

// mayManage refuses what the role of a member does not reach that they have now: their request may have waited
// for a change of it.
func mayManage(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, by schema.UserID, role people.Role) error {
	var has people.Role
	err := tx.QueryRow(ctx, `select coalesce((select role from memberships where workspace_id = $1 and user_id = $2), 0)`, workspace, by).Scan((*int16)(&has))
	switch {
	case err != nil:
		return err
	case has < people.Admin:
		return &schema.Error{Kind: schema.Forbidden, Message: "this needs the role " + people.Admin.String()}
	case role > has:
		return &schema.Error{Kind: schema.Forbidden, Message: "only an owner invites, makes, changes or removes an owner"}
	default:
		return nil
	}
}

// lockWorkspace lets changes of a live workspace's members happen in turn.
func lockWorkspace(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) error {
	return db.ExecOr(ctx, tx, db.NotFound("workspace"), `select from workspaces where id = $1 and live_id is null and deleting_at is null for no key update`, workspace)
}

// withdrawBeyond withdraws the invitations of a member that they could not make any more.
func withdrawBeyond(ctx context.Context, tx pgx.Tx, c people.MemberChange) error {
	_, err := tx.Exec(ctx, `
		delete from invitations where workspace_id = $1 and invited_by = $2 and ($3::smallint < $4 or role > $3)`,
		c.Workspace, c.User, int16(c.Role), int16(people.Admin))
	return err
}
