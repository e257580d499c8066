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
)

// Identities returns those of a user, the oldest first.
func (s *Store) Identities(ctx context.Context, user schema.UserID) ([]people.Identity, error) {
	rows, err := s.Pool.Query(ctx, `select id, issuer, email, created_at, used_at from identities where user_id = $1 order by created_at, id`, user)
	all, err := db.Collect(rows, err, func(row pgx.Row, i *people.Identity) error {
		return row.Scan((*[16]byte)(&i.ID), &i.Issuer, &i.Email, &i.CreatedAt, &i.UsedAt)
	})
	return all, db.Wrap(err, "reading identities")
}

// SignInBy begins the session of whom an issuer's testimony is about, with the memberships that their groups give
// them at this moment, and returns the workspaces that the groups let them into no more. Somebody who is nobody's
// identity yet becomes a user if a group lets them in. The error is a *people.SignInError where they are not let in.
func (s *Store) SignInBy(ctx context.Context, t people.Testimony, n people.NewSession) (left []schema.WorkspaceID, err error) {
	n.Means = people.WithProvider
	err = s.InTx(ctx, "signing in by an issuer", func(tx pgx.Tx) error {
		var err error
		if n.User, err = s.userBy(ctx, tx, t, n); err != nil {
			return err
		}
		if left, err = s.takeRoles(ctx, tx, n.User, t); err != nil {
			return err
		}
		if err := giveBack(ctx, tx, ceremonySubject(n.Address)); err != nil {
			return err
		}
		return beginSession(ctx, tx, n)
	})
	return left, err
}

// userBy returns the user of an identity, whom it makes where there is none.
func (s *Store) userBy(ctx context.Context, tx pgx.Tx, t people.Testimony, n people.NewSession) (user schema.UserID, err error) {
	if user, err = touchIdentity(ctx, tx, t); err != nil || !user.IsZero() {
		return user, err
	}
	let, err := isLetIn(ctx, tx, t)
	switch {
	case err != nil:
		return user, err
	case !let:
		return user, &people.SignInError{Reason: people.ReasonNotLetIn, Err: fmt.Errorf("none of the groups %q gives the subject %q a role in a workspace that there is", t.Groups, t.Subject)}
	case t.Email == "":
		return user, &people.SignInError{Reason: people.ReasonNoAddress}
	}
	user = schema.NewID[schema.UserID](n.At)
	err = db.ExecOr(ctx, tx, &people.SignInError{Reason: people.ReasonAddressTaken}, `
		insert into users (id, email, name, created_at, confirmed_at) values (@id, @email, @name, @at, case when @verified then @at::timestamptz end)
		on conflict (email) do nothing`,
		pgx.StrictNamedArgs{"id": user, "email": t.Email, "name": t.Name, "at": n.At, "verified": t.Verified})
	if err != nil {
		return user, err
	}
	err = audit.Write(ctx, tx, s.Now(), audit.Entry{Action: "user.add", By: groupsOf(t.Issuer), Subject: audit.Of("user", user, t.Name)})
	if err != nil {
		return user, err
	}
	return user, s.addIdentity(ctx, tx, user, t)
}

// touchIdentity returns whose identity it is, zero for nobody's, and stores that it was shown. Others who show it
// wait, so that it becomes one user's; the user's row comes first, as where a user is removed.
func touchIdentity(ctx context.Context, tx pgx.Tx, t people.Testimony) (user schema.UserID, err error) {
	b := &pgx.Batch{}
	b.Queue(`select pg_advisory_xact_lock(hashtext('crier identity ' || $1 || ' ' || $2))`, t.Issuer, t.Subject)
	b.Queue(`select from users where id = (select user_id from identities where issuer = $1 and subject = $2) for key share`, t.Issuer, t.Subject)
	b.Queue(`update identities set used_at = now(), email = $3 where issuer = $1 and subject = $2 returning user_id`, t.Issuer, t.Subject, t.Email).
		QueryRow(func(row pgx.Row) error {
			err := row.Scan((*[16]byte)(&user))
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
	return user, tx.SendBatch(ctx, b).Close()
}

func (s *Store) addIdentity(ctx context.Context, tx pgx.Tx, user schema.UserID, t people.Testimony) error {
	now := s.Now()
	id := schema.NewID[schema.IdentityID](now)
	_, err := tx.Exec(ctx, `
		insert into identities (id, user_id, issuer, subject, email, created_at, used_at) values ($1, $2, $3, $4, $5, $6, $6)`,
		id, user, t.Issuer, t.Subject, t.Email, now)
	return err
}

// groupsOf is the actor of what follows from an issuer's groups, and is nobody's own deed.
func groupsOf(issuer string) people.Actor {
	return people.Actor{Kind: people.BySystem, Name: "groups of " + issuer}
}

// LinkIdentity makes an identity one more way of a user to sign in, and gives them what its groups do. The error is
// a *people.SignInError where it is another user's, the user has another one of the issuer, or the session that asked
// for it has ended.
func (s *Store) LinkIdentity(ctx context.Context, user schema.UserID, session schema.SessionID, t people.Testimony) error {
	return s.InTx(ctx, "linking an identity", func(tx pgx.Tx) error {
		err := lockSession(ctx, tx, user, session)
		if errors.Is(err, errSessionEnded) {
			return &people.SignInError{Reason: people.ReasonSignedOut}
		}
		if err != nil {
			return err
		}
		of, err := touchIdentity(ctx, tx, t)
		if err != nil {
			return err
		}
		if !of.IsZero() && of != user {
			return &people.SignInError{Reason: people.ReasonLinkedAlready}
		}
		if of.IsZero() {
			if err := s.linkAnother(ctx, tx, user, t); err != nil {
				return err
			}
		}
		_, err = s.takeRoles(ctx, tx, user, t)
		return err
	})
}

func (s *Store) linkAnother(ctx context.Context, tx pgx.Tx, user schema.UserID, t people.Testimony) error {
	var has bool
	var name string
	err := tx.QueryRow(ctx, `
		select name, exists (select from identities where user_id = users.id and issuer = $2) from users where id = $1`, user, t.Issuer).Scan(&name, &has)
	if err != nil {
		return err
	}
	if has { // whose groups would count, would be that of the last sign-in
		return &people.SignInError{Reason: people.ReasonHasOther}
	}
	if err := s.addIdentity(ctx, tx, user, t); err != nil {
		return err
	}
	return audit.Write(ctx, tx, s.Now(), audit.Entry{
		Subject: audit.Of("user", user, name), Changes: audit.Differences(people.Change{Field: "identity", After: t.Issuer}),
	})
}

// UnlinkIdentity takes an identity from a user, and the memberships that its groups have given: else nobody would
// take them away with the groups. The error is NotFound where they have no such one, and InvalidState where they could not sign in any more.
func (s *Store) UnlinkIdentity(ctx context.Context, user schema.UserID, id schema.IdentityID, ways people.Ways) error {
	return s.InTx(ctx, "unlinking an identity", func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		var issuer, name string
		err := tx.QueryRow(ctx, `
			with gone as (delete from identities where user_id = $1 and id = $2 returning issuer)
			select issuer, (select name from users where id = $1) from gone`, user, id).Scan(&issuer, &name)
		if err != nil {
			return db.OrNotFound(err, "identity")
		}
		if err := keepWay(ctx, tx, user, ways); err != nil {
			return err
		}
		if _, err := s.takeRoles(ctx, tx, user, people.Testimony{Issuer: issuer}); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{
			Subject: audit.Of("user", user, name), Changes: audit.Differences(people.Change{Field: "identity", Before: issuer}),
		})
	})
}
