package keys

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// CreateDevice stores the request of a device, and forgets some that have expired. It is RateLimitExceeded
// where too many came from its network lately, and Unavailable where as many wait as may.
func (s *Store) CreateDevice(ctx context.Context, n people.NewDevice) error {
	err := tables.Window{
		Subject: "device from " + n.Address, Length: people.DeviceLife, Max: people.DevicesByAddress,
		Refusal: fmt.Sprintf("more than %d devices from this network", people.DevicesByAddress),
	}.Count(ctx, s.Pool, s.Now())
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`
		delete from device_requests where device_hash in (
			select device_hash from device_requests where expires_at <= now() - $1::interval order by expires_at limit 100 for update skip locked)`, people.DeviceLife)
	stored := false
	b.Queue(`
		insert into device_requests (device_hash, user_hash, name, address, permission, interval_seconds, expires_at)
		select @device, @user, @name, @address, @permission, @interval, now() + @life::interval
		where (select count(*) from (select from device_requests where expires_at > now() limit @most) d) < @most
		returning true`, pgx.StrictNamedArgs{
		"device": n.Device[:], "user": n.User[:], "name": n.Name, "address": n.Address, "permission": int16(n.Permission),
		"interval": int(people.DeviceInterval.Seconds()), "life": people.DeviceLife, "most": people.MaxDevices,
	}).QueryRow(func(row pgx.Row) error { return row.Scan(&stored) })
	err = s.Pool.SendBatch(ctx, b).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		err = &schema.Error{Kind: schema.Unavailable, RetryAfter: people.DeviceLife, Message: "too many devices wait for somebody to decide"}
	}
	return db.Wrap(err, "storing a device")
}

// Device returns the request of a code that waits for somebody to decide. It is NotFound where there is none,
// and RateLimitExceeded for a user who has looked at too many.
func (s *Store) Device(ctx context.Context, user schema.UserID, code [32]byte) (d people.DeviceRequest, err error) {
	if err := s.countLook(ctx, user); err != nil {
		return d, err
	}
	err = s.Pool.QueryRow(ctx, `
		select name, address, permission, created_at, expires_at from device_requests where user_hash = $1 and standing = $2 and expires_at > now()`,
		code[:], int16(people.DeviceWaiting)).Scan(&d.Name, &d.Address, (*int16)(&d.Permission), &d.CreatedAt, &d.ExpiresAt)
	return d, noSuchCode(err)
}

// countLook bounds how many codes a user can try.
func (s *Store) countLook(ctx context.Context, user schema.UserID) error {
	return tables.Window{
		Subject: "device code by " + user.String(), Length: people.DeviceLife, Max: people.DeviceLooks,
		Refusal: fmt.Sprintf("more than %d looks at codes of devices by you", people.DeviceLooks),
	}.Count(ctx, s.Pool, s.Now())
}

func noSuchCode(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &schema.Error{Kind: schema.NotFound, Message: "no device waits with this code: it works for ten minutes, and once"}
	}
	return db.Wrap(err, "looking for a device")
}

// DecideDevice stores what a member has decided, once. It is NotFound where no device waits, or the workspace
// is being deleted.
func (s *Store) DecideDevice(ctx context.Context, d people.DeviceDecision) error {
	if err := s.countLook(ctx, d.User); err != nil {
		return err
	}
	return noSuchCode(pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		decided, err := decide(ctx, tx, d)
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{
			Workspace: d.Workspace, Subject: people.Subject{Type: "device", Name: decided.Name}, Changes: audit.Differences(
				people.Change{Field: "permission", After: strings.Join(decided.Permission.Names(), ", ")},
				people.Change{Field: "address", After: decided.Address},
			),
		})
	}))
}

// decide returns what the audit log tells of the device.
func decide(ctx context.Context, tx pgx.Tx, d people.DeviceDecision) (decided people.DeviceRequest, err error) {
	standing := people.DeviceDenied
	if d.Approved {
		standing = people.DeviceApproved
	}
	err = tx.QueryRow(ctx, `
		update device_requests d set standing = @standing, user_id = @user, workspace_id = w.id
		from workspaces w
		where d.user_hash = @code and d.standing = @waiting and d.expires_at > now() and w.id = @workspace and w.deleting_at is null
		returning d.name, d.address, d.permission`, pgx.StrictNamedArgs{
		"standing": int16(standing), "user": d.User, "code": d.Code[:], "waiting": int16(people.DeviceWaiting), "workspace": d.Workspace,
	}).Scan(&decided.Name, &decided.Address, (*int16)(&decided.Permission))
	return decided, err
}

