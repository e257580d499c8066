package people

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// CreateLink stores a link by its hash, and forgets those that have expired.
func (s *Store) CreateLink(ctx context.Context, l people.Link) error {
	b := &pgx.Batch{}
	b.Queue(`delete from sign_in_links where expires_at <= now()`)
	b.Queue(`insert into sign_in_links (hash, user_id, expires_at) values ($1, $2, $3)`, l.Hash[:], l.User, l.ExpiresAt)
	audit.Queue(ctx, b, s.Now(), audit.Entry{Subject: people.Subject{Type: "user", ID: tables.IDText(l.User)}})
	return db.Wrap(s.Pool.SendBatch(ctx, b).Close(), "making a link")
}

// HasUsers reports whether anybody can sign in.
func (s *Store) HasUsers(ctx context.Context) (has bool, err error) {
	err = s.Pool.QueryRow(ctx, `select exists (select from users)`).Scan(&has)
	return has, db.Wrap(err, "looking for users")
}

// Link returns a link that works; the error is Unauthorized where it does not, or does not any more.
func (s *Store) Link(ctx context.Context, hash [32]byte) (people.Link, error) {
	l := people.Link{Hash: hash}
	err := s.Pool.QueryRow(ctx, sql.Text(`select coalesce(user_id, {no_id}), expires_at from sign_in_links where hash = $1 and expires_at > now()`), hash[:]).
		Scan((*[16]byte)(&l.User), &l.ExpiresAt)
	if err != nil {
		return l, linkEnded(err)
	}
	return l, nil
}

func linkEnded(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &schema.Error{Kind: schema.Unauthorized, Message: "the link is not valid: it works once, and for a short time"}
	}
	return db.Wrap(err, "reading a link")
}

// Redeem uses a link up and begins the session of its user. The first owner's makes that user, while there
// is none.
func (s *Store) Redeem(ctx context.Context, r people.Redemption, n people.NewSession) error {
	return s.InTx(ctx, "signing in by a link", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, sql.Text(`delete from sign_in_links where hash = $1 and expires_at > now() returning coalesce(user_id, {no_id})`), r.Hash[:]).
			Scan((*[16]byte)(&n.User))
		switch {
		case err != nil:
			return linkEnded(err)
		case n.User.IsZero():
			n.User = r.ID
			err = s.makeFirstOwner(ctx, tx, r, n.Address)
		default:
			err = s.redeem(ctx, tx, n.User, r.Password)
		}
		if err != nil {
			return err
		}
		return beginSession(ctx, tx, n)
	})
}

// redeem makes a user whoever has their link, with another password if they choose one.
func (s *Store) redeem(ctx context.Context, tx pgx.Tx, user schema.UserID, password string) error {
	if err := s.doubt(ctx, tx, user, schema.WorkspaceID{}); err != nil || password == "" {
		return err
	}
	return setPassword(ctx, tx, user, password, schema.SessionID{})
}

var errOwned = &schema.Error{Kind: schema.Unauthorized, Message: "the link is not valid: there is an owner already"}

// makeFirstOwner makes the first user: the operator, and the owner of what workspaces there are, except of
// those that somebody has registered. Where there is none, one is made. The address is the network that they come from.
func (s *Store) makeFirstOwner(ctx context.Context, tx pgx.Tx, r people.Redemption, address string) error {
	// Nobody else becomes the first meanwhile.
	if _, err := tx.Exec(ctx, `lock table users in share row exclusive mode`); err != nil {
		return err
	}
	err := db.ExecOr(ctx, tx, errOwned, `
		insert into users (id, email, name, password, is_operator, created_at, confirmed_at)
		select $1, $2, $3, $4, true, $5, $5 where not exists (select from users)`, r.ID, r.Email, r.Name, r.Password, r.At)
	if err != nil {
		return err
	}
	entries, err := ownAtFirst(ctx, tx, r)
	if err != nil {
		return err
	}
	entries = append(entries, audit.Entry{Action: "user.add", Subject: audit.Of("user", r.ID, r.Name), Changes: audit.Differences(operatorChange(true))})
	for i := range entries {
		entries[i].By = people.Actor{Kind: people.ByUser, ID: r.ID.String(), Name: r.Name, Address: address}
	}
	return audit.Write(ctx, tx, r.At, entries...)
}

// ownAtFirst makes the first user the owner of workspaces, and returns what the audit log says of that.
func ownAtFirst(ctx context.Context, tx pgx.Tx, r people.Redemption) (entries []audit.Entry, err error) {
	workspace := schema.NewID[schema.WorkspaceID](r.At)
	tag, err := tx.Exec(ctx, `
		insert into workspaces (id, name, plan) select $1, $2, 'operator'
		where not exists (select from workspaces where live_id is null and email is null and deleting_at is null)`, workspace, firstWorkspace)
	if err != nil {
		return nil, err
	}
	if tag.RowsAffected() > 0 {
		entries = append(entries, audit.Entry{Action: "workspace.create", Workspace: workspace, Subject: audit.Of("workspace", workspace, firstWorkspace)})
	}
	rows, err := tx.Query(ctx, `
		insert into memberships (workspace_id, user_id, role)
		select id, $1, $2 from workspaces where live_id is null and email is null and deleting_at is null order by name limit $3
		returning workspace_id`, r.ID, int16(people.Owner), ownedAtFirst)
	owned, err := db.Collect(rows, err, func(row pgx.Row, e *audit.Entry) error {
		var workspace schema.WorkspaceID
		err := row.Scan((*[16]byte)(&workspace))
		*e = memberEntry(workspace, r.ID, r.Name, people.Change{Field: "role", After: people.Owner.String()})
		e.Action = "member.join"
		return err
	})
	return append(entries, owned...), err
}

const (
	firstWorkspace = "main"
	// ownedAtFirst bounds the workspaces that the first owner gets; others are given by command.
	ownedAtFirst = 100
)
