package mail

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Choices returns which mail about a live workspace a member gets, of the kinds that members of their role may have.
func (s *Store) Choices(ctx context.Context, user schema.UserID, workspace schema.WorkspaceID) (all []people.MailChoice, err error) {
	var role people.Role
	var chosen map[people.MailKind]bool
	err = s.Pool.QueryRow(ctx, `
		select m.role, coalesce(jsonb_object_agg(c.kind, c.wanted) filter (where c.kind is not null), '{}')
		from memberships m join users u on u.id = m.user_id
		left join mail_choices c on c.email = u.email and c.workspace_id = m.workspace_id
		where m.user_id = $1 and m.workspace_id = $2 group by m.role`, user, workspace).Scan((*int16)(&role), &chosen)
	if err != nil {
		return nil, db.Wrap(db.OrNotFound(err, "workspace"), "reading which mail is wanted")
	}
	for _, k := range people.MailKinds() {
		if k.Min() == people.Anyone || role < k.Min() {
			continue
		}
		wanted, isChosen := chosen[k]
		if !isChosen {
			wanted = role >= k.Usual()
		}
		all = append(all, people.MailChoice{Kind: k, Wanted: wanted})
	}
	return all, nil
}

// Choose stores which mail about a workspace a user wants.
func (s *Store) Choose(ctx context.Context, user schema.UserID, workspace schema.WorkspaceID, choices []people.MailChoice) error {
	b := &pgx.Batch{}
	for _, c := range choices {
		b.Queue(`
			insert into mail_choices (email, kind, workspace_id, wanted) select email, $2, $3, $4 from users where id = $1
			on conflict (email, kind, workspace_id) do update set wanted = excluded.wanted`, user, int16(c.Kind), workspace, c.Wanted)
	}
	return db.Wrap(s.Pool.SendBatch(ctx, b).Close(), "storing which mail is wanted")
}

// Recipient returns whose address a token of mail is of. The error is NotFound where it is none.
func (s *Store) Recipient(ctx context.Context, token string) (email string, err error) {
	err = s.Pool.QueryRow(ctx, `select email from mail_recipients where token = $1`, token).Scan(&email)
	return email, db.Wrap(db.OrNotFound(err, "link"), "reading who got a mail")
}

// Refuse stores that an address gets no more mail of a kind about a workspace, of all where that is zero. What waits
// is not sent.
func (s *Store) Refuse(ctx context.Context, email string, kind people.MailKind, workspace schema.WorkspaceID) error {
	b := &pgx.Batch{}
	b.Queue(sql.Text(`
		insert into mail_choices (email, kind, workspace_id, wanted)
		select $1, $2, coalesce($3::uuid, {no_id}), false where $3::uuid is null or exists (select from workspaces where id = $3)
		on conflict (email, kind, workspace_id) do update set wanted = excluded.wanted`), email, int16(kind), workspace)
	b.Queue(`delete from mails where recipient = $1 and kind = $2 and ($3::uuid is null or about = $3)`, email, int16(kind), workspace)
	return db.Wrap(s.Pool.SendBatch(ctx, b).Close(), "storing that no more mail is wanted")
}