// deviceRow is the request of a device that asks for its key.
type deviceRow struct {
	standing   people.DeviceStanding
	name       string
	permission schema.Permission
	isExpired  bool
	isEarly    bool
	workspace  schema.WorkspaceID // zero: it is being deleted
	sandbox    bool
	user       schema.UserID
}

// TakeDeviceKey answers a device that asks for its key. Once it is approved the key is made and the request is
// gone, so that of two questions at a time one gets the key. generate makes what is stored of a key, and its
// hash.
func (s *Store) TakeDeviceKey(
	ctx context.Context, device [32]byte, generate func(sandbox bool) (schema.KeyRecord, [32]byte, error),
) (standing people.DeviceStanding, key schema.KeyRecord, err error) {
	err = s.InTx(ctx, "answering a device", func(tx pgx.Tx) error {
		d, err := lockDevice(ctx, tx, device)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			standing = people.DeviceUnknown
			return nil
		case err != nil:
			return err
		case d.isExpired:
			standing = people.DeviceExpired
			return nil
		}
		switch standing = d.standing; standing {
		case people.DeviceWaiting:
			if d.isEarly {
				standing = people.DeviceTooEarly
			}
			return notePoll(ctx, tx, device, d.isEarly)
		case people.DeviceApproved:
			standing, key, err = d.makeKey(ctx, tx, generate)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `delete from device_requests where device_hash = $1`, device[:])
		}
		return err
	})
	return standing, key, err
}

func lockDevice(ctx context.Context, tx pgx.Tx, device [32]byte) (d deviceRow, err error) {
	err = tx.QueryRow(ctx, sql.Text(`
		select d.standing, d.name, d.permission, d.expires_at <= now(), coalesce(d.polled_at > now() - make_interval(secs => d.interval_seconds), false),
			coalesce(w.id, {no_id}), w.live_id is not null, coalesce(d.user_id, {no_id})
		from device_requests d
		left join workspaces w on w.id = d.workspace_id and w.deleting_at is null
		where d.device_hash = $1 for update of d`), device[:]).
		Scan((*int16)(&d.standing), &d.name, (*int16)(&d.permission), &d.isExpired, &d.isEarly,
			(*[16]byte)(&d.workspace), &d.sandbox, (*[16]byte)(&d.user))
	return d, err
}

// notePoll lets a device wait longer that has asked too early.
func notePoll(ctx context.Context, tx pgx.Tx, device [32]byte, isEarly bool) error {
	longer := 0
	if isEarly {
		longer = int(people.DeviceInterval.Seconds())
	}
	_, err := tx.Exec(ctx, `
		update device_requests set polled_at = now(), interval_seconds = least(interval_seconds + $2, $3) where device_hash = $1`,
		device[:], longer, int(people.DeviceLife/time.Second))
	return err
}

// makeKey makes the key of a device: it may do what was asked for, and nothing that its approver may not do
// now. Where that is nothing the device is denied.
func (d deviceRow) makeKey(
	ctx context.Context, tx pgx.Tx, generate func(bool) (schema.KeyRecord, [32]byte, error),
) (standing people.DeviceStanding, k schema.KeyRecord, err error) {
	if d.workspace.IsZero() {
		return people.DeviceDenied, k, nil
	}
	if err := tables.LockWorkspace(ctx, tx, d.workspace); err != nil {
		return 0, k, err
	}
	role, err := lockRole(ctx, tx, d.workspace, d.user)
	if err != nil || role.Grants() == 0 {
		return people.DeviceDenied, k, err
	}
	k, hash, err := generate(d.sandbox)
	if err != nil {
		return 0, k, err
	}
	k.Lineage, k.Workspace, k.Sandbox, k.MadeBy = k.ID, d.workspace, d.sandbox, d.user
	k.Name, k.Permission = d.name, min(d.permission, role.Grants())
	if err := insertKey(ctx, tx, k, hash); err != nil {
		return 0, k, err
	}
	e := creationEntry(k)
	device, _ := people.AuditedOf(ctx)
	e.By = people.Actor{Kind: people.ByUser, ID: d.user.String(), Address: device.Actor.Address}
	err = tx.QueryRow(ctx, `update api_keys set by_device = true where id = $1 returning (select name from users where id = $2)`, k.ID, d.user).Scan(&e.By.Name)
	if err != nil {
		return 0, k, err
	}
	return people.DeviceApproved, k, audit.Write(ctx, tx, k.CreatedAt, e)
}
