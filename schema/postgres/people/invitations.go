package people

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Invite stores an invitation by the hash of its token, and reports whether it also goes by mail, with another one.
// One before of the same address ends. The error is Forbidden where the role of whoever invites does not reach the
// invitation's, and InvalidState where somebody is a member already, or the workspace has as many as it may.
func (s *Store) Invite(ctx context.Context, i people.Invitation, hash [32]byte) (mailed bool, err error) {
	err = s.InTx(ctx, "inviting somebody", func(tx pgx.Tx) error {
		if err := mayInvite(ctx, tx, i); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`delete from invitations where workspace_id = $1 and (email = $2 or expires_at <= now())`, i.Workspace, i.Email)
		tables.QueueInvitation(b, i, hash)
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: i.Workspace, Subject: audit.Of("invitation", i.ID, i.Email), Changes: audit.Differences(
			people.Change{Field: "role", After: i.Role.String()},
		)})
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		mailed, err = tables.PutMail(ctx, s.DB, tx, people.Mail{Kind: people.MailInvitation, About: i.Workspace, Recipient: i.Email})
		return err
	})
	return mailed, err
}

// mayInvite refuses an invitation that whoever invites may not make by now, or that has no room; other changes of the
// workspace's members wait.
func mayInvite(ctx context.Context, tx pgx.Tx, i people.Invitation) error {
	if err := lockWorkspace(ctx, tx, i.Workspace); err != nil {
		return err
	}
	if err := mayManage(ctx, tx, i.Workspace, i.InvitedBy, i.Role); err != nil {
		return err
	}
	var isMember bool
	var have int
	err := tx.QueryRow(ctx, `
		select exists (select from memberships m join users u on u.id = m.user_id where m.workspace_id = $1 and u.email = $2),
			(select count(*) from memberships where workspace_id = $1) +
			(select count(*) from invitations where workspace_id = $1 and email <> $2 and expires_at > now())`, i.Workspace, i.Email).Scan(&isMember, &have)
	switch {
	case err != nil:
		return err
	case isMember:
		return &schema.Error{Kind: schema.InvalidState, Message: i.Email + " is a member already"}
	case have >= people.MaxMembers:
		return &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("the workspace has %d members and invitations, as many as it may", people.MaxMembers)}
	default:
		return nil
	}
}

func scanInvitation(row pgx.Row, i *people.Invitation) error {
	return row.Scan((*[16]byte)(&i.ID), (*[16]byte)(&i.Workspace), &i.Email, (*int16)(&i.Role), (*[16]byte)(&i.InvitedBy), &i.CreatedAt, &i.ExpiresAt, &i.Mailed)
}

// Invitations returns those of a live workspace that can be accepted, the newest first.
func (s *Store) Invitations(ctx context.Context, workspace schema.WorkspaceID) ([]people.Invitation, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {invitation_columns} and i.workspace_id = $1 order by i.created_at desc, i.id desc limit $2`), workspace, people.MaxMembers)
	all, err := db.Collect(rows, err, scanInvitation)
	return all, db.Wrap(err, "reading invitations")
}

// Withdraw ends an invitation. The error is NotFound where the workspace has no such one.
func (s *Store) Withdraw(ctx context.Context, workspace schema.WorkspaceID, id schema.InvitationID) error {
	return s.InTx(ctx, "withdrawing an invitation", func(tx pgx.Tx) error {
		var email string
		err := tx.QueryRow(ctx, `delete from invitations where workspace_id = $1 and id = $2 returning email`, workspace, id).Scan(&email)
		if err != nil {
			return db.OrNotFound(err, "invitation")
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("invitation", id, email)})
	})
}

// Invitation returns the one of a token's hash, and who has its address; zero: nobody. The error is
// Unauthorized where it cannot be accepted, or not any more.
func (s *Store) Invitation(ctx context.Context, hash [32]byte) (i people.Invitation, user schema.UserID, err error) {
	err = scanInvitation(s.Pool.QueryRow(ctx, sql.Text(`select {invitation_columns} and (i.hash = $1 or i.mail_hash = $1)`), hash[:]), &i)
	if err != nil {
		return i, user, invitationEnded(err)
	}
	err = s.Pool.QueryRow(ctx, `select id from users where email = $1`, i.Email).Scan((*[16]byte)(&user))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return i, user, db.Wrap(err, "looking for who is invited")
	}
	return i, user, nil
}

func invitationEnded(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &schema.Error{Kind: schema.Unauthorized, Message: "the invitation is not valid: it can be accepted once, within seven days"}
	}
	return db.Wrap(err, "reading an invitation")
}

// Join makes a user a member by an invitation, which is used up, and turns their session to its workspace.
func (s *Store) Join(ctx context.Context, hash [32]byte, user schema.UserID, session schema.SessionID) error {
	return s.InTx(ctx, "accepting an invitation", func(tx pgx.Tx) error {
		workspace, err := s.accept(ctx, tx, hash, user)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update sessions set workspace_id = $2, sandbox = false where id = $1`, session, workspace)
		return err
	})
}

