package deletion

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/sleep"
)

// Stop confirms a deletion and returns once nothing of it goes out any more: no claim begins,
// and calls in hand have ended. Until ctx ends it waits for those; then the error is
// Unavailable, and the deletion goes on by itself: it is returned with ConfirmedAt. It can be called
// again. NotFound where the token confirms nothing.
func (s *Store) Stop(ctx context.Context, id schema.DeletionID, token [32]byte) (schema.Deletion, error) {
	var d schema.Deletion
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		err := scan(tx.QueryRow(ctx, sql.Text(`
			select {deletion_columns} from deletions
			where id = $1 and token_hash = $2 and (status <> {deletion_asked} or asked_at > $3) for update`),
			id, token[:], s.Now().Add(-schema.DeletionLife)), &d)
		if err != nil || d.Status != schema.DeletionAsked {
			return err
		}
		d.Status, d.ConfirmedAt = schema.DeletionStopping, s.Now()
		if err := s.stop(ctx, tx, d); err != nil || d.OfWorkspace {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), entry(d))
	})
	if err != nil {
		return schema.Deletion{}, db.OrNotFound(err, "deletion")
	}
	if d.Status < schema.DeletionRemoving {
		if err := s.settle(ctx, id); err != nil {
			return d, err
		}
	}
	all, err := s.Deletions(ctx, id)
	if err != nil {
		return d, err
	}
	return all[0], nil
}

// stop marks what is deleted: what it has connected is erased at once, so that nobody can go
// on with it.
func (s *Store) stop(ctx context.Context, tx pgx.Tx, d schema.Deletion) error {
	var found [][16]byte
	if err := tx.QueryRow(ctx, `select workspaces from deletions where id = $1`, d.ID).Scan(&found); err != nil {
		return err
	}
	workspaces := db.IDs[schema.WorkspaceID](found)
	b := &pgx.Batch{}
	if d.OfWorkspace {
		// Whoever connects accounts, subscribes or makes keys locks the workspace: one after the other.
		if _, err := tx.Exec(ctx, `select from workspaces where id = any($1) order by id for update`, workspaces); err != nil {
			return err
		}
		if err := refuseSubscribed(ctx, tx, workspaces); err != nil {
			return err
		}
		queueStopWorkspaces(b, d.ID, workspaces)
	}
	queueStopAccounts(b, d)
	b.Queue(sql.Text(`update deletions set status = {deletion_stopping}, confirmed_at = $2, worked_at = $2 where id = $1`), d.ID, d.ConfirmedAt)
	return tx.SendBatch(ctx, b).Close()
}

// queueStopWorkspaces ends keys and webhooks, and notes by what they are known elsewhere. A
// twin may have been made since it was asked.
func queueStopWorkspaces(b *pgx.Batch, id schema.DeletionID, workspaces []schema.WorkspaceID) {
	b.Queue(`
		update deletions d set
			workspaces = array(select w.id from workspaces w where w.id = any($2) or w.live_id = any($2) order by w.live_id is not null),
			accounts = array(select a.id from accounts a join workspaces w on w.id = a.workspace_id where w.id = any($2) or w.live_id = any($2))
		where d.id = $1`, id, workspaces)
	// The name is free at once, as is the id of an account on its platform.
	b.Queue(sql.Text(`
		update workspaces set deleting_at = now(), name = 'deleted ' || id, email = null, connect_redirects = '{}'
		where id = any({deleted_workspaces})`), id)
	b.Queue(sql.Text(`
		update deletions set
			keys = array(select k.id from api_keys k where k.workspace_id = any(workspaces)),
			lineages = array({lineages_of(workspaces)}),
			webhooks = array(select h.id from webhooks h where h.workspace_id = any(workspaces))
		where id = $1`), id)
	b.Queue(sql.Text(`update api_keys set revoked_at = coalesce(revoked_at, now()) where workspace_id = any({deleted_workspaces})`), id)
	for _, table := range []string{"sessions", "invitations", "memberships"} {
		b.Queue(sql.Text(`delete from {table} where workspace_id = any({deleted_workspaces})`, "table", table), id)
	}
	b.Queue(sql.Text(`delete from webhooks where workspace_id = any({deleted_workspaces})`), id)
	b.Queue(sql.Text(`delete from consents where workspace_id = any({deleted_workspaces})`), id)
	b.Queue(hold, id, itsKind(schema.WorkspaceDeleting))
}

