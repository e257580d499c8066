package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/tables"
)

// errNoMail is that of what needs mail.
var errNoMail = &schema.Error{Kind: schema.InvalidState, Message: "this server sends no mail; ask its operator"}

// AskReset stores that a user is to be sent a link by which they choose another password. Where there is no such user,
// as much is stored, and nothing is sent: the caller cannot tell, nor by the time it takes. The error is
// RateLimitExceeded where there were too many, and InvalidState where the installation sends no mail.
func (s *Store) AskReset(ctx context.Context, a people.Attempt) error {
	if !s.SendsMail {
		return errNoMail
	}
	nobody := sha256.Sum256([]byte(a.Email))
	for _, w := range []tables.Window{
		{Subject: "reset from " + a.Address, Max: people.ResetsByAddress},
		{Subject: "reset of " + hex.EncodeToString(nobody[:16]), Max: people.ResetsByEmail},
	} {
		w.Length, w.Refusal = people.ResetWindow, "too many links were asked for"
		if err := w.Count(ctx, s.Pool, s.Now()); err != nil {
			return err
		}
	}
	return s.InTx(ctx, "asking for a link", func(tx pgx.Tx) error {
		about := [16]byte(nobody[:16])
		err := tx.QueryRow(ctx, `select id from users where email = $1`, a.Email).Scan(&about)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		_, err = tables.PutMail(ctx, s.DB, tx, people.Mail{Kind: people.MailReset, About: about, Recipient: a.Email})
		return err
	})
}

// AskEmail stores an address by which a user wants to sign in, and that it is to be sent a link by which they prove that it
// is theirs. One before is forgotten. The error is RateLimitExceeded where there were too many, and InvalidState
// where the installation sends no mail, or will not send this one.
func (s *Store) AskEmail(ctx context.Context, user schema.UserID, email string) error {
	if !s.SendsMail {
		return errNoMail
	}
	err := tables.Window{
		Subject: "address of " + user.String(), Length: people.ResetWindow, Max: people.ResetsByEmail, Refusal: "too many links were asked for",
	}.Count(ctx, s.Pool, s.Now())
	if err != nil {
		return err
	}
	return s.InTx(ctx, "asking for a change of address", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into email_changes (user_id, email, expires_at) values ($1, $2, now() + $3::interval)
			on conflict (user_id) do update set email = excluded.email, hash = null, expires_at = excluded.expires_at`, user, email, people.AddressLife)
		if err != nil {
			return err
		}
		put, err := tables.PutMail(ctx, s.DB, tx, people.Mail{Kind: people.MailAddress, About: user, Recipient: email})
		if err == nil && !put {
			err = &schema.Error{Kind: schema.InvalidState, Message: "no mail goes to this address now; try again in an hour"}
		}
		return err
	})
}

var errAddressLink = &schema.Error{Kind: schema.Unauthorized, Message: "the link is not valid: it works once, for a day, and for whoever asked for it"}

// ProveEmail makes an address that of its user, who has shown the token that was sent there. What was chosen of mail
// goes with them, links that were sent to the address before end, and that is told. The error is Unauthorized
// where the token is not theirs or the session has ended, and InvalidState where somebody else has the address by now.
func (s *Store) ProveEmail(ctx context.Context, user schema.UserID, session schema.SessionID, hash [32]byte) (email string, err error) {
	err = s.InTx(ctx, "changing an address", func(tx pgx.Tx) error {
		if err := lockSession(ctx, tx, user, session); err != nil {
			return err
		}
		var before string
		err := tx.QueryRow(ctx, `
			with proven as (
				delete from email_changes where user_id = $1 and hash = $2 and expires_at > now() returning user_id, email
			)
			select u.email, p.email from proven p join users u on u.id = p.user_id for update of u`, user, hash[:]).Scan(&before, &email)
		if errors.Is(err, pgx.ErrNoRows) {
			return errAddressLink
		}
		if err != nil {
			return err
		}
		if err := moveTo(ctx, tx, user, email); err != nil {
			return err
		}
		if before == email {
			return nil
		}
		b := &pgx.Batch{}
		b.Queue(`delete from sign_in_links where user_id = $1`, user)
		b.Queue(`delete from mail_choices where email = $1`, email)
		b.Queue(`update mail_choices set email = $2 where email = $1`, before, email)
		b.Queue(`delete from mail_recipients where email = $1`, before)
		audit.Queue(ctx, b, s.Now(), audit.Entry{Subject: audit.Of("user", user, ""), Changes: audit.Differences(
			people.Change{Field: "email", After: "changed"}, // addresses would stay when the user is removed
		)})
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		_, err = tables.PutMail(ctx, s.DB, tx, people.Mail{Kind: people.MailAddressChanged, About: user, Recipient: before})
		return err
	})
	return email, err
}

// uniqueViolation is that somebody else gets the address at the same time.
const uniqueViolation = "23505"

// moveTo gives a user an address, unless somebody else has it.
func moveTo(ctx context.Context, tx pgx.Tx, user schema.UserID, email string) error {
	tag, err := tx.Exec(ctx, `
		update users set email = $2, confirmed_at = now()
		where id = $1 and not exists (select from users o where o.email = $2 and o.id <> $1)`, user, email)
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if err == nil && tag.RowsAffected() == 0 || ok && pg.Code == uniqueViolation {
		return &schema.Error{Kind: schema.InvalidState, Message: email + " is the address of another user"}
	}
	return err
}
