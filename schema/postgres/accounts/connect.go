package accounts

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Connect stores accounts whose credentials their platform has accepted, all or none,
// with their events. One that was connected before, even if it was disconnected since, is
// the same account with new credentials. It is PlanLimitReached if the workspace's plan
// does not allow the new ones; a sandbox twin's accounts are not counted.
func (s *Store) Connect(ctx context.Context, workspace schema.WorkspaceID, connections []schema.Connection) ([]schema.Connected, error) {
	connected := make([]schema.Connected, len(connections))
	err := s.Announcing(ctx, "connecting accounts", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		remaining, err := Remaining(ctx, tx, workspace)
		if err != nil {
			return announcement, err
		}
		b := &pgx.Batch{}
		var events []schema.Event
		for i := range connections {
			result, changed, err := s.connect(ctx, tx, b, workspace, &connections[i])
			if err != nil {
				return announcement, err
			}
			if result.New {
				remaining--
			}
			if remaining < 0 {
				return announcement, planFull()
			}
			connected[i] = result
			entry := tables.AccountEntry(result.Account, people.Change{Field: "brand", After: tables.IDText(result.Account.Brand)})
			if entry.By, err = linkMaker(ctx, tx, &connections[i]); err != nil {
				return announcement, err
			}
			audit.Queue(ctx, b, s.Now(), entry)
			if changed {
				events = append(events, tables.AccountEvent(schema.AccountConnected, result.Account, nil, s.Now()))
				announcement.Jobs = append(announcement.Jobs, tables.QueueRenewal(b, &result.Account, s.Now())...)
			}
		}
		announcement.Jobs = tables.Soon(announcement.Jobs, s.Now())
		announcement.Events = tables.QueueEvents(b, events, s.Now())
		return announcement, tx.SendBatch(ctx, b).Close()
	})
	return connected, db.OrNotFound(err, "workspace")
}

// linkMaker returns who made the link by which somebody connects an account whom crier does not know; zero where it knows
// them, or nobody did. Where they came from is the visitor's network.
func linkMaker(ctx context.Context, tx pgx.Tx, c *schema.Connection) (by people.Actor, err error) {
	a, ok := people.AuditedOf(ctx)
	if !ok || a.Actor.Kind != people.ByVisitor || c.LinkUser.IsZero() && c.LinkKey.IsZero() {
		return by, nil
	}
	by = people.Actor{Kind: people.ByUser, ID: c.LinkUser.String(), Name: people.RemovedUser, Address: a.Actor.Address}
	ask, id := `select name, false from users where id = $1`, c.LinkUser.Bytes()
	if c.LinkUser.IsZero() {
		by = people.Actor{Kind: people.ByKey, ID: c.LinkKey.String(), Address: a.Actor.Address}
		ask, id = `select name, by_device from api_keys where id = $1`, c.LinkKey.Bytes()
	}
	var byDevice bool
	err = tx.QueryRow(ctx, ask, id).Scan(&by.Name, &byDevice)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	if byDevice {
		by.Kind = people.ByDevice
	}
	return by, err
}

func planFull() error {
	return &schema.Error{Kind: schema.PlanLimitReached, Message: "the plan has no room for another connected account"}
}

// Remaining locks a workspace, so that accounts are connected one after the other, and returns
// how many more its plan allows. The lock is a statement of its own: one that also counts
// would count what it saw before it waited for the lock.
func Remaining(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) (int, error) {
	if _, err := tx.Exec(ctx, `select from workspaces where id = $1 for no key update`, workspace); err != nil {
		return 0, err
	}
	var remaining int
	err := tx.QueryRow(ctx, `
		select case when w.live_id is not null or coalesce(p.accounts, 0) = 0 then 1000000 else p.accounts end - (
			select count(*) from accounts a where a.workspace_id = w.id and a.disconnected_at is null)
		from workspaces w join plans p on p.name = w.plan
		where w.id = $1 and w.deleting_at is null`, workspace).Scan(&remaining)
	return remaining, err
}

