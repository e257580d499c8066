package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Connect stores accounts whose credentials their platform took, all or none, with their
// events. One that was connected before, even if it was disconnected since, is the same
// account with new credentials. It is PlanLimitReached where the workspace's plan has no
// room for those that are new; a sandbox twin's accounts are not counted.
func (s *Store) Connect(ctx context.Context, workspace schema.WorkspaceID, connections []schema.Connection) ([]schema.Connected, error) {
	var connected []schema.Connected
	var said *schema.EncodedEvents
	var jobs []schema.Job
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		connected, jobs = make([]schema.Connected, len(connections)), nil
		room, err := accountRoom(ctx, tx, workspace)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		var events []schema.Event
		for i := range connections {
			one, changed, err := s.connect(ctx, tx, b, workspace, &connections[i])
			if err != nil {
				return err
			}
			if one.New {
				room--
			}
			if room < 0 {
				return planFull()
			}
			connected[i] = one
			if changed {
				events = append(events, accountEvent(schema.AccountConnected, one.Account, nil, s.Now()))
				jobs = append(jobs, queueRenewal(b, &one.Account, s.Now())...)
			}
		}
		said = queueEvents(b, events, s.Now())
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return nil, orNotFound(err, "workspace")
	}
	s.announceAccounts(jobs, said)
	return connected, nil
}

func planFull() error {
	return &schema.Error{Kind: schema.PlanLimitReached, Message: "the plan has no room for another connected account"}
}

// announceAccounts hands on what a change of accounts asks of the log.
func (s *Store) announceAccounts(jobs []schema.Job, said *schema.EncodedEvents) {
	announcement := schema.Announcement{Jobs: soon(jobs, s.Now())}
	if said != nil {
		announcement.Events = []schema.EncodedEvents{*said}
	}
	s.announce(announcement)
}

// accountRoom locks a workspace, so that accounts are connected in turn, and returns how
// many more its plan allows. The lock is a statement of its own: one that counts as well
// would count what it saw before it waited.
func accountRoom(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) (int, error) {
	if _, err := tx.Exec(ctx, `select from workspaces where id = $1 for no key update`, workspace); err != nil {
		return 0, err
	}
	var room int
	err := tx.QueryRow(ctx, `
		select case when w.live_id is not null or coalesce(p.accounts, 0) = 0 then 1000000 else p.accounts end - (
			select count(*) from accounts a where a.workspace_id = w.id and a.disconnected_at is null)
		from workspaces w join plans p on p.name = w.plan
		where w.id = $1`, workspace).Scan(&room)
	return room, err
}

// connect adds the statement that stores one account. changed is false where it is
// connected already and has these credentials.
func (s *Store) connect(ctx context.Context, tx pgx.Tx, b *pgx.Batch, workspace schema.WorkspaceID, c *schema.Connection) (one schema.Connected, changed bool, err error) {
	a, wanted := &one.Account, &c.Account
	row := tx.QueryRow(ctx, `select `+accountColumns+` from accounts a join workspaces w on w.id = a.workspace_id
		where a.workspace_id = $1 and a.platform = $2 and a.native_id = $3 and a.server = $4 for update of a`,
		workspace, wanted.Platform, wanted.NativeID, wanted.Server)
	err = scanAccount(row, a)
	known := err == nil
	switch {
	case known:
		one.New = a.Disconnected
	case errors.Is(err, pgx.ErrNoRows):
		*a, one.New = *wanted, true
		a.ID, a.Workspace, a.CreatedAt, a.Revision = schema.NewAccountID(s.Now()), workspace, s.Now(), 1
	default:
		return one, false, err
	}
	if !wanted.Brand.IsZero() {
		a.Brand = wanted.Brand
	}
	if err := brandExists(ctx, tx, workspace, a.Brand); err != nil {
		return one, false, err
	}
	sealed, differ, err := c.Seal(*a)
	if err != nil {
		return one, false, err
	}
	changed = differ || one.New || a.Problem() != nil
	a.Name, a.ExpiresAt, a.Renewable = wanted.Name, c.ExpiresAt, c.Renewable
	if known && changed {
		a.Revision++
	}
	if changed {
		*a = a.Revived()
		a.Sealed, a.Disconnected = sealed, false
	}
	b.Queue(putConnected, pgx.StrictNamedArgs{
		"id": a.ID, "workspace": workspace, "brand": a.Brand, "platform": a.Platform, "native": a.NativeID, "name": a.Name,
		"server": a.Server, "sealed": a.Sealed, "revision": a.Revision, "expires": orNull(a.ExpiresAt), "renewable": a.Renewable,
		"created": a.CreatedAt, "renew": orNull(a.RenewalDue(s.Now(), false)),
	})
	return one, changed, nil
}

// putConnected forgets how a renewal stood where the credentials are other ones.
const putConnected = `
	insert into accounts as a (id, workspace_id, brand_id, platform, native_id, name, server, sealed, revision, expires_at, renewable, created_at, renew_at)
	values (@id, @workspace, @brand, @platform, @native, @name, @server, @sealed, @revision, @expires, @renewable, @created, @renew)
	on conflict (id) do update set
		brand_id = excluded.brand_id, name = excluded.name, sealed = excluded.sealed, revision = excluded.revision,
		expires_at = excluded.expires_at, renewable = excluded.renewable, needs_reconnect = false, ended = 0, end_message = null, disconnected_at = null,
		renew_at = case when a.revision = excluded.revision then a.renew_at else excluded.renew_at end,
		renew_asked_at = case when a.revision = excluded.revision then a.renew_asked_at end,
		renew_step = case when a.revision = excluded.revision then a.renew_step else 0 end,
		renew_lease = case when a.revision = excluded.revision then a.renew_lease end,
		renew_attempts = case when a.revision = excluded.revision then a.renew_attempts else 0 end`

