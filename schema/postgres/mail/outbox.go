package mail

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Address makes the mails of members out of one that is for those of a workspace who want it. It returns whether
// there was one.
func (s *Store) Address(ctx context.Context) (found bool, err error) {
	err = s.InTx(ctx, "addressing mail", func(tx pgx.Tx) error {
		now := s.Now()
		var note people.Mail
		err := tx.QueryRow(ctx, `
			update mails m set due_at = null, sent_at = @now, attempts = 0
			from (
				select id from mails where due_at <= @now and recipient = '' and kind <= @newest order by due_at limit 1 for update skip locked
			) d
			where m.id = d.id returning m.kind, m.about, m.since`, pgx.StrictNamedArgs{"now": now, "newest": int16(people.NewestMail)}).
			Scan((*int16)(&note.Kind), &note.About, &note.Since)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		return addressTo(ctx, tx, note, now)
	})
	return found, err
}

// addressTo addresses a mail to members who want it. Of suspended keys, whoever made one of them is told too, and
// where there are no members, the address that the workspace was registered by.
func addressTo(ctx context.Context, tx pgx.Tx, note people.Mail, now time.Time) error {
	_, err := tx.Exec(ctx, addressMails, pgx.StrictNamedArgs{
		"kind": int16(note.Kind), "workspace": note.About, "since": note.Since, "now": now, "life": note.Kind.Life(),
		"interval": people.MailInterval, "waiting": note.Kind.Room(), "least": int16(note.Kind.Min()), "usual": int16(note.Kind.Usual()),
		"ofKeys": note.Kind == people.MailSuspension,
	})
	return err
}

// addressMails takes members whose addresses are known to be theirs: nobody else is told what goes on in a workspace.
var addressMails = sql.Text(`
	with recipients as (
		select u.email, o.role >= @least as may, o.role >= @usual as usually, @ofKeys and exists (
			select from api_keys k join workspaces w on w.id = k.workspace_id
			where k.made_by = u.id and (w.id = o.workspace_id or w.live_id = o.workspace_id) and k.suspended_until > @now) as made_one
		from memberships o join users u on u.id = o.user_id
		where o.workspace_id = @workspace::uuid and u.confirmed_at is not null
		union all
		select w.email, false, false, true from workspaces w
		where @ofKeys and w.id = @workspace::uuid and w.email is not null and not exists (select from memberships o where o.workspace_id = w.id)
	)
	insert into mails as m (id, kind, about, recipient, since, due_at, expires_at)
	select gen_random_uuid(), @kind, @workspace::uuid, r.email, @since::timestamptz, @now::timestamptz, @now::timestamptz + @life::interval
	from recipients r left join mail_choices c on c.email = r.email and c.kind = @kind and c.workspace_id = @workspace::uuid
	where (r.may and coalesce(c.wanted, r.usually) or r.made_one and coalesce(c.wanted, true))
	  and (select count(*) from (select from mails where due_at is not null limit @waiting) w) < @waiting
	order by r.email
	on conflict (kind, about, recipient) do update set {again_mail}`)

// Claim takes a mail that is due, of those that somebody waits for before any other. Nobody else does within the lease;
// where the process ends before Finish, it is sent once more then. found is false where none is due. What a newer
// version of crier has stored of kinds of its own waits for it.
func (s *Store) Claim(ctx context.Context, lease time.Duration) (m people.Mail, found bool, err error) {
	err = s.Pool.QueryRow(ctx, sql.Text(`
		with awaited as (
			select id from mails
			where due_at <= @now and recipient <> '' and kind in {awaited_mails} and expires_at > @now
			order by due_at limit 1 for update skip locked
		), other as (
			select id from mails
			where not exists (select from awaited) and due_at <= @now and recipient <> '' and kind <= @newest and expires_at > @now
			order by due_at limit 1 for update skip locked
		)
		update mails m set due_at = @now::timestamptz + @lease::interval, attempts = least(m.attempts + 1, 1000)
		from (select id from awaited union all select id from other) d
		where m.id = d.id returning m.id, m.kind, m.about, m.recipient, m.since, m.version, m.attempts, m.expires_at`),
		pgx.StrictNamedArgs{"now": s.Now(), "lease": lease, "newest": int16(people.NewestMail)},
	).Scan((*[16]byte)(&m.ID), (*int16)(&m.Kind), &m.About, &m.Recipient, &m.Since, &m.Version, &m.Attempts, &m.ExpiresAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, false, nil
	}
	return m, true, db.Wrap(err, "claiming a mail")
}

// Finish stores what the sending of a mail came to. What happened meanwhile goes into the next one.
func (s *Store) Finish(ctx context.Context, d people.Delivered) error {
	_, err := s.Pool.Exec(ctx, `
		update mails set
			sent_at = case when @ended then @now::timestamptz else sent_at end,
			since = case when @ended then @now::timestamptz - @slack::interval else since end,
			due_at = case when not @ended then @now::timestamptz + @wait::interval when version > @version then @now::timestamptz + @interval::interval end,
			expires_at = case when @ended and version > @version then @now::timestamptz + @interval::interval + @life::interval else expires_at end
		where id = @id`, pgx.StrictNamedArgs{
		"id": d.Mail.ID, "now": s.Now(), "slack": db.TransactionTimeout, "ended": d.Ending != people.MailRetried, "wait": d.Wait,
		"version": d.Mail.Version, "interval": people.MailInterval, "life": d.Mail.Kind.Life(),
	})
	return db.Wrap(err, "storing that a mail was sent")
}

// Waiting returns what is due or was tried in vain, by kind, up to people.MaxMails in all, without kinds of a newer
// version of crier.
func (s *Store) Waiting(ctx context.Context) (map[people.MailKind]people.WaitingMail, error) {
	now, kinds := s.Now(), people.MailKinds()
	numbers, lives := make([]int16, len(kinds)), make([]time.Duration, len(kinds))
	for i, k := range kinds {
		numbers[i], lives[i] = int16(k), k.Life()
	}
	rows, err := s.Pool.Query(ctx, `
		select k.kind, count(*), min(w.expires_at - k.life)
		from (select kind, expires_at from mails where due_at is not null and (due_at <= @now or attempts > 0) limit @most) w
		join unnest(@kinds::int2[], @lives::interval[]) k (kind, life) on k.kind = w.kind group by k.kind`,
		pgx.StrictNamedArgs{"now": now, "most": people.MaxMails, "kinds": numbers, "lives": lives})
	waiting, err := db.CollectMap(rows, err, func(row pgx.Row, kind *people.MailKind, mails *people.WaitingMail) error {
		return row.Scan((*int16)(kind), &mails.Mails, &mails.Since)
	})
	return waiting, db.Wrap(err, "counting mails")
}
