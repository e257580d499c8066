package people

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
)

// isLetIn reports whether an issuer's groups give somebody a role in a workspace that there is.
func isLetIn(ctx context.Context, tx pgx.Tx, t people.Testimony) (is bool, err error) {
	err = tx.QueryRow(ctx, `
		select exists (select from workspaces where name = any($1) and live_id is null and deleting_at is null)`, givenIn(t)).Scan(&is)
	return is, err
}

func givenIn(t people.Testimony) []string {
	return lists.Map(t.Roles, func(r people.GivenRole) string { return r.Workspace })
}

// heldRole is what a user is in a workspace, and what their groups make them.
type heldRole struct {
	workspace schema.WorkspaceID
	has       people.Role
	wanted    people.Role
}

// takeRoles makes a user what an issuer's groups say at this moment, in the workspaces that they name, and in those
// where the issuer has made them something before, and returns those that they are not a member of any more. What
// people have given is theirs to change, and the last owner stays.
func (s *Store) takeRoles(ctx context.Context, tx pgx.Tx, user schema.UserID, t people.Testimony) (left []schema.WorkspaceID, err error) {
	rows, err := tx.Query(ctx, `
		select w.id, w.name, coalesce(m.role, 0) from workspaces w
		left join memberships m on m.workspace_id = w.id and m.user_id = $1
		where w.id = any(array(
			select workspace_id from memberships where user_id = $1 and given_by = $2
			union all
			select id from workspaces where name = any($3) and live_id is null))
		  and w.deleting_at is null and (m.user_id is null or m.given_by = $2) order by w.id`, user, t.Issuer, givenIn(t))
	held, err := db.Collect(rows, err, func(row pgx.Row, h *heldRole) error {
		var name string
		err := row.Scan((*[16]byte)(&h.workspace), &name, (*int16)(&h.has))
		h.wanted = t.RoleIn(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	held = slices.DeleteFunc(held, func(h heldRole) bool { return h.has == h.wanted })
	for _, h := range held { // by id, so that two users' do not wait for each other
		changed, err := s.takeRole(ctx, tx, people.MemberChange{Workspace: h.workspace, User: user, Role: h.wanted}, t.Issuer)
		if err != nil {
			return nil, err
		}
		if changed && h.wanted == people.Anyone {
			left = append(left, h.workspace)
		}
	}
	return left, nil
}

// takeRole makes a user what an issuer says in one workspace, unless that has changed meanwhile.
func (s *Store) takeRole(ctx context.Context, tx pgx.Tx, c people.MemberChange, issuer string) (changed bool, err error) {
	if err := lockWorkspace(ctx, tx, c.Workspace); err != nil {
		return false, err
	}
	var has people.Role
	var name string
	var isGiven bool
	var owners, members int
	err = tx.QueryRow(ctx, `
		select u.name, coalesce(m.role, 0), coalesce(m.given_by = $3, m.user_id is null),
			(select count(*) from memberships where workspace_id = $1 and role = $4),
			(select count(*) from memberships where workspace_id = $1) + (select count(*) from invitations where workspace_id = $1 and expires_at > now())
		from users u left join memberships m on m.workspace_id = $1 and m.user_id = u.id where u.id = $2`,
		c.Workspace, c.User, issuer, int16(people.Owner)).Scan(&name, (*int16)(&has), &isGiven, &owners, &members)
	switch {
	case err != nil:
		return false, err
	case !isGiven, has == c.Role, has == people.Anyone && members >= people.MaxMembers, has == people.Owner && owners == 1:
		return false, nil
	case c.Role == people.Anyone:
		err = leave(ctx, tx, c)
	default:
		_, err = tx.Exec(ctx, `
			insert into memberships (workspace_id, user_id, role, given_by) values ($1, $2, $3, $4)
			on conflict (workspace_id, user_id) do update set role = excluded.role`, c.Workspace, c.User, int16(c.Role), issuer)
	}
	if err != nil {
		return false, err
	}
	if err := withdrawBeyond(ctx, tx, c); err != nil {
		return false, err
	}
	e := memberEntry(c.Workspace, c.User, name, people.Change{Field: "role", Before: roleName(has), After: roleName(c.Role)})
	e.Action, e.By = memberAction(has, c.Role), groupsOf(issuer)
	return true, audit.Write(ctx, tx, s.Now(), e)
}

// memberAction is what the audit log calls a change of a role, as where people make it.
func memberAction(before, after people.Role) string {
	switch people.Anyone {
	case before:
		return "member.join"
	case after:
		return "member.remove"
	default:
		return "member.change"
	}
}

// roleName is a role in words; empty for none.
func roleName(r people.Role) string {
	if r == people.Anyone {
		return ""
	}
	return r.String()
}

// leave ends a membership, with the sessions that work on the workspace.
func leave(ctx context.Context, tx pgx.Tx, c people.MemberChange) error {
	b := &pgx.Batch{}
	b.Queue(`delete from memberships where workspace_id = $1 and user_id = $2`, c.Workspace, c.User)
	b.Queue(`delete from sessions where workspace_id = $1 and user_id = $2`, c.Workspace, c.User)
	return tx.SendBatch(ctx, b).Close()
}
