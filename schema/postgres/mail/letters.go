package mail

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Letter reads what a mail says now, and makes its links. found is false where there is nothing to say any more: the
// invitation was accepted, the accounts are connected again, the member has left.
func (s *Store) Letter(ctx context.Context, m people.Mail) (l people.Letter, found bool, err error) {
	read := map[people.MailKind]func(context.Context, people.Mail, *people.Letter) error{
		people.MailInvitation: s.invitation, people.MailReset: s.reset, people.MailAddress: s.address, people.MailAddressChanged: s.addressChanged,
		people.MailPostsFailed: s.postsFailed, people.MailReconnect: s.reconnect, people.MailSuspension: s.suspension, people.MailNotice: s.notice,
	}[m.Kind]
	l = people.Letter{Kind: m.Kind, Recipient: m.Recipient}
	err = read(ctx, m, &l)
	if err == nil && m.Kind.Refusable() {
		err = s.refusing(ctx, &l)
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return l, false, nil
	case err != nil:
		return l, false, db.Wrap(err, "reading what a mail says")
	default:
		return l, true, nil
	}
}

// token makes the token of a link.
func (s *Store) token(l *people.Letter) (hash [32]byte, err error) {
	if l.Token, err = people.NewToken(s.random); err != nil {
		return hash, err
	}
	hash, _ = people.HashToken(l.Token)
	return hash, nil
}

// invitation asks somebody to become a member. Of an invitation that goes by mail twice, the link in the later one works.
func (s *Store) invitation(ctx context.Context, m people.Mail, l *people.Letter) error {
	hash, err := s.token(l)
	if err != nil {
		return err
	}
	return s.Pool.QueryRow(ctx, sql.Text(`
		update invitations i set mail_hash = $3 from workspaces w
		where i.workspace_id = $1 and i.email = $2 and i.expires_at > now() and w.id = i.workspace_id and w.deleting_at is null
		returning i.role, {shown_name}, coalesce((select u.name from users u where u.id = i.invited_by), '')`),
		m.About, m.Recipient, hash[:]).Scan((*int16)(&l.Role), &l.Workspace, &l.By)
}

// reset makes a link by which a user signs in and chooses another password.
func (s *Store) reset(ctx context.Context, m people.Mail, l *people.Letter) error {
	hash, err := s.token(l)
	if err != nil {
		return err
	}
	return s.Pool.QueryRow(ctx, `
		with made as (
			insert into sign_in_links (hash, user_id, expires_at)
			select $3, id, now() + $4::interval from users where id = $1 and email = $2 returning user_id
		)
		select u.name from users u join made on made.user_id = u.id`, m.About, m.Recipient, hash[:], people.ResetLife).Scan(&l.Name)
}

// address lets a user prove that they get mail at an address.
func (s *Store) address(ctx context.Context, m people.Mail, l *people.Letter) error {
	hash, err := s.token(l)
	if err != nil {
		return err
	}
	return s.Pool.QueryRow(ctx, `
		update email_changes c set hash = $3 from users u
		where c.user_id = $1 and c.email = $2 and c.expires_at > now() and u.id = c.user_id returning u.name`,
		m.About, m.Recipient, hash[:]).Scan(&l.Name)
}

// addressChanged tells the address before. It does not say which the new one is.
func (s *Store) addressChanged(ctx context.Context, m people.Mail, l *people.Letter) error {
	return s.Pool.QueryRow(ctx, `select name from users where id = $1 and email <> $2`, m.About, m.Recipient).Scan(&l.Name)
}

// member reads the workspace that a mail is about, of which the recipient is a member.
func (s *Store) member(ctx context.Context, m people.Mail, l *people.Letter) error {
	l.About = schema.WorkspaceID(m.About)
	return s.Pool.QueryRow(ctx, sql.Text(`
		select {shown_name}, u.name from workspaces w
		join memberships o on o.workspace_id = w.id join users u on u.id = o.user_id
		where w.id = $1 and w.deleting_at is null and u.email = $2 and o.role >= $3`),
		m.About, m.Recipient, int16(m.Kind.Min())).Scan(&l.Workspace, &l.Name)
}

