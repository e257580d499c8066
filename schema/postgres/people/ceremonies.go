package people

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// BeginCeremony stores what a browser begins, and forgets some that are too old. One to sign in is counted: the error
// is RateLimitExceeded where there were too many from its network. What a user begins in a session ends what they
// began before. The error is Unavailable where as many wait as may.
func (s *Store) BeginCeremony(ctx context.Context, c people.Ceremony) error {
	if c.User.IsZero() {
		if err := s.countAttempt(ctx, ceremonySubject(c.Address), people.AttemptsByAddress); err != nil {
			return err
		}
	}
	b := &pgx.Batch{}
	b.Queue(`delete from ceremonies where user_id = $1`, c.User)
	b.Queue(`
		delete from ceremonies where hash = any(array(
			select hash from ceremonies where expires_at <= now() order by expires_at limit 100 for update skip locked))`)
	var stored bool
	b.Queue(`
		insert into ceremonies (hash, kind, provider, user_id, session_id, expires_at)
		select @hash, @kind, @provider, @user, @session, now() + @life::interval
		where (select count(*) from (select from ceremonies limit @most) waiting) < @most
		returning true`, pgx.StrictNamedArgs{
		"hash": c.Hash[:], "kind": int16(c.Kind), "provider": c.Provider, "user": c.User, "session": c.Session,
		"life": people.CeremonyLife, "most": people.MaxCeremonies,
	}).QueryRow(func(row pgx.Row) error { return row.Scan(&stored) })
	err := s.Pool.SendBatch(ctx, b).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		err = &schema.Error{Kind: schema.Unavailable, RetryAfter: people.CeremonyLife, Message: "too many sign-ins have begun and not ended: sign in by your password, or try again later"}
	}
	return db.Wrap(err, "beginning to sign in")
}

// TakeCeremony ends the one of a token's hash. The error is people.ErrCeremonyOver where there is none that can be
// ended.
func (s *Store) TakeCeremony(ctx context.Context, hash [32]byte) (people.Ceremony, error) {
	c := people.Ceremony{Hash: hash}
	var live bool
	err := s.Pool.QueryRow(ctx, sql.Text(`
		delete from ceremonies where hash = $1
		returning kind, provider, coalesce(user_id, {no_id}), coalesce(session_id, {no_id}), expires_at > now()`), hash[:],
	).Scan((*int16)(&c.Kind), &c.Provider, (*[16]byte)(&c.User), (*[16]byte)(&c.Session), &live)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && !live:
		return c, people.ErrCeremonyOver
	case err != nil:
		return c, db.Wrap(err, "ending what was begun")
	default:
		return c, nil
	}
}

// ceremonySubject names the window of a network's sign-ins by passkey and at issuers. Nobody guesses these, so that
// wrong passwords do not count in it, nor they among those.
func ceremonySubject(address string) string { return "sign-in begun from " + address }

// giveBack counts an attempt in a window no more: it was a success.
func giveBack(ctx context.Context, tx pgx.Tx, subject string) error {
	_, err := tx.Exec(ctx, `update request_windows set used = greatest(used - 1, 0) where subject = $1`, subject)
	return err
}

// keepWay refuses a removal after which a user could not sign in any more. The user's row is locked, so that two
// removals happen in turn.
func keepWay(ctx context.Context, tx pgx.Tx, user schema.UserID, ways people.Ways) error {
	var has bool
	err := tx.QueryRow(ctx, `
		select password is not null
			or @passkeys::boolean and exists (select from passkeys where user_id = users.id)
			or exists (select from identities where user_id = users.id and issuer = any(@issuers::text[]))
		from users where id = @user`,
		pgx.StrictNamedArgs{"user": user, "passkeys": ways.Passkeys, "issuers": ways.Issuers}).Scan(&has)
	if err == nil && !has {
		err = &schema.Error{Kind: schema.InvalidState, Message: "this is your last way to sign in: add another one first, such as a password"}
	}
	return err
}

// lockSession does what lockUser does, for what a session adds to a user. The error is errSessionEnded where it has
// ended while the lock was waited for, as by a reset, which is to leave nothing of whom it turns out.
func lockSession(ctx context.Context, tx pgx.Tx, user schema.UserID, session schema.SessionID) error {
	if err := lockUser(ctx, tx, user); err != nil {
		return err
	}
	return db.ExecOr(ctx, tx, errSessionEnded, `select from sessions where id = $1 and user_id = $2 for key share`, session, user)
}

// lockUser lets changes of how a user signs in happen in turn.
func lockUser(ctx context.Context, tx pgx.Tx, user schema.UserID) error {
	return db.ExecOr(ctx, tx, errSessionEnded, `select from users where id = $1 for no key update`, user)
}
