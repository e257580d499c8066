package maintenance

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// recipientRetention is how long the link of a mail works by which no more of it comes.
const recipientRetention = 400 * 24 * time.Hour

// ForgetMails deletes mails that were sent longer ago than keeps another one back, those that could not be sent in
// time, links that were not used, and what is known of whoever has got none for a year.
func (s *Store) ForgetMails(ctx context.Context) (rows int, more bool, err error) {
	now := s.Now()
	err = s.Alone(ctx, "forget mails", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			with sent as (
				delete from mails where id in (
					select id from mails
					where due_at is null and sent_at < @now::timestamptz - @interval::interval and (kind <> @notice or expires_at < @now)
					order by sent_at limit @most) returning 1
			), late as (
				delete from mails where id in (select id from mails where due_at is not null and expires_at < @now order by due_at limit @most) returning 1
			), strangers as (
				delete from mail_recipients where email in (
					select email from mail_recipients where mailed_at < @now::timestamptz - @kept::interval order by mailed_at limit @most) returning 1
			), unproven as (delete from email_changes where expires_at < @now returning 1
			), unused as (delete from sign_in_links where expires_at < @now returning 1)
			select (select count(*) from sent) + (select count(*) from late) + (select count(*) from strangers) + (select count(*) from unproven) + (select count(*) from unused)`,
			pgx.StrictNamedArgs{
				"now": now, "interval": people.MailInterval, "notice": int16(people.MailNotice), "kept": recipientRetention, "most": tables.HistoryChunk,
			}).Scan(&rows)
	})
	return rows, rows >= tables.HistoryChunk, db.Wrap(err, "forgetting mails")
}
