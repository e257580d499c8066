package people

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Audit returns a page of the audit log, the newest rows first.
func (s *Store) Audit(ctx context.Context, q people.AuditQuery) ([]people.AuditRecord, error) {
	of := `a.workspace_id = @workspace` // a comparison that takes null too would use no index
	if q.Workspace.IsZero() {
		of = `a.workspace_id is null and @workspace::uuid is null`
	}
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select a.id, a.at, a.actor, a.actor_id, a.actor_name, a.address, a.action, a.subject, a.subject_id, a.subject_name, a.changes
		from audit a
		where {of_workspace}
		  and (@actor = '' or a.actor_id = @actor or a.actor = @kind)
		  and (@subject = '' or a.subject_id = @subject or a.subject = @subject)
		  and (@action = '' or a.action = @action or starts_with(a.action, @action || '.'))
		  and (@from::timestamptz is null or a.at >= @from) and (@to::timestamptz is null or a.at < @to)
		  and (@at::timestamptz is null or (a.at, a.id) < (@at, @id::uuid))
		order by a.at desc, a.id desc limit @limit`, "of_workspace", of), pgx.StrictNamedArgs{
		"workspace": q.Workspace, "actor": q.Actor, "kind": int16(people.ParseActorKind(q.Actor)), "subject": q.Subject, "action": q.Action,
		"from": db.OrNull(q.From), "to": db.OrNull(q.To), "at": db.OrNull(q.Before.At), "id": q.Before.ID, "limit": q.Limit,
	})
	found, err := db.Collect(rows, err, func(row pgx.Row, r *people.AuditRecord) error {
		return row.Scan((*[16]byte)(&r.ID), &r.At, (*int16)(&r.Actor.Kind), &r.Actor.ID, &r.Actor.Name, &r.Actor.Address, &r.Action,
			&r.Subject.Type, &r.Subject.ID, &r.Subject.Name, db.Document("changes", &r.Changes))
	})
	return found, db.Wrap(err, "reading the audit log")
}

// forgetName takes the name and the networks of a user out of the audit log, in chunks; a session is named by its
// network, a passkey by the user. It can be cut off anywhere, and called again.
func forgetName(ctx context.Context, q db.Execer, user schema.UserID) error {
	for {
		tag, err := q.Exec(ctx, `
			update audit set actor_name = $2, address = '', subject_name = case when subject in ('session', 'passkey') then '' else subject_name end,
				changes = case when subject = 'passkey' then '[]' else changes end
			where (id, at) in (
				select id, at from audit where actor_id = $1 and (actor_name <> $2 or address <> '') limit $3)`, user.String(), people.RemovedUser, tables.HistoryChunk)
		if err != nil || tag.RowsAffected() < tables.HistoryChunk {
			return err
		}
	}
}