// postsFailed lists the targets that failed of posts that ended since, the latest first.
func (s *Store) postsFailed(ctx context.Context, m people.Mail, l *people.Letter) error {
	if err := s.member(ctx, m, l); err != nil {
		return err
	}
	rows, err := s.Pool.Query(ctx, sql.Text(`
		with ended as (
			(select e.post_id as id, e.ended_at from ended_posts e
			 where e.workspace_id = @workspace and e.status in ({post_partially_failed}, {post_failed}) and e.ended_at >= @since order by e.ended_at desc limit @most)
			union all
			(select h.id, h.ended_at from posts_history h
			 where h.workspace_id = @workspace and h.status in ({post_partially_failed}, {post_failed}) and h.from_api and h.ended_at >= @since order by h.ended_at desc limit @most)
			union all
			(select h.id, h.ended_at from posts_history h
			 where h.workspace_id = @workspace and h.status in ({post_partially_failed}, {post_failed}) and not h.from_api and h.ended_at >= @since order by h.ended_at desc limit @most)
		), latest as (select id, ended_at from ended order by ended_at desc, id desc limit @listed)
		select f.id, f.ended_at, t.platform, coalesce(a.name, ''), coalesce(t.error ->> 'message', ''), (select count(*) from ended)
		from latest f join all_targets t on t.post_id = f.id and t.state = {target_failed} left join accounts a on a.id = t.account_id
		order by f.ended_at desc, f.id desc, t.n`),
		pgx.StrictNamedArgs{"workspace": m.About, "since": m.Since, "most": people.MaxCounted, "listed": people.MaxListed})
	if err != nil {
		return err
	}
	var all int
	posts := map[schema.PostID]bool{}
	l.Posts, err = db.Collect(rows, nil, func(row pgx.Row, p *people.FailedPost) error {
		err := row.Scan((*[16]byte)(&p.ID), &p.At, &p.Platform, &p.Account, &p.Error, &all)
		posts[p.ID] = true
		return err
	})
	l.More = all - len(posts)
	return orNothing(err, len(l.Posts))
}

// reconnect lists the accounts that have to be connected again.
func (s *Store) reconnect(ctx context.Context, m people.Mail, l *people.Letter) error {
	if err := s.member(ctx, m, l); err != nil {
		return err
	}
	rows, err := s.Pool.Query(ctx, `
		select id, platform, name from accounts
		where workspace_id = $1 and needs_reconnect and disconnected_at is null order by platform, name limit $2`, m.About, people.MaxCounted)
	l.Accounts, err = db.Collect(rows, err, func(row pgx.Row, a *people.EndedAccount) error {
		return row.Scan((*[16]byte)(&a.ID), &a.Platform, &a.Name)
	})
	l.Accounts, l.More = listed(l.Accounts)
	return orNothing(err, len(l.Accounts))
}

// suspension lists the keys that are suspended. It is for admins, for members who have made one of them, and where the
// workspace has no member, for its registered address: whoever has left meanwhile is told nothing.
func (s *Store) suspension(ctx context.Context, m people.Mail, l *people.Letter) error {
	l.About = schema.WorkspaceID(m.About)
	err := s.Pool.QueryRow(ctx, sql.Text(`
		select {shown_name} from workspaces w where w.id = $1 and w.deleting_at is null and (
			exists (
				select from users u join memberships o on o.user_id = u.id and o.workspace_id = w.id
				where u.email = $2 and (o.role >= $3 or exists (
					select from api_keys k join workspaces v on v.id = k.workspace_id
					where k.made_by = u.id and k.suspended_until > now() and (v.id = w.id or v.live_id = w.id))))
			or w.email = $2 and not exists (select from memberships o where o.workspace_id = w.id))`),
		m.About, m.Recipient, int16(m.Kind.Min())).Scan(&l.Workspace)
	if err != nil {
		return err
	}
	rows, err := s.Pool.Query(ctx, `
		select k.name, k.prefix, k.suspended_until from api_keys k join workspaces w on w.id = k.workspace_id
		where (w.id = $1 or w.live_id = $1) and k.suspended_until > now() and k.revoked_at is null
		order by k.suspended_at desc, k.id limit $2`, m.About, people.MaxCounted)
	l.Keys, err = db.Collect(rows, err, func(row pgx.Row, k *people.SuspendedKey) error {
		return row.Scan(&k.Name, &k.Prefix, &k.Until)
	})
	l.Keys, l.More = listed(l.Keys)
	return orNothing(err, len(l.Keys))
}

func (s *Store) notice(ctx context.Context, m people.Mail, l *people.Letter) error {
	return s.Pool.QueryRow(ctx, `select subject, body from notices where id = $1`, m.About).Scan(&l.Subject, &l.Text)
}

// refusing gives a mail the token by which whoever gets it gets no more: one for each address.
func (s *Store) refusing(ctx context.Context, l *people.Letter) error {
	token, err := people.NewToken(s.random)
	if err != nil {
		return err
	}
	return s.Pool.QueryRow(ctx, `
		insert into mail_recipients as r (email, token) values ($1, $2)
		on conflict (email) do update set mailed_at = case when r.mailed_at < now() - interval '1 day' then now() else r.mailed_at end
		returning token`, l.Recipient, token).Scan(&l.Refusing)
}

// listed returns the first of all, and how many more there are.
func listed[T any](all []T) (first []T, more int) {
	n := min(len(all), people.MaxListed)
	return all[:n], len(all) - n
}

// orNothing is pgx.ErrNoRows where a list is empty: there is nothing to tell.
func orNothing(err error, n int) error {
	if err == nil && n == 0 {
		return pgx.ErrNoRows
	}
	return err
}