func itsKind(k schema.HoldKind) int16 { return int16(k) }

// hold takes the place of pauses.
const (
	hold = `
	with pauses as (delete from holds where subject = any((select workspaces from deletions where id = $1)::uuid[]) and kind <> $2)
	insert into holds (subject, kind, reason) select unnest(workspaces), $2, '' from deletions where id = $1
	on conflict (subject, kind) do nothing`
	holdAccounts = `
	with pauses as (delete from holds where subject = any((select accounts from deletions where id = $1)::uuid[]) and kind <> $2)
	insert into holds (subject, kind, reason) select unnest(accounts), $2, '' from deletions where id = $1
	on conflict (subject, kind) do nothing`
)

// queueStopAccounts erases what crier has of accounts from their platforms.
func queueStopAccounts(b *pgx.Batch, d schema.Deletion) {
	b.Queue(sql.Text(`
		update deletions set
			profiles = array(select distinct {profile} from accounts a join workspaces w on w.id = a.workspace_id where a.id = any(accounts)),
			unshared = array(
				select distinct {profile} from accounts a join workspaces w on w.id = a.workspace_id
				where a.id = any(accounts) and (w.live_id is not null or not exists (
					select from accounts o join workspaces ow on ow.id = o.workspace_id
					where o.platform = a.platform and o.native_id = a.native_id and o.server = a.server
					  and o.disconnected_at is null and ow.live_id is null and o.id <> all(accounts))))
		where id = $1`), d.ID)
	b.Queue(`
		update accounts set disconnected_at = coalesce(disconnected_at, now()), sealed = '', revision = revision + 1,
			native_id = 'deleted ' || id, name = '', server = '', settings = '{}', brand_id = null, reconnect = null, person = null,
			needs_reconnect = false, ended = 0, end_message = null, expires_at = null, checked_at = null,
			renew_at = null, renew_asked_at = null, renew_step = 0, renew_attempts = 0
		where id = any((select accounts from deletions where id = $1)::uuid[])`, d.ID)
	// A call in hand that ends from here on leaves the receipt of an account of this name.
	b.Queue(sql.Text(`
		update deletions set profiles = profiles || erased.all_of, unshared = unshared || erased.all_of
		from (
			select array_agg(distinct {profile}) as all_of from accounts a join workspaces w on w.id = a.workspace_id
			where a.id = any((select accounts from deletions where id = $1)::uuid[])
		) erased
		where id = $1`), d.ID)
	b.Queue(`delete from jobs where id = any((select accounts from deletions where id = $1)::uuid[])`, d.ID)
	b.Queue(`
		with resting as (update collections set due_at = null where account_id = any((select accounts from deletions where id = $1)::uuid[]) returning id)
		delete from jobs j using resting where j.id = resting.id`, d.ID)
	if !d.OfWorkspace {
		b.Queue(holdAccounts, d.ID, itsKind(schema.AccountDeleting))
		b.Queue(`delete from consents where account_id = any((select accounts from deletions where id = $1)::uuid[])`, d.ID)
	}
}

// settleLook is how often is looked whether calls in hand have ended.
const settleLook = 20 * time.Millisecond

// settle waits until nothing of a deletion goes out any more, and notes that.
func (s *Store) settle(ctx context.Context, id schema.DeletionID) error {
	for {
		settled, err := s.trySettle(ctx, id)
		if settled || err != nil {
			return err
		}
		if sleep.For(ctx, settleLook) != nil {
			return &schema.Error{
				Kind: schema.Unavailable, RetryAfter: schema.SettleTime,
				Message: "the deletion has begun, but calls in hand have not ended: nothing new goes out; GET /deletions/{id} tells when they have",
			}
		}
	}
}

