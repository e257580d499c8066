package tables

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// PutMail stores that a mail is to be sent, of which kind, what it is about and the recipient are given, in the
// transaction of what it tells of. It reports whether it is: not where the installation sends none, whoever is to
// get it has said that they want none, or too many wait. One that waits takes up what it would say.
func PutMail(ctx context.Context, d *db.DB, q db.Execer, m people.Mail) (bool, error) {
	if !d.SendsMail {
		return false, nil
	}
	now := d.Now()
	tag, err := q.Exec(ctx, putMail, pgx.StrictNamedArgs{
		"id": schema.NewMailID(now), "kind": int16(m.Kind), "about": m.About, "recipient": m.Recipient, "now": now, "life": m.Kind.Life(),
		"interval": people.MailInterval, "waiting": people.MaxMails, "toUnknown": []int16{int16(people.MailInvitation), int16(people.MailAddress)},
		"unknown": people.MaxUnknown, "invitation": int16(people.MailInvitation), "invited": people.MaxInvited,
	})
	return err == nil && tag.RowsAffected() > 0, err
}

var putMail = sql.Text(`
	insert into mails as m (id, kind, about, recipient, since, due_at, expires_at)
	select @id::uuid, @kind, @about::uuid, @recipient, @now::timestamptz, @now::timestamptz, @now::timestamptz + @life::interval
	where (select count(*) from (select from mails where due_at is not null limit @waiting) w) < @waiting
	  and not exists (
		select from mail_choices c
		where c.email = @recipient and c.kind = @kind and c.workspace_id in ({no_id}, @about::uuid) and not c.wanted)
	  and (@kind <> all(@toUnknown::int2[]) or (
		select count(*) from mails u
		where u.recipient = @recipient and u.kind = any(@toUnknown::int2[]) and u.about <> @about::uuid
		  and greatest(u.due_at, u.sent_at) > @now::timestamptz - @interval::interval) < @unknown)
	  and (@kind <> @invitation or (
		select count(*) from mails i
		where i.kind = @invitation and i.about = @about::uuid and i.recipient <> @recipient
		  and greatest(i.due_at, i.sent_at) > @now::timestamptz - @interval::interval) < @invited)
	on conflict (kind, about, recipient) do update set {again_mail}`)