// connect adds the statement that stores one account. changed is false if it is connected
// and has these credentials already.
func (s *Store) connect(ctx context.Context, tx pgx.Tx, b *pgx.Batch, workspace schema.WorkspaceID, c *schema.Connection) (result schema.Connected, changed bool, err error) {
	wanted := &c.Account
	result, known, err := s.lockConnected(ctx, tx, workspace, wanted)
	if err != nil {
		return result, false, err
	}
	a := &result.Account
	if known && c.IfNew {
		return result, false, nil
	}
	if known {
		result.New = a.Disconnected
	}
	if !wanted.Brand.IsZero() {
		a.Brand = wanted.Brand
	}
	if err := brandExists(ctx, tx, workspace, a.Brand); err != nil {
		return result, false, err
	}
	sealed, differ, err := c.Seal(*a)
	if err != nil {
		return result, false, err
	}
	changed = differ || result.New || a.Problem() != nil
	a.Name, a.ExpiresAt, a.Renewable = wanted.Name, c.ExpiresAt, c.Renewable
	if len(wanted.Settings) > 0 {
		a.Settings = wanted.Settings
	}
	if known && changed {
		a.Revision++
	}
	if changed {
		*a = a.Revived()
		a.Sealed, a.Disconnected = sealed, false
	}
	b.Queue(putConnected, pgx.StrictNamedArgs{
		"id": a.ID, "workspace": workspace, "brand": a.Brand, "platform": a.Platform, "native": a.NativeID, "name": a.Name,
		"server": a.Server, "sealed": a.Sealed, "revision": a.Revision, "expires": db.OrNull(a.ExpiresAt), "renewable": a.Renewable,
		"settings": db.TextOrNull(a.Settings), "person": personOf(c), "created": a.CreatedAt, "dashboard": wanted.FromDashboard, "renew": db.OrNull(a.RenewalDue(s.Now(), false)),
	})
	return result, changed, nil
}

// personOf is what is kept of whoever has consented; nil where that is not known.
func personOf(c *schema.Connection) []byte {
	if c.Person == "" {
		return nil
	}
	return schema.Person{Platform: c.Account.Platform, ID: c.Person}.Hash()
}

// lockConnected locks the account of a profile; one that is not known yet gets an id.
func (s *Store) lockConnected(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID, wanted *schema.Account) (locked schema.Connected, known bool, err error) {
	row := tx.QueryRow(ctx, sql.Text(`select {account_columns} from accounts a join workspaces w on w.id = a.workspace_id
		where a.workspace_id = $1 and a.platform = $2 and a.native_id = $3 and a.server = $4 for update of a`),
		workspace, wanted.Platform, wanted.NativeID, wanted.Server)
	a := &locked.Account
	err = tables.ScanAccount(row, a)
	if errors.Is(err, pgx.ErrNoRows) {
		*a, locked.New = *wanted, true
		a.ID, a.Workspace, a.CreatedAt, a.Revision = schema.NewID[schema.AccountID](s.Now()), workspace, s.Now(), 1
		return locked, false, nil
	}
	return locked, err == nil, err
}

// putConnected resets the renewal if the credentials are new ones.
const putConnected = `
	insert into accounts as a (id, workspace_id, brand_id, platform, native_id, name, server, sealed, settings, revision, expires_at, renewable, created_at, renew_at, person, from_dashboard)
	values (@id, @workspace, @brand, @platform, @native, @name, @server, @sealed, coalesce(@settings::text::json, '{}'), @revision, @expires, @renewable, @created, @renew, @person, @dashboard)
	on conflict (id) do update set
		from_dashboard = case when a.disconnected_at is null then a.from_dashboard else excluded.from_dashboard end,
		person = coalesce(excluded.person, a.person), brand_id = excluded.brand_id, name = excluded.name, sealed = excluded.sealed, settings = excluded.settings, revision = excluded.revision,
		expires_at = excluded.expires_at, renewable = excluded.renewable, needs_reconnect = false, ended = 0, end_message = null, disconnected_at = null,
		renew_at = case when a.revision = excluded.revision then a.renew_at else excluded.renew_at end,
		renew_asked_at = case when a.revision = excluded.revision then a.renew_asked_at end,
		renew_step = case when a.revision = excluded.revision then a.renew_step else 0 end,
		renew_lease = case when a.revision = excluded.revision then a.renew_lease end,
		renew_attempts = case when a.revision = excluded.revision then a.renew_attempts else 0 end`

// brandExists refuses a brand that is not the workspace's, and locks it until the
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
