package mail

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// PutNotice stores what the owners of keys are told. One that is there stays.
func (s *Store) PutNotice(ctx context.Context, n people.Notice) error {
	return s.InTx(ctx, "storing a notice", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into notices (id, subject, body) values ($1, $2, $3) on conflict do nothing`, n.ID, n.Subject, n.Text)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Subject: people.Subject{Type: "notice", ID: n.ID.String(), Name: n.Subject}})
	})
}

// noticeChunk is how many keys are gone through in a transaction.
const noticeChunk = 500

// Notify stores the mails of a notice for the owners of some keys that work, those after one; who has it already gets
// no other. It returns how many were stored, and the last key; zero at the end. full: as many mails wait as may, and
// nothing was done.
func (s *Store) Notify(ctx context.Context, notice schema.NoticeID, after schema.KeyID) (stored int, last schema.KeyID, full bool, err error) {
	now := s.Now()
	err = s.Pool.QueryRow(ctx, sql.Text(`
		with room as (
			select count(*) < @most - @chunk as is_there from (select from mails where due_at is not null limit @most) w
		), chunk as (
			select k.id, k.made_by, coalesce(w.live_id, w.id) as live
			from api_keys k join workspaces w on w.id = k.workspace_id and w.deleting_at is null
			where k.id > coalesce(@after::uuid, {no_id}) and k.revoked_at is null and (k.expires_at is null or k.expires_at > @now) and (select is_there from room)
			order by k.id limit @chunk
		), owned as (
			select s.live, (select u.email from users u where u.id = s.made_by) as maker, (select w.email from workspaces w where w.id = s.live) as registered from chunk s
		), told as (
			select coalesce(maker, registered) as email from owned where coalesce(maker, registered) is not null
			union
			select u.email from owned o join memberships m on m.workspace_id = o.live and m.role = @owner join users u on u.id = m.user_id
			where o.maker is null and o.registered is null
		), stored as (
			insert into mails (id, kind, about, recipient, since, due_at, expires_at)
			select gen_random_uuid(), @kind, @notice, lower(t.email), @now, @now, @now::timestamptz + @life::interval from told t
			where not exists (select from mail_choices c where c.email = lower(t.email) and c.kind = @kind and not c.wanted)
			group by lower(t.email) order by lower(t.email)
			on conflict (kind, about, recipient) do nothing returning 1
		)
		select (select count(*) from stored), coalesce((select max(id::text)::uuid from chunk), {no_id}), not (select is_there from room)`),
		pgx.StrictNamedArgs{
			"after": after, "now": now, "chunk": noticeChunk, "most": people.MailNotice.Room(), "owner": int16(people.Owner),
			"kind": int16(people.MailNotice), "notice": notice, "life": people.MailNotice.Life(),
		}).Scan(&stored, (*[16]byte)(&last), &full)
	return stored, last, full, db.Wrap(err, "storing mails")
}
