package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// Refresh is the store of the refresh stage.
type Refresh struct {
	*Store
	lost *lostClaims[schema.AccountID]
}

// NewRefresh returns the store of the refresh stage.
func NewRefresh(s *Store) *Refresh {
	return &Refresh{Store: s, lost: newLostClaims[schema.AccountID]()}
}

// Claim leases the renewals of accounts for one step each, and so records that a trade
// may follow. Accounts that are leased, not due, disconnected or without a renewal are
// left out; the jobs of the last two are deleted. After an error it can be called again,
// like that of Publish: without an answer to the claim no trade was made.
func (r *Refresh) Claim(ctx context.Context, messages []schema.RefreshMessage) ([]schema.Renewal, error) {
	accounts, workspaces := make([]schema.AccountID, len(messages)), make([]schema.WorkspaceID, len(messages))
	for i, m := range messages {
		accounts[i], workspaces[i] = m.Account, m.Workspace
	}
	return claimRemembering(r.lost, accounts, r.Now, func(tokens []int64, takeovers []bool) ([]schema.Renewal, error) {
		return r.claim(ctx, accounts, workspaces, tokens, takeovers)
	})
}

func (r *Refresh) claim(ctx context.Context, accounts []schema.AccountID, workspaces []schema.WorkspaceID, tokens []int64, takeovers []bool) ([]schema.Renewal, error) {
	var claimed []schema.Renewal
	b := &pgx.Batch{}
	b.Queue(`
		delete from jobs j using accounts a
		where j.id = any($1) and a.id = j.id and (a.renew_at is null or a.disconnected_at is not null)`, accounts)
	claimRenewals.Queue(b, pgx.StrictNamedArgs{
		"accounts": accounts, "workspaces": workspaces, "tokens": tokens, "takeovers": takeovers,
		"node": r.Node, "lease": schema.Lease, "earliest": schema.RenewalEarliest, "settle": schema.SettleTime, "latest": r.Clock.Lease.Latest(time.Now()),
	}).Query(db.CollectInto(&claimed, func(row pgx.Row, v *schema.Renewal) error {
		return tables.ScanAccount(row, &v.Account, &v.Claim, &v.Trade, &v.Open, &v.Doubtful, &v.Attempts, &v.Warned)
	}))
	sent := time.Now()
	if err := r.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, db.Wrap(err, "claiming renewals")
	}
	for i := range claimed {
		claimed[i].Deadline = sent.Add(schema.CallDeadline)
	}
	return claimed, nil
}

// claimRenewals decides between a trade and a check. A trade whose outcome is not known is
// checked, and so is an account that is looked at for its limits alone: nobody asked, and its token has
// longer to live than when a trade is due. The lock on the row lets one claim at a time do so. A claim
// whose answer was lost goes on from the step before it.
var claimRenewals = db.NewStatement(`
	update accounts a set
		renew_claim = a.renew_claim + 1, renew_node = @node, renew_lease = now() + @lease::interval,
		renew_token = u.token, renew_from = since.step,
		renew_step = case when since.trades then {renewal_trade} else a.renew_step end
	from unnest(@accounts::uuid[], @workspaces::uuid[], @tokens::int8[], @takeovers::bool[]) u (account, workspace, token, takeover)
	join accounts before on before.id = u.account
	join workspaces w on w.id = u.workspace
	cross join lateral (
		select case when u.takeover and before.renew_lease is not null and before.renew_token = u.token
			then before.renew_from else before.renew_step end step
	) from_step
	cross join lateral (
		select from_step.step, before.renewable and (from_step.step = {renewal_again} or from_step.step = {renewal_idle}
			and (before.renew_asked_at is not null or before.needs_reconnect or before.ended <> 0 or before.expires_at is null
				or before.expires_at <= now() + @earliest::interval)) trades
	) since
	where a.id = u.account and a.workspace_id = u.workspace and a.disconnected_at is null
	  and a.renew_at <= now() + interval '100 milliseconds'
	  and (a.renew_lease is null or {claim_ended(a.renew_lease, a.renew_token)})
	returning {account_columns}, a.renew_claim, since.trades, since.step = {renewal_trade},
		since.step = {renewal_check}, a.renew_attempts, coalesce(a.warned_of = a.expires_at, false)`)

// Finish stores an account after a step of its renewal, with its job and its events. New
// credentials are stored even if another claim has followed, as long as they were traded
// for the stored ones: there is no other copy.
func (r *Refresh) Finish(ctx context.Context, v schema.RenewalResult) error {
	return r.Announcing(ctx, "finishing a renewal", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		a := &v.Account
		tag, err := tx.Exec(ctx, finishRenewal, pgx.StrictNamedArgs{
			"account": a.ID, "workspace": a.Workspace, "revision": a.Revision, "claim": v.Claim, "traded": v.Traded, "sealed": a.Sealed,
			"expires": db.OrNull(a.ExpiresAt), "renewable": a.Renewable, "settings": db.TextOrNull(v.Settings), "name": v.Name, "good": v.Good, "settled": v.Settled, "warn": v.Warn,
			"reconnect": a.NeedsReconnect, "ended": int16(a.End), "end_message": a.EndMessage,
			"step": int16(v.Step), "attempts": v.Attempts, "next": db.OrNull(v.NextAt),
		})
		if err != nil || tag.RowsAffected() == 0 {
			return announcement, err
		}
		b := &pgx.Batch{}
		announcement.Jobs = tables.Soon(tables.QueueRenewalAt(b, a, v.NextAt), r.Now())
		announcement.Events = tables.QueueEvents(b, renewalEvents(v, r.Now()), r.Now())
		return announcement, tx.SendBatch(ctx, b).Close()
	})
}

const finishRenewal = `
	update accounts set
		sealed = case when @traded then @sealed::bytea else sealed end,
		revision = case when @traded then revision + 1 else revision end,
		expires_at = @expires, renewable = @renewable, settings = coalesce(@settings::text::json, settings),
		name = coalesce(nullif(@name, ''), name),
		checked_at = case when @good then now() else checked_at end,
		renew_asked_at = case when @settled then null else renew_asked_at end,
		needs_reconnect = @reconnect, ended = @ended, end_message = @end_message,
		warned_of = case when @warn then @expires else warned_of end,
		renew_step = @step, renew_attempts = @attempts, renew_at = @next, renew_lease = null
	where id = @account and workspace_id = @workspace and revision = @revision and disconnected_at is null and (renew_claim = @claim or @traded)`

func renewalEvents(v schema.RenewalResult, now time.Time) []schema.Event {
	var events []schema.Event
	if v.Ended {
		events = append(events, tables.EndedEvent(v.Account, now))
	}
	if v.Revived {
		events = append(events, tables.AccountEvent(schema.AccountConnected, v.Account, nil, now))
	}
	if v.Warn {
		expires := v.Account.ExpiresAt
		events = append(events, tables.AccountEvent(schema.AccountTokenExpiring, v.Account, &schema.AccountData{ExpiresAt: &expires}, now))
	}
	return events
}