// trySettle notes that nothing goes out any more, if that is so. It is in two steps: first what
// was claiming when the mark was made has ended, then what was claimed.
func (s *Store) trySettle(ctx context.Context, id schema.DeletionID) (settled bool, err error) {
	if err := s.passClaims(ctx); err != nil {
		return false, notSettled(err)
	}
	var open int
	err = s.Pool.QueryRow(ctx, openClaims, pgx.StrictNamedArgs{
		"id": id, "tail": (schema.Lease - schema.CallDeadline).String(), "since": schema.FirstID[schema.DeliveryID](s.Now().Add(-recentDeliveries)),
	}).Scan(&open)
	if err != nil || open > 0 {
		return false, notSettled(err)
	}
	_, err = s.Pool.Exec(ctx, sql.Text(`
		update deletions set status = {deletion_removing}, stopped_at = $2 where id = $1 and status = {deletion_stopping}`), id, s.Now())
	return err == nil, notSettled(err)
}

func notSettled(err error) error {
	return db.Wrap(err, "waiting for calls in hand")
}

// passClaims waits for the transactions that were writing to what is claimed: a claim that
// began before the mark was committed does not see it. Whoever begins later does.
func (s *Store) passClaims(ctx context.Context) error {
	rows, err := s.Pool.Query(ctx, `select distinct virtualtransaction from pg_locks where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
		and database = (select oid from pg_database where datname = current_database())
		and relation = any(array['targets'::regclass, 'comments'::regclass, 'deliveries'::regclass, 'accounts'::regclass])`)
	if err != nil {
		return err
	}
	before, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for err == nil && len(before) > 0 {
		if err := sleep.For(ctx, time.Millisecond); err != nil {
			return err
		}
		var left int
		err = s.Pool.QueryRow(ctx, `select count(*) from pg_locks where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
		and database = (select oid from pg_database where datname = current_database())
		and relation = any(array['targets'::regclass, 'comments'::regclass, 'deliveries'::regclass, 'accounts'::regclass]) and virtualtransaction = any($1)`, before).Scan(&left)
		if left == 0 {
			break
		}
	}
	return err
}

// recentDeliveries bounds where claimed deliveries are looked for: none waits for longer.
const recentDeliveries = 48 * time.Hour

// openClaims counts the claims under which a call may still go out. A visible call ends at its
// deadline, which is before its lease; a claim whose process died is over then, too.
var openClaims = sql.Text(`
	with d as materialized (select workspaces, accounts, webhooks, of_workspace from deletions where id = @id)
	select (
		select count(*) from d cross join lateral (
			select t.account_id, t.step, t.lease_until from posts p join targets t on t.post_id = p.id
			where p.workspace_id = any(d.workspaces) and p.scheduled_for < now() + interval '1 day' -- what is published is due
			  and p.status = {post_processing} and t.state = {target_claimed}
		) t
		where (d.of_workspace or t.account_id = any(d.accounts))
		  and t.lease_until > now() + case when t.step = {step_prepare} then interval '0' else @tail::interval end
	) + (
		select count(*) from d cross join lateral (
			select c.account_id, c.lease_until from posts p join comments c on c.post_id = p.id
			where p.workspace_id = any(d.workspaces) and p.scheduled_for < now() + interval '1 day' and c.state = {comment_claimed}
			union all
			select c.account_id, c.lease_until from comments c -- replies
			where c.post_id is null and c.account_id = any(d.accounts) and c.state = {comment_claimed}
		) c
		where (d.of_workspace or c.account_id = any(d.accounts)) and c.lease_until > now() + @tail::interval
	) + (
		select count(*) from deliveries y, d
		where y.webhook_id = any(d.webhooks) and y.id > @since and y.state = {delivery_claimed} and y.lease_until > now()
	) + (
		select count(*) from accounts a, d where a.id = any(d.accounts) and a.renew_lease > now() + @tail::interval
	)`)