// brandExists refuses a brand that is not the workspace's, and holds it until the
// transaction ends.
func brandExists(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, brand schema.BrandID) error {
	if brand.IsZero() {
		return nil
	}
	var found bool
	err := tx.QueryRow(ctx, `select true from brands where id = $1 and workspace_id = $2 for share`, brand, workspace).Scan(&found)
	if errors.Is(err, pgx.ErrNoRows) {
		return schema.InvalidField("brandId", "brand_unknown", "there is no such brand")
	}
	return err
}

// UpdateAccount changes the brand and the name of an account.
func (g *Gateway) UpdateAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, change func(*schema.Account)) (schema.Account, error) {
	var a schema.Account
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		var err error
		if a, err = lockAccount(ctx, tx, workspace, id); err != nil {
			return err
		}
		change(&a)
		if err := brandExists(ctx, tx, workspace, a.Brand); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update accounts set brand_id = $3, name = $4 where id = $1 and workspace_id = $2`, id, workspace, a.Brand, a.Name)
		return err
	})
	if err != nil {
		return a, orNotFound(err, "account")
	}
	return g.Account(ctx, workspace, id)
}

// lockAccount reads a connected account for a change.
func lockAccount(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	var a schema.Account
	row := tx.QueryRow(ctx, `select `+accountColumns+` from accounts a join workspaces w on w.id = a.workspace_id
		where a.id = $1 and a.workspace_id = $2 and a.disconnected_at is null for update of a`, id, workspace)
	return a, scanAccount(row, &a)
}

// Disconnect ends an account: its credentials are erased and its renewal stops. It
// returns the account as it was, so that the credentials can be revoked.
func (g *Gateway) Disconnect(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	var a schema.Account
	var said *schema.EncodedEvents
	err := pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		var err error
		if a, err = lockAccount(ctx, tx, workspace, id); err != nil {
			return err
		}
		ended := a.Revived()
		ended.Disconnected = true
		b := &pgx.Batch{}
		b.Queue(`
			update accounts set disconnected_at = now(), sealed = '', revision = revision + 1, needs_reconnect = false, ended = 0, end_message = null, expires_at = null,
				renew_at = null, renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0
			where id = $1 and workspace_id = $2`, id, workspace)
		b.Queue(`delete from jobs where id = $1`, id)
		said = queueEvents(b, []schema.Event{accountEvent(schema.AccountDisconnected, ended, nil, g.Now())}, g.Now())
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return a, orNotFound(err, "account")
	}
	g.announceAccounts(nil, said)
	return a, nil
}

// EndAccount says that a platform lets crier act for an account with the credentials of a
// revision no more. Whoever says so first is heard: it does nothing where the account has
// ended already, or has other credentials by now.
func (s *Store) EndAccount(ctx context.Context, a schema.Account, why schema.AccountProblem) error {
	a = a.Ended(why)
	var next time.Time
	if wait := why.End.EndLookIn(0); wait > 0 {
		next = s.Now().Add(wait)
	}
	return s.changeEnd(ctx, a, next, endedEvent(a, s.Now()), endAccount, pgx.StrictNamedArgs{
		"reconnect": a.NeedsReconnect, "ended": int16(a.End), "said": a.EndMessage,
	})
}

// ReviveAccount says that a platform lets crier act again for an account that had ended.
func (s *Store) ReviveAccount(ctx context.Context, a schema.Account) error {
	a = a.Revived()
	next := a.RenewalDue(s.Now(), false)
	return s.changeEnd(ctx, a, next, accountEvent(schema.AccountConnected, a, nil, s.Now()), reviveAccount, pgx.StrictNamedArgs{})
}

// changeEnd runs a statement that ends an account or revives it, with what follows: its job
// and its event.
func (s *Store) changeEnd(ctx context.Context, a schema.Account, next time.Time, event schema.Event, statement string, args pgx.StrictNamedArgs) error {
	args["account"], args["workspace"], args["revision"], args["next"] = a.ID, a.Workspace, a.Revision, orNull(next)
	var said *schema.EncodedEvents
	var jobs []schema.Job
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, statement, args)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		b := &pgx.Batch{}
		jobs = queueRenewalAt(b, &a, next)
		said = queueEvents(b, []schema.Event{event}, s.Now())
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return fmt.Errorf("marking an account: %w", unavailable(err))
	}
	s.announceAccounts(jobs, said)
	return nil
}

// The claim number moves on, so that a look which was begun before says nothing any more.
const (
	endAccount = `
		update accounts set needs_reconnect = @reconnect, ended = @ended, end_message = @said, renew_at = @next,
			renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0, renew_claim = renew_claim + 1
		where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and not needs_reconnect and ended = 0`
	reviveAccount = `
		update accounts set needs_reconnect = false, ended = 0, end_message = null, renew_at = @next, checked_at = now(),
			renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0, renew_claim = renew_claim + 1
		where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and (needs_reconnect or ended <> 0)`
)

// endedEvent is the event of an account that has ended.
func endedEvent(a schema.Account, now time.Time) schema.Event {
	return accountEvent(schema.AccountError, a, &schema.AccountData{Error: a.Problem()}, now)
}

// accountEvent is an event about an account, with what else belongs to it.
func accountEvent(t schema.EventType, a schema.Account, data *schema.AccountData, now time.Time) schema.Event {
	if data == nil {
		data = &schema.AccountData{}
	}
	data.Account = a.Summary()
	return schema.Event{
		ID: schema.NewEventID(now), Type: t, Workspace: a.Workspace, Account: a.ID, Platform: a.Platform, At: now, Data: encode(data),
	}
}
