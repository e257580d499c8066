package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

func scanPasskey(row pgx.Row, p *people.Passkey) error {
	return row.Scan((*[16]byte)(&p.ID), (*[16]byte)(&p.User), &p.Name, &p.Credential, &p.PublicKey, &p.SignCount, &p.Transports, &p.BackupEligible, &p.CreatedAt, db.OrZero(&p.UsedAt))
}

// Passkeys returns those of a user, the oldest first.
func (s *Store) Passkeys(ctx context.Context, user schema.UserID) ([]people.Passkey, error) {
	rows, err := s.Pool.Query(ctx, `
		select id, user_id, name, credential_id, public_key, sign_count, transports, backup_eligible, created_at, used_at
		from passkeys where user_id = $1 order by created_at, id`, user)
	all, err := db.Collect(rows, err, scanPasskey)
	return all, db.Wrap(err, "reading passkeys")
}

// Passkey returns the one that an authenticator calls so. The error is people.ErrNoPasskey where there is none.
func (s *Store) Passkey(ctx context.Context, credential []byte) (p people.Passkey, err error) {
	err = scanPasskey(s.Pool.QueryRow(ctx, `
		select id, user_id, name, credential_id, public_key, sign_count, transports, backup_eligible, created_at, used_at
		from passkeys where credential_id = $1`, credential), &p)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return p, people.ErrNoPasskey
	case err != nil:
		return p, db.Wrap(err, "looking for a passkey")
	default:
		return p, nil
	}
}

// AddPasskey stores a passkey of a session's user. The error is InvalidState where it is known already, or the user
// has as many as they may, and Unauthorized where the session has ended.
func (s *Store) AddPasskey(ctx context.Context, session schema.SessionID, p people.Passkey) error {
	return s.InTx(ctx, "adding a passkey", func(tx pgx.Tx) error {
		if err := lockSession(ctx, tx, p.User, session); err != nil {
			return err
		}
		var have int
		if err := tx.QueryRow(ctx, `select count(*) from passkeys where user_id = $1`, p.User).Scan(&have); err != nil {
			return err
		}
		if have >= people.MaxPasskeys {
			return &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("you have %d passkeys, as many as you may: remove one first", have)}
		}
		err := db.ExecOr(ctx, tx, tables.InvalidState("this passkey is known already"), `
			insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, backup_eligible, name, created_at)
			values (@id, @user, @credential, @key, @count, @transports, @eligible, @name, @at) on conflict (credential_id) do nothing`,
			pgx.StrictNamedArgs{
				"id": p.ID, "user": p.User, "credential": p.Credential, "key": p.PublicKey, "count": int64(p.SignCount),
				"transports": append([]string{}, p.Transports...), "eligible": p.BackupEligible, "name": p.Name, "at": p.CreatedAt,
			})
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Subject: audit.Of("passkey", p.ID, p.Name)})
	})
}

// RenamePasskey gives one of a user's another name. The error is NotFound where they have no such one.
func (s *Store) RenamePasskey(ctx context.Context, user schema.UserID, id schema.PasskeyID, name string) error {
	return s.InTx(ctx, "renaming a passkey", func(tx pgx.Tx) error {
		var before string
		err := tx.QueryRow(ctx, `select name from passkeys where user_id = $1 and id = $2 for update`, user, id).Scan(&before)
		if err != nil {
			return db.OrNotFound(err, "passkey")
		}
		if _, err := tx.Exec(ctx, `update passkeys set name = $2 where id = $1`, id, name); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{
			Subject: audit.Of("passkey", id, name), Changes: audit.Differences(people.Change{Field: "name", Before: before, After: name}),
		})
	})
}

// RemovePasskey removes one of a user's. The error is NotFound where they have no such one, and InvalidState
// where they could not sign in any more.
func (s *Store) RemovePasskey(ctx context.Context, user schema.UserID, id schema.PasskeyID, ways people.Ways) error {
	return s.InTx(ctx, "removing a passkey", func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		var name string
		err := tx.QueryRow(ctx, `delete from passkeys where user_id = $1 and id = $2 returning name`, user, id).Scan(&name)
		if err != nil {
			return db.OrNotFound(err, "passkey")
		}
		if err := keepWay(ctx, tx, user, ways); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Subject: audit.Of("passkey", id, name)})
	})
}

// SignInByPasskey begins the session of a user who has shown a passkey, whose count is what it was just now. The
// error is Unauthorized where the passkey is gone, or its count says that there is a copy of it. What was begun in a
// session was not counted, so that nothing is given back for it.
func (s *Store) SignInByPasskey(ctx context.Context, p people.Passkey, n people.NewSession, begun people.Ceremony) error {
	n.User, n.Means = p.User, people.WithPasskey
	return s.InTx(ctx, "signing in by a passkey", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select from users where id = $1 for key share`, p.User); err != nil { // first, as where a user is removed
			return err
		}
		if err := countUse(ctx, tx, p, n.At); err != nil {
			return err
		}
		if begun.Session.IsZero() {
			if err := giveBack(ctx, tx, ceremonySubject(n.Address)); err != nil {
				return err
			}
		}
		return beginSession(ctx, tx, n)
	})
}

// countUse stores the count of a passkey that was shown. Those that do not count stay at 0 (Web Authentication Level 3,
// 7.2, step 22).
func countUse(ctx context.Context, tx pgx.Tx, p people.Passkey, at time.Time) error {
	return db.ExecOr(ctx, tx, people.ErrCopiedPasskey, `
		update passkeys set sign_count = $2, used_at = $3 where id = $1 and (sign_count < $2 or sign_count = 0 and $2 = 0)`,
		p.ID, int64(p.SignCount), at)
}
