package accounts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Health stores whether platforms let crier act for accounts.
type Health struct{ *db.DB }

// NewHealth returns a Health.
func NewHealth(d *db.DB) *Health { return &Health{d} }

// AskRenewal has the refresh stage find out why a platform refused an account's
// credentials. It does nothing if the account has newer credentials, or somebody has
// asked before.
func (s *Health) AskRenewal(ctx context.Context, a schema.Account) error {
	return s.ask(ctx, a, schema.RenewalIdle)
}

// AskCheck is AskRenewal after a refusal that may say nothing of the credentials: they are checked, and
// not traded for others.
func (s *Health) AskCheck(ctx context.Context, a schema.Account) error {
	return s.ask(ctx, a, schema.RenewalCheck)
}

func (s *Health) ask(ctx context.Context, a schema.Account, step schema.RenewalStep) error {
	j := tables.RenewalJob(&a, s.Now())
	rows, err := s.Pool.Query(ctx, sql.Text(`
		with asked as (
			update accounts set renew_asked_at = now(), renew_at = now(),
				renew_step = case when renew_step = {renewal_idle} then @step::smallint else renew_step end
			where id = @account and workspace_id = @workspace and revision = @revision
			  and renew_asked_at is null and not needs_reconnect and ended = 0 and disconnected_at is null
			returning id
		)
		insert into jobs (id, kind, shard, due_at, payload)
		select @account, @kind, @shard, @due, @payload::text::json from asked
		on conflict (id) do update set due_at = least(jobs.due_at, excluded.due_at)
		returning id, kind, shard, due_at, version, payload`),
		pgx.StrictNamedArgs{
			"account": a.ID, "workspace": a.Workspace, "revision": a.Revision, "step": int16(step),
			"kind": int16(j.Kind), "shard": j.Shard, "due": j.DueAt, "payload": string(j.Payload),
		})
	jobs, err := db.Collect(rows, err, tables.ScanJob)
	if err != nil {
		return db.Wrap(err, "asking for a renewal")
	}
	s.Announce(schema.Announcement{Jobs: jobs})
	return nil
}

// AskRenewals is AskRenewal for each account of a profile, in whichever workspace: by the word of
// its platform, which knows none. It returns how many there are.
func (s *Health) AskRenewals(ctx context.Context, platform schema.Platform, nativeID string) (accounts int, err error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {account_columns} from accounts a join workspaces w on w.id = a.workspace_id
		where a.platform = @platform and a.native_id = @profile and a.disconnected_at is null and w.live_id is null limit @most`),
		pgx.StrictNamedArgs{"platform": int16(platform), "profile": nativeID, "most": maxOfProfile})
	found, err := db.Collect(rows, err, func(row pgx.Row, a *schema.Account) error { return tables.ScanAccount(row, a) })
	if err != nil {
		return 0, db.Wrap(err, "reading the accounts of a profile")
	}
	for _, a := range found {
		if err := s.AskRenewal(ctx, a); err != nil {
			return 0, err
		}
	}
	return len(found), nil
}

// maxOfProfile bounds the workspaces that have a profile connected: one, as a rule.
const maxOfProfile = 100

// Unpermitted returns what is not read of an account, since its platform says that a permission
// is missing.
func (s *Health) Unpermitted(ctx context.Context, workspace schema.WorkspaceID, account schema.AccountID) ([]schema.Collected, error) {
	rows, err := s.Pool.Query(ctx, `
		select what from collections where account_id = $1 and workspace_id = $2 and refused_at is not null order by what`, account, workspace)
	whats, err := db.Collect(rows, err, func(row pgx.Row, what *schema.Collected) error { return row.Scan(what) })
	return whats, db.Wrap(err, "reading what is not read of an account")
}

// EndAccount ends an account: its platform no longer lets crier act with its credentials.
// The first end counts: it does nothing if the account has ended already, or has newer
// credentials.
func (s *Health) EndAccount(ctx context.Context, a schema.Account, why schema.AccountProblem) error {
	a = a.Ended(why)
	var next time.Time
	if wait := why.End.EndLookIn(0); wait > 0 {
		next = s.Now().Add(wait)
	}
	return s.changeEnd(ctx, a, endChange{
		statement: endAccount, action: "account.end", next: next, event: tables.EndedEvent(a, s.Now()),
		args: pgx.StrictNamedArgs{"reconnect": a.NeedsReconnect, "ended": int16(a.End), "end_message": a.EndMessage},
	})
}

// ReviveAccount undoes the end of an account: its platform lets crier act for it again.
func (s *Health) ReviveAccount(ctx context.Context, a schema.Account) error {
	a = a.Revived()
	return s.changeEnd(ctx, a, endChange{
		statement: reviveAccount, action: "account.revive", next: a.RenewalDue(s.Now(), false), args: pgx.StrictNamedArgs{},
		event: tables.AccountEvent(schema.AccountConnected, a, nil, s.Now()),
	})
}

// KeepSettings stores what the platform allows an account from now on. It does nothing if the
// account has newer credentials, with which that was read as well.
func (s *Health) KeepSettings(ctx context.Context, a schema.Account) error {
	_, err := s.Pool.Exec(ctx, `
		update accounts set settings = @settings::text::json
		where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null`,
		pgx.StrictNamedArgs{"account": a.ID, "workspace": a.Workspace, "revision": a.Revision, "settings": string(a.Settings)})
	return db.Wrap(err, "keeping an account's settings")
}

// endChange ends an account or revives it.
type endChange struct {
	statement string
	args      pgx.StrictNamedArgs // except those of every statement
	next      time.Time           // when its renewal looks at it again; zero: never
	event     schema.Event
	action    string // in the audit log
}

// changeEnd makes the change, and its job and its event with it.
func (s *Health) changeEnd(ctx context.Context, a schema.Account, c endChange) error {
	c.args["account"], c.args["workspace"], c.args["revision"], c.args["next"] = a.ID, a.Workspace, a.Revision, db.OrNull(c.next)
	return s.Announcing(ctx, "marking an account", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		tag, err := tx.Exec(ctx, c.statement, c.args)
		if err != nil || tag.RowsAffected() == 0 {
			return announcement, err
		}
		b := &pgx.Batch{}
		announcement.Jobs = tables.Soon(tables.QueueRenewalAt(b, &a, c.next), s.Now())
		announcement.Events = tables.QueueEvents(b, []schema.Event{c.event}, s.Now())
		audit.Queue(audit.BySystem(ctx, c.action), b, s.Now(), tables.AccountEntry(a, people.Change{Field: "problem", After: a.EndMessage}))
		return announcement, tx.SendBatch(ctx, b).Close()
	})
}

// The claim number is raised, so that the result of a check that is running is dropped.
const (
	endAccount = `
		update accounts set needs_reconnect = @reconnect, ended = @ended, end_message = @end_message, renew_at = @next,
			renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0, renew_claim = renew_claim + 1
		where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and not needs_reconnect and ended = 0`
	reviveAccount = `
		update accounts set needs_reconnect = false, ended = 0, end_message = null, renew_at = @next, checked_at = now(),
			renew_asked_at = null, renew_step = 0, renew_lease = null, renew_attempts = 0, renew_claim = renew_claim + 1
		where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and (needs_reconnect or ended <> 0)`
)
