package people

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
)

// Memberships returns those of a user, by the names of workspaces.
func (s *Store) Memberships(ctx context.Context, user schema.UserID) ([]people.Membership, error) {
	rows, err := s.Pool.Query(ctx, `
		select w.id, w.name, m.role from memberships m
		join workspaces w on w.id = m.workspace_id and w.deleting_at is null
		where m.user_id = $1 order by w.name limit 1000`, user)
	all, err := db.Collect(rows, err, scanMembership)
	return all, db.Wrap(err, "reading memberships")
}

func scanMembership(row pgx.Row, m *people.Membership) error {
	return row.Scan((*[16]byte)(&m.Workspace), &m.Name, (*int16)(&m.Role))
}

// Users returns a page of users by their addresses, after one, with their memberships.
func (s *Store) Users(ctx context.Context, after string, limit int) ([]people.User, error) {
	rows, err := s.Pool.Query(ctx, `
		select id, email, name, is_operator, confirmed_at is not null, created_at from users where email > $1 order by email limit $2`, after, limit)
	all, err := db.Collect(rows, err, scanUser)
	for i := 0; err == nil && i < len(all); i++ {
		all[i].Memberships, err = s.Memberships(ctx, all[i].ID)
	}
	return all, db.Wrap(err, "reading users")
}

func scanUser(row pgx.Row, u *people.User) error {
	return row.Scan((*[16]byte)(&u.ID), &u.Email, &u.Name, &u.IsOperator, &u.IsProven, &u.CreatedAt)
}

// UserOf returns the user of an address. The error is NotFound where there is none.
func (s *Store) UserOf(ctx context.Context, email string) (u people.User, err error) {
	err = scanUser(s.Pool.QueryRow(ctx, `select id, email, name, is_operator, confirmed_at is not null, created_at from users where email = $1`, email), &u)
	return u, db.OrNotFound(err, "user")
}

