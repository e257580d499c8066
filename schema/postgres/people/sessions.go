package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
)

// seenEvery is how often it is stored that a session is in use.
const seenEvery = time.Minute

var errSessionEnded = &schema.Error{Kind: schema.Unauthorized, Message: "the session has ended; sign in again"}

// Session returns the session of a token's hash as it is now, with the role that its user has in its
// workspace now. The error is Unauthorized where it has ended. It works on no workspace where that is
// being deleted, or is not the user's any more.
func (s *Store) Session(ctx context.Context, hash [32]byte) (people.Session, error) {
	var v people.Session
	var live, scope *[16]byte
	var seen time.Time
	err := s.Pool.QueryRow(ctx, `
		select s.id, s.user_id, u.email, u.name, u.is_operator, u.confirmed_at is not null, s.sandbox, s.seen_at, coalesce(s.proven_at, s.created_at), s.expires_at, s.means, s.provider, u.password is not null,
			live.id, scope.id, coalesce(live.name, ''), coalesce(m.role, 0), coalesce(p.posts_per_month, 0)
		from sessions s
		join users u on u.id = s.user_id
		left join memberships m on m.user_id = s.user_id and m.workspace_id = s.workspace_id
		left join workspaces live on live.id = m.workspace_id and live.deleting_at is null
		left join workspaces scope on s.sandbox and scope.live_id = live.id or not s.sandbox and scope.id = live.id
		left join plans p on p.name = live.plan
		where s.hash = @hash and s.expires_at > now() and s.seen_at > now() - @idle::interval`,
		pgx.StrictNamedArgs{"hash": hash[:], "idle": people.SessionIdle},
	).Scan((*[16]byte)(&v.ID), (*[16]byte)(&v.User.ID), &v.User.Email, &v.User.Name, &v.User.IsOperator, &v.User.IsProven, &v.Sandbox, &seen, &v.ProvenAt, &v.ExpiresAt, (*int16)(&v.Means), &v.Provider, &v.HasPassword,
		&live, &scope, &v.Name, (*int16)(&v.Role), &v.PostsPerMonth)
	if err != nil {
		if schema.KindOf(db.OrNotFound(err, "session")) == schema.NotFound {
			return people.Session{}, errSessionEnded
		}
		return people.Session{}, db.Wrap(err, "reading a session")
	}
	if live != nil && scope != nil {
		v.Workspace, v.Scope = schema.WorkspaceID(*live), schema.WorkspaceID(*scope)
	} else {
		v.Role = people.Anyone
	}
	return v, s.see(ctx, v.ID, seen)
}

// see stores that a session is in use.
func (s *Store) see(ctx context.Context, id schema.SessionID, seen time.Time) error {
	if s.Now().Sub(seen) < seenEvery {
		return nil
	}
	_, err := s.Pool.Exec(ctx, `update sessions set seen_at = now() where id = $1`, id)
	return db.Wrap(err, "storing that a session is in use")
}

// beginSession stores a session on the workspace that the user was on last, or became a member of first. It
// ends the one before of the same browser, those beyond people.MaxSessions, and some that have expired.
func beginSession(ctx context.Context, tx pgx.Tx, n people.NewSession) error {
	b := &pgx.Batch{}
	b.Queue(`
		insert into sessions (id, user_id, hash, workspace_id, address, agent, means, provider, created_at, seen_at, expires_at)
		select @id, @user, @hash, (
				select m.workspace_id from memberships m
				join workspaces w on w.id = m.workspace_id and w.deleting_at is null
				left join sessions before on before.user_id = m.user_id and before.workspace_id = m.workspace_id
				where m.user_id = @user order by before.seen_at desc nulls last, m.created_at, m.workspace_id limit 1
			), @address, @agent, @means, @provider, @at, @at, @at::timestamptz + @life::interval`,
		pgx.StrictNamedArgs{
			"id": n.ID, "user": n.User, "hash": n.Hash[:], "address": n.Address, "agent": n.Agent, "means": int16(n.Means), "provider": n.Provider,
			"at": n.At, "life": people.SessionLife,
		})
	b.Queue(`delete from sessions where hash = $1`, n.Replaces[:])
	b.Queue(`
		delete from sessions where id in (select id from sessions where user_id = $1 order by seen_at desc, id desc offset $2)`, n.User, people.MaxSessions)
	b.Queue(`
		delete from sessions where id in (
			select id from sessions where seen_at <= now() - $1::interval order by seen_at limit 100 for update skip locked)`, people.SessionIdle)
	by := people.Actor{Kind: people.ByUser, ID: n.User.String(), Address: n.Address}
	b.Queue(`select name from users where id = $1`, n.User).QueryRow(func(row pgx.Row) error { return row.Scan(&by.Name) })
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return audit.Write(ctx, tx, n.At, audit.Entry{
		By: by, Subject: audit.Of("session", n.ID, ""),
		Changes: audit.Differences(people.Change{Field: "by", After: n.Means.String()}, people.Change{Field: "issuer", After: n.Provider}),
	})
}

