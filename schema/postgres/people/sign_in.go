package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

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
	err = s.Pool.QueryRow(ctx, `select id, coalesce(password, '') from users where email = $1`, a.Email).Scan((*[16]byte)(&c.User), &c.Password)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return c, db.Wrap(err, "looking for a user")
	}
	if isKnown(a, c.User) {
		return c, s.countAttempt(ctx, browserSubject(a), people.AttemptsByBrowser)
	}
	if err := s.countAttempt(ctx, addressSubject(a.Address), people.AttemptsByAddress); err != nil {
		return c, err
	}
	return c, s.countAttempt(ctx, emailSubject(a), people.AttemptsByEmail)
}

// CountProof counts that a user shows their password in a session, and returns what it is to be checked against; empty,
// and not counted, where they have none. The error is RateLimitExceeded where there were too many.
func (s *Store) CountProof(ctx context.Context, user schema.UserID) (stored string, err error) {
	err = s.Pool.QueryRow(ctx, `select coalesce(password, '') from users where id = $1`, user).Scan(&stored)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", errSessionEnded
	}
	if err != nil {
		return "", db.Wrap(err, "looking for a user")
	}
	if stored == "" {
		return "", nil
	}
	return stored, s.countAttempt(ctx, proofSubject(user), people.AttemptsInSession)
}

// isKnown reports whether an attempt comes from a browser that the user has signed in from before.
func isKnown(a people.Attempt, user schema.UserID) bool {
	return !user.IsZero() && a.Browser.User == user
}

// The names of windows: of a network, of a browser that is known, of the proofs of a user, and of an address of e-mail,
// of which it tells nothing.
func addressSubject(address string) string   { return "sign-in from " + address }
func browserSubject(a people.Attempt) string { return "sign-in with " + a.Browser.ID }
func proofSubject(user schema.UserID) string { return "proof of " + user.String() }
func emailSubject(a people.Attempt) string {
	sum := sha256.Sum256([]byte(a.Email))
	return "sign-in of " + hex.EncodeToString(sum[:16])
}

func (s *Store) countAttempt(ctx context.Context, subject string, limit int) error {
	return tables.Window{Subject: subject, Length: people.AttemptWindow, Max: limit, Refusal: "too many attempts to sign in"}.Count(ctx, s.Pool, s.Now())
}

// SignIn begins the session of a user who has shown their password: attempts before it count no more. The
// error is Unauthorized where the password has changed since it was looked at.
func (s *Store) SignIn(ctx context.Context, n people.NewSession, a people.Attempt, credentials people.Credentials) error {
	n.User = credentials.User
	return s.InTx(ctx, "signing in", func(tx pgx.Tx) error {
		// A change from here on waits for the session, and ends it.
		err := db.ExecOr(ctx, tx, people.ErrWrongPassword, `select from users where id = $1 and password = $2 for share`, credentials.User, credentials.Password)
		if err != nil {
			return err
		}
		if err := forgetAttempts(ctx, tx, a, n.User); err != nil {
			return err
		}
		return beginSession(ctx, tx, n)
	})
}

// forgetAttempts counts those of a user no more, who has shown their password: what CountAttempt has counted, since
// others may go on in another window.
func forgetAttempts(ctx context.Context, tx pgx.Tx, a people.Attempt, user schema.UserID) error {
	if isKnown(a, user) {
		return forgetWindow(ctx, tx, browserSubject(a))
	}
	if err := forgetWindow(ctx, tx, emailSubject(a)); err != nil {
		return err
	}
	return giveBack(ctx, tx, addressSubject(a.Address))
}

func forgetWindow(ctx context.Context, tx pgx.Tx, subject string) error {
	_, err := tx.Exec(ctx, `delete from request_windows where subject = $1`, subject)
	return err
}

// ChangePassword stores a password, and ends all sessions of its user but one, whose token changes. The error is
// Unauthorized where that one has ended, as by another change.
func (s *Store) ChangePassword(ctx context.Context, user schema.UserID, password string, current schema.SessionID, hash [32]byte) error {
	return s.InTx(ctx, "changing a password", func(tx pgx.Tx) error {
		if err := setPassword(ctx, tx, user, password, current); err != nil {
			return err
		}
		err := db.ExecOr(ctx, tx, errSessionEnded, `update sessions set hash = $2 where id = $1`, current, hash[:])
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Subject: audit.Of("user", user, "")})
	})
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