// LastOf returns the names of the workspaces whose last owner a user is, and whether they are the only operator.
func (s *Store) LastOf(ctx context.Context, user schema.UserID) (workspaces []string, operator bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		select u.is_operator and not exists (select from users o where o.is_operator and o.id <> u.id), array(
			select w.name from memberships m join workspaces w on w.id = m.workspace_id and w.deleting_at is null
			where m.user_id = u.id and m.role = $2
				and not exists (select from memberships o where o.workspace_id = m.workspace_id and o.role = $2 and o.user_id <> u.id)
			order by w.name)
		from users u where u.id = $1`, user, int16(people.Owner)).Scan(&operator, &workspaces)
	return workspaces, operator, db.OrNotFound(err, "user")
}

// AddUser makes a user, unless there is one of that address, and makes them the member of a workspace, if one
// is given, with its role: it returns the user as they are then. Somebody who became a user by an invitation
// has not shown that the address is theirs: their password and sessions end.
func (s *Store) AddUser(ctx context.Context, u people.User, m people.Membership) (people.User, error) {
	err := s.InTx(ctx, "adding a user", func(tx pgx.Tx) error {
		err := scanUser(tx.QueryRow(ctx, `
			insert into users (id, email, name, is_operator, created_at, confirmed_at) values (@id, @email, @name, @operator, @created, @created)
			on conflict (email) do update set is_operator = users.is_operator or excluded.is_operator
			returning id, email, name, is_operator, confirmed_at is not null, created_at`, pgx.StrictNamedArgs{
			"id": u.ID, "email": u.Email, "name": u.Name, "operator": u.IsOperator, "created": u.CreatedAt,
		}), &u)
		if err != nil {
			return err
		}
		if err := s.doubt(ctx, tx, u.ID, m.Workspace); err != nil {
			return err
		}
		if !m.Workspace.IsZero() {
			if err := s.putMembership(ctx, tx, u, m); err != nil {
				return err
			}
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{
			Subject: audit.Of("user", u.ID, u.Name), Changes: audit.Differences(operatorChange(u.IsOperator)),
		})
	})
	return u, err
}

// operatorChange tells of the mark of a user who has it from then on.
func operatorChange(is bool) people.Change {
	return people.Change{Field: "operator", After: map[bool]string{true: "yes"}[is]}
}

// doubt takes the sessions of a user whose address is not known to be theirs, and all by which they sign in, with
// what an issuer's groups gave them and what they have invited by it: from now on it is that of whom the operator
// means. Somebody who signs in meanwhile holds the way by which they do, so that their session is there once that is
// taken. The last owner goes too: else whoever has the address would own what a group's people have. next is the
// workspace that they become a member of, which is locked with the others, in one order.
func (s *Store) doubt(ctx context.Context, tx pgx.Tx, user schema.UserID, next schema.WorkspaceID) error {
	var name string
	err := tx.QueryRow(ctx, `update users set password = null, confirmed_at = now() where id = $1 and confirmed_at is null returning name`, user).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`delete from passkeys where user_id = $1`, user)
	b.Queue(`delete from identities where user_id = $1`, user)
	b.Queue(`delete from email_changes where user_id = $1`, user)
	b.Queue(`delete from ceremonies where user_id = $1`, user)
	b.Queue(`
		select from workspaces where id = any(array(select workspace_id from memberships where user_id = $1 and given_by is not null) || $2::uuid)
		order by id for no key update`, user, next) // as where members change, so that nobody is invited meanwhile
	var ended []audit.Entry
	b.Queue(`
		with ended as (
			delete from memberships where user_id = $1 and given_by is not null returning workspace_id, role
		), withdrawn as (
			delete from invitations where invited_by = $1 and workspace_id in (select workspace_id from ended)
		)
		select workspace_id, role from ended`, user).Query(func(rows pgx.Rows) (err error) {
		ended, err = collectEnded(rows, nil, user, name)
		return err
	})
	b.Queue(`delete from sessions where user_id = $1`, user)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return audit.Write(ctx, tx, s.Now(), ended...)
}

// collectEnded reads the memberships of a user that end, workspace and role, as what the audit log says of them.
func collectEnded(rows pgx.Rows, err error, user schema.UserID, name string) ([]audit.Entry, error) {
	return db.Collect(rows, err, func(row pgx.Row, e *audit.Entry) error {
		var workspace schema.WorkspaceID
		var role people.Role
		err := row.Scan((*[16]byte)(&workspace), (*int16)(&role))
		*e = memberEntry(workspace, user, name, people.Change{Field: "role", Before: role.String()})
		e.Action = "member.remove"
		return err
	})
}

// putMembership makes a user a member, or changes what the member may do, as ChangeMember does.
func (s *Store) putMembership(ctx context.Context, tx pgx.Tx, u people.User, m people.Membership) error {
	if err := lockWorkspace(ctx, tx, m.Workspace); err != nil {
		return err
	}
	var before people.Role
	err := tx.QueryRow(ctx, `
		with before as (select role from memberships where workspace_id = $1 and user_id = $2), given as (
			insert into memberships (workspace_id, user_id, role) values ($1, $2, $3)
			on conflict (workspace_id, user_id) do update set role = excluded.role, given_by = null
		)
		select coalesce((select role from before), 0)`, m.Workspace, u.ID, int16(m.Role)).Scan((*int16)(&before))
	if err != nil {
		return err
	}
	if err := withdrawBeyond(ctx, tx, people.MemberChange{Workspace: m.Workspace, User: u.ID, Role: m.Role}); err != nil || before == m.Role {
		return err
	}
	e := memberEntry(m.Workspace, u.ID, u.Name, people.Change{Field: "role", Before: roleName(before), After: roleName(m.Role)})
	e.Action = memberAction(before, m.Role)
	return audit.Write(ctx, tx, s.Now(), e)
}

// RemoveUser removes a user with their memberships and sessions, the invitations that they have made, by which
// they would come back, and their name from the audit log. The error is NotFound where there is none.
func (s *Store) RemoveUser(ctx context.Context, email string) error {
	user, err := s.UserOf(ctx, email)
	if err == nil {
		err = forgetName(ctx, s.Pool, user.ID) // most of it, so that the transaction is short
	}
	if err != nil {
		return db.Wrap(err, "removing a user")
	}
	return s.InTx(ctx, "removing a user", func(tx pgx.Tx) error {
		var id schema.UserID
		if err := tx.QueryRow(ctx, `select id from users where email = $1 for update`, email).Scan((*[16]byte)(&id)); err != nil {
			return db.OrNotFound(err, "user")
		}
		rows, err := tx.Query(ctx, `select workspace_id, role from memberships where user_id = $1`, id)
		ended, err := collectEnded(rows, err, id, people.RemovedUser)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`delete from invitations where invited_by = $1`, id)
		b.Queue(`delete from device_requests where user_id = $1`, id) // before memberships, in the order of who makes their keys
		b.Queue(`delete from mails where recipient = $1 or about = $2`, email, id)
		b.Queue(`delete from mail_choices where email = $1`, email)
		b.Queue(`delete from mail_recipients where email = $1`, email)
		b.Queue(`delete from users where id = $1`, id)
		b.Queue(`update audit set subject_name = $3 where subject = 'user' and subject_id = $1 or subject = 'invitation' and subject_name = $2`,
			id.String(), email, people.RemovedUser)
		for _, e := range append(ended, audit.Entry{Subject: audit.Of("user", id, people.RemovedUser)}) {
			audit.Queue(ctx, b, s.Now(), e)
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		return forgetName(ctx, tx, id) // what came since
	})
}
