package tables

import (
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// AccountEvent is an event about an account, with what else belongs to it.
func AccountEvent(t schema.EventType, a schema.Account, data *schema.AccountData, now time.Time) schema.Event {
	if data == nil {
		data = &schema.AccountData{}
	}
	data.Account = a.Summary()
	return schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: t, Workspace: a.Workspace, Account: a.ID, Platform: a.Platform, At: now, Data: db.Encode(data),
	}
}

// EndedEvent is the event of an account that has ended.
func EndedEvent(a schema.Account, now time.Time) schema.Event {
	return AccountEvent(schema.AccountError, a, &schema.AccountData{Error: a.Problem()}, now)
}

// RenewalJob is the job of an account's renewal.
func RenewalJob(a *schema.Account, due time.Time) schema.Job {
	return schema.Job{
		ID: schema.JobID(a.ID), Kind: schema.JobRefresh, Shard: schema.ShardOf(a.ID), DueAt: due.Truncate(time.Microsecond),
		Payload: db.Encode(schema.RefreshMessage{Workspace: a.Workspace, Account: a.ID}),
	}
}

// QueueRenewal adds the statement that makes an account's job due when its credentials
// must next be looked at, and returns the job; without such a time it removes the job.
func QueueRenewal(b *pgx.Batch, a *schema.Account, now time.Time) []schema.Job {
	return QueueRenewalAt(b, a, a.RenewalDue(now, false))
}

// QueueRenewalAt keeps the job in the indexed table however far off it is: there is one
// an account.
func QueueRenewalAt(b *pgx.Batch, a *schema.Account, due time.Time) []schema.Job {
	if due.IsZero() {
		b.Queue(`delete from jobs where id = $1`, a.ID)
		return nil
	}
	j := RenewalJob(a, due)
	b.Queue(`insert into jobs (id, kind, shard, due_at, payload) values ($1, $2, $3, $4, $5::text::json) on conflict (id) do update set due_at = excluded.due_at`, j.ID, int16(j.Kind), j.Shard, j.DueAt, string(j.Payload))
	return []schema.Job{j}
}

// ScanAccount reads {account_columns}, and further columns where to put them is given.
func ScanAccount(row pgx.Row, a *schema.Account, further ...any) error {
	return row.Scan(append(AccountFields(a), further...)...)
}

// AccountFields are where the values of {account_columns} go.
func AccountFields(a *schema.Account) []any {
	return []any{
		(*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace), (*[16]byte)(&a.Brand), &a.Platform, &a.NativeID, &a.Name, &a.Server,
		&a.Sandbox, &a.Sealed, (*[]byte)(&a.Settings), &a.NeedsReconnect, &a.CreatedAt, &a.Revision, &a.Disconnected,
		&a.ExpiresAt, &a.Renewable, &a.Renewing, &a.CheckedAt, (*int16)(&a.End), &a.EndMessage, (*int16)(&a.Limits),
	}
}