// Sessions returns those of a user, the one that was used last first.
func (s *Store) Sessions(ctx context.Context, user schema.UserID) ([]people.SessionRecord, error) {
	rows, err := s.Pool.Query(ctx, `
		select s.id, coalesce(w.name, ''), s.sandbox, s.address, s.agent, s.means, s.provider, s.created_at, s.seen_at, s.expires_at
		from sessions s left join workspaces w on w.id = s.workspace_id
		where s.user_id = $1 and s.expires_at > now() and s.seen_at > now() - $2::interval order by s.seen_at desc, s.id desc`, user, people.SessionIdle)
	all, err := db.Collect(rows, err, func(row pgx.Row, r *people.SessionRecord) error {
		return row.Scan((*[16]byte)(&r.ID), &r.Workspace, &r.Sandbox, &r.Address, &r.Agent, (*int16)(&r.Means), &r.Provider, &r.CreatedAt, &r.SeenAt, &r.ExpiresAt)
	})
	return all, db.Wrap(err, "reading sessions")
}

// ProveByPassword stores that the user of a session has shown their password: attempts before it count no more. The
// error is Unauthorized where the session has ended.
func (s *Store) ProveByPassword(ctx context.Context, user schema.UserID, session schema.SessionID) error {
	return s.prove(ctx, user, session, func(tx pgx.Tx) error { return forgetWindow(ctx, tx, proofSubject(user)) })
}

// ProveByPasskey stores that the user of a session has shown one of their passkeys, whose count is what it was just
// now. The error is Unauthorized where the session has ended, the passkey is gone, or its count says that there is a
// copy of it.
func (s *Store) ProveByPasskey(ctx context.Context, p people.Passkey, session schema.SessionID) error {
	return s.prove(ctx, p.User, session, func(tx pgx.Tx) error { return countUse(ctx, tx, p, s.Now()) })
}

func (s *Store) prove(ctx context.Context, user schema.UserID, session schema.SessionID, check func(pgx.Tx) error) error {
	return s.InTx(ctx, "storing a proof", func(tx pgx.Tx) error {
		if err := lockSession(ctx, tx, user, session); err != nil {
			return err
		}
		if err := check(tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update sessions set proven_at = $2 where id = $1`, session, s.Now())
		return err
	})
}

// EndSession ends one of a user's sessions. The error is NotFound where they have no such one.
func (s *Store) EndSession(ctx context.Context, user schema.UserID, id schema.SessionID) error {
	return s.InTx(ctx, "ending a session", func(tx pgx.Tx) error {
		var address string
		err := tx.QueryRow(ctx, `delete from sessions where user_id = $1 and id = $2 returning address`, user, id).Scan(&address)
		if err != nil {
			return db.OrNotFound(err, "session")
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Subject: audit.Of("session", id, "begun from "+address)})
	})
}

// TurnSession says what a session works on: a live workspace that its user is a member of, or its twin. The
// error is NotFound where the user is no member.
func (s *Store) TurnSession(ctx context.Context, id schema.SessionID, workspace schema.WorkspaceID, sandbox bool) error {
	err := db.ExecOr(ctx, s.Pool, db.NotFound("workspace"), `
		with member as (
			select s.id, m.workspace_id from sessions s
			join memberships m on m.user_id = s.user_id and m.workspace_id = $2
			join workspaces w on w.id = m.workspace_id and w.deleting_at is null
			where s.id = $1 for share of m
		)
		update sessions s set workspace_id = member.workspace_id, sandbox = $3 from member where s.id = member.id`, id, workspace, sandbox)
	return db.Wrap(err, "turning a session")
}
