package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// CountAttempt counts an attempt to sign in, and returns what the password is to be checked against; where
// there is no such user, nothing. The error is RateLimitExceeded where there were too many, of which the
// caller cannot tell whether there is such a user.
func (s *Store) CountAttempt(ctx context.Context, a people.Attempt) (c people.Credentials, err error) {
	var stored *string
	var isKnown bool
	err = s.Pool.QueryRow(ctx, `
		select u.id, u.password, exists (select from sessions where user_id = u.id and address = $2) from users u where u.email = $1`,
		a.Email, a.Address).Scan((*[16]byte)(&c.User), &stored, &isKnown)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return c, fmt.Errorf("looking for a user: %w", db.Unavailable(err))
	}
	if stored != nil {
		c.Password = *stored
	}
	byEmail, limit := emailSubject(a), people.AttemptsByEmail
	if isKnown {
		byEmail, limit = byEmail+" "+a.Address, people.AttemptsFromKnown
	}
	if err := s.countAttempt(ctx, addressSubject(a), people.AttemptsByAddress); err != nil {
		return c, err
	}
	return c, s.countAttempt(ctx, byEmail, limit)
}

// addressSubject names the window of an attempt's network, emailSubject that of its user, of whom the
// window tells nothing.
func addressSubject(a people.Attempt) string { return "sign-in from " + a.Address }

func emailSubject(a people.Attempt) string {
	sum := sha256.Sum256([]byte(a.Email))
	return "sign-in of " + hex.EncodeToString(sum[:16])
}

func (s *Store) countAttempt(ctx context.Context, subject string, limit int) error {
	return tables.Window{Subject: subject, Length: people.AttemptWindow, Most: limit, Refusal: "too many attempts to sign in"}.Count(ctx, s.Pool, s.Now())
}

// SignIn begins the session of a user who has shown their password: attempts before it count no more. The
// error is Unauthorized where the password has changed since it was looked at.
func (s *Store) SignIn(ctx context.Context, n people.NewSession, a people.Attempt, credentials people.Credentials) error {
	n.User = credentials.User
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		// A change from here on waits for the session, and ends it.
		tag, err := tx.Exec(ctx, `select from users where id = $1 and password = $2 for share`, credentials.User, credentials.Password)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return people.ErrWrongPassword
		}
		if err := forgetAttempts(ctx, tx, a); err != nil {
			return err
		}
		return beginSession(ctx, tx, n)
	})
	if err != nil {
		return fmt.Errorf("signing in: %w", db.Unavailable(err))
	}
	return nil
}

// forgetAttempts counts those of a user no more, who has shown their password.
func forgetAttempts(ctx context.Context, tx pgx.Tx, a people.Attempt) error {
	_, err := tx.Exec(ctx, `delete from request_windows where subject in ($1, $2)`, emailSubject(a), emailSubject(a)+" "+a.Address)
	if err != nil {
		return err
	}
	return giveBack(ctx, tx, a.Address)
}

// ChangePassword stores a password, and ends all sessions of its user but one, whose token changes. The error is
// Unauthorized where that one has ended, as by another change.
func (s *Store) ChangePassword(ctx context.Context, user schema.UserID, password string, current schema.SessionID, hash [32]byte) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if err := setPassword(ctx, tx, user, password, current); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update sessions set hash = $2 where id = $1`, current, hash[:])
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return errSessionEnded
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Subject: audit.Of("user", user, "")})
	})
	if err != nil {
		return fmt.Errorf("changing a password: %w", db.Unavailable(err))
	}
	return nil
}

// setPassword also ends links that were made before, what was begun, and all sessions but one.
func setPassword(ctx context.Context, tx pgx.Tx, user schema.UserID, password string, current schema.SessionID) error {
	b := &pgx.Batch{}
	b.Queue(`update users set password = $2 where id = $1`, user, password)
	b.Queue(`delete from sessions where user_id = $1 and id is distinct from $2`, user, current)
	b.Queue(`delete from sign_in_links where user_id = $1`, user)
	b.Queue(`delete from email_changes where user_id = $1`, user)
	b.Queue(`delete from ceremonies where user_id = $1`, user)
	return tx.SendBatch(ctx, b).Close()
}
