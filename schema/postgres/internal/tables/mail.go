package tables

import (
	"bytes"
	"context"
	"slices"
	"time"

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
		"id": schema.NewID[schema.MailID](now), "kind": int16(m.Kind), "about": m.About, "recipient": m.Recipient, "now": now, "life": m.Kind.Life(),
		"interval": people.MailInterval, "waiting": m.Kind.Room(), "toUnknown": []int16{int16(people.MailInvitation), int16(people.MailAddress)},
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

// mailSlack is how long before an event what it tells of may have been stored: a transaction lasts no longer. A
// mail lists it twice rather than never.
const mailSlack = db.TransactionTimeout

// QueueMailNotes notes that the members of workspaces are to be told by mail of what events tell: of posts that
// failed, and of accounts that have ended. Where it is noted already, nothing is written. Sandboxes send none.
func QueueMailNotes(b *pgx.Batch, batches []schema.EventBatch, now time.Time) {
	notes := mailNotesOf(batches)
	if len(notes) == 0 {
		return
	}
	var ids []schema.MailID
	var kinds []int16
	var workspaces []schema.WorkspaceID
	var since []time.Time
	for _, n := range notes {
		ids, kinds = append(ids, schema.NewID[schema.MailID](now)), append(kinds, int16(n.kind))
		workspaces, since = append(workspaces, n.workspace), append(since, n.since.Add(-mailSlack))
	}
	b.Queue(noteMails, pgx.StrictNamedArgs{
		"ids": ids, "kinds": kinds, "workspaces": workspaces, "since": since, "now": now,
		"gathering": people.MailGathering, "interval": people.MailInterval, "life": people.MailPostsFailed.Life(),
	})
}

var noteMails = sql.Text(`
	insert into mails as m (id, kind, about, recipient, since, due_at, expires_at)
	select n.id, n.kind, n.workspace, '', n.since, @now::timestamptz + @gathering::interval, @now::timestamptz + @life::interval
	from unnest(@ids::uuid[], @kinds::int2[], @workspaces::uuid[], @since::timestamptz[]) n (id, kind, workspace, since)
	join workspaces w on w.id = n.workspace and w.live_id is null and w.deleting_at is null
	where not exists (
		select from mails o
		where o.kind = n.kind and o.about = n.workspace and o.recipient = '' and o.due_at is not null and o.since <= n.since)
	order by n.kind, n.workspace
	on conflict (kind, about, recipient) do update set {again_mail}`)

type mailNote struct {
	kind      people.MailKind
	workspace schema.WorkspaceID
	since     time.Time
}

// mailNotesOf returns what events ask to be told by mail, each once, in the order in which rows are locked.
func mailNotesOf(batches []schema.EventBatch) (notes []mailNote) {
	for _, b := range batches {
		for _, e := range b.Events {
			kind := mailKindOf(e)
			if kind == 0 {
				continue
			}
			i := slices.IndexFunc(notes, func(n mailNote) bool { return n.kind == kind && n.workspace == e.Workspace })
			if i < 0 {
				notes = append(notes, mailNote{kind, e.Workspace, e.At})
			} else if e.At.Before(notes[i].since) {
				notes[i].since = e.At
			}
		}
	}
	slices.SortFunc(notes, func(a, b mailNote) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return a.workspace.Compare(b.workspace)
	})
	return notes
}

// failedPlatform is in the data of the event of a post that was published, where a platform of it failed. In a
// text of the post the quotes would be escaped; where its metadata has it, there is nothing to tell.
var failedPlatform = []byte(`"status":"failed"`)

func mailKindOf(e schema.Event) people.MailKind {
	switch {
	case e.Type == schema.PostFailed, e.Type == schema.PostPublished && bytes.Contains(e.Data, failedPlatform):
		return people.MailPostsFailed
	case e.Type == schema.AccountError:
		return people.MailReconnect
	default:
		return 0
	}
}