// JoinAnew makes a user, who becomes a member by an invitation, which is used up, and begins their session.
// The error is Unauthorized where somebody has the address by now.
func (s *Store) JoinAnew(ctx context.Context, u people.NewUser, n people.NewSession) error {
	return s.InTx(ctx, "accepting an invitation", func(tx pgx.Tx) error {
		err := db.ExecOr(ctx, tx, people.ErrSignInFirst, `
			insert into users (id, email, name, password, created_at) values ($1, $2, $3, $4, $5) on conflict (email) do nothing`,
			u.ID, u.Email, u.Name, u.Password, n.At)
		if err != nil {
			return err
		}
		if _, err := s.accept(ctx, tx, u.Invitation, u.ID); err != nil {
			return err
		}
		err = audit.Write(ctx, tx, s.Now(), audit.Entry{
			Action: "user.add", Subject: audit.Of("user", u.ID, u.Name),
			By: people.Actor{Kind: people.ByUser, ID: u.ID.String(), Name: u.Name, Address: n.Address},
		})
		if err != nil {
			return err
		}
		n.User = u.ID
		return beginSession(ctx, tx, n)
	})
}

// accept uses an invitation up. Somebody who is a member by now keeps their role. Whoever has the token that went by
// mail gets mail at the address, which is theirs from then on.
func (s *Store) accept(ctx context.Context, tx pgx.Tx, hash [32]byte, user schema.UserID) (workspace schema.WorkspaceID, err error) {
	var role people.Role
	var name string
	err = tx.QueryRow(ctx, `
		with used as (
			delete from invitations i using workspaces w, users u
			where (i.hash = $1 or i.mail_hash = $1) and i.expires_at > now() and w.id = i.workspace_id and w.deleting_at is null
				and u.id = $2 and u.email = i.email
			returning i.workspace_id, i.role, i.mail_hash = $1 as by_mail
		), proven as (
			update users u set confirmed_at = now() from used where u.id = $2 and used.by_mail and u.confirmed_at is null
		), joined as (
			insert into memberships (workspace_id, user_id, role) select workspace_id, $2, role from used
			on conflict (workspace_id, user_id) do nothing
		)
		select workspace_id, role, (select name from users where id = $2) from used`, hash[:], user).Scan((*[16]byte)(&workspace), (*int16)(&role), &name)
	if err != nil {
		return workspace, invitationEnded(err)
	}
	e := memberEntry(workspace, user, name, people.Change{Field: "role", After: role.String()})
	from, _ := people.AuditedOf(ctx)
	e.By = people.Actor{Kind: people.ByUser, ID: user.String(), Name: name, Address: from.Actor.Address}
	return workspace, audit.Write(ctx, tx, s.Now(), e)
}
