package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// noID reads as the zero id, which is how schema says "none".
const noID = `'00000000-0000-0000-0000-000000000000'::uuid`

// noTime reads as the zero time.
const noTime = `'0001-01-01Z'::timestamptz`

const accountColumns = `a.id, a.workspace_id, coalesce(a.brand_id, ` + noID + `), a.platform, a.native_id, a.name, a.server,
	w.live_id is not null, a.sealed, a.settings, a.needs_reconnect, a.created_at, a.revision, a.disconnected_at is not null,
	coalesce(a.expires_at, ` + noTime + `), a.renewable, a.renew_asked_at is not null, coalesce(a.checked_at, ` + noTime + `),
	a.ended, coalesce(a.end_message, '')`

// scanAccount reads accountColumns, and further columns where to put them is given.
func scanAccount(row pgx.Row, a *schema.Account, further ...any) error {
	err := row.Scan(append(accountFields(a), further...)...)
	a.CreatedAt, a.ExpiresAt, a.CheckedAt = a.CreatedAt.UTC(), a.ExpiresAt.UTC(), a.CheckedAt.UTC()
	return err
}

// accountFields are where the values of accountColumns go.
func accountFields(a *schema.Account) []any {
	return []any{
		(*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace), (*[16]byte)(&a.Brand), &a.Platform, &a.NativeID, &a.Name, &a.Server,
		&a.Sandbox, &a.Sealed, (*[]byte)(&a.Settings), &a.NeedsReconnect, &a.CreatedAt, &a.Revision, &a.Disconnected,
		&a.ExpiresAt, &a.Renewable, &a.Renewing, &a.CheckedAt, (*int16)(&a.End), &a.EndMessage,
	}
}

const postColumns = `p.id, p.workspace_id, coalesce(p.brand_id, ` + noID + `), p.version, p.status, p.scheduled_for, p.timezone,
	p.from_api, p.content, p.created_at, p.updated_at`

func scanPost(row pgx.Row, p *schema.Post) error {
	var scheduled *time.Time
	var content []byte
	err := row.Scan((*[16]byte)(&p.ID), (*[16]byte)(&p.Workspace), (*[16]byte)(&p.Brand), &p.Version, &p.Status, &scheduled, &p.Timezone,
		&p.FromAPI, &content, &p.CreatedAt, &p.UpdatedAt)
	if err != nil {
		return err
	}
	p.ScheduledFor = fromNull(scheduled)
	p.CreatedAt, p.UpdatedAt = p.CreatedAt.UTC(), p.UpdatedAt.UTC()
	return decode("content of a post", content, &p.Content)
}

const targetColumns = `t.post_id, t.n, t.account_id, t.platform, t.content, t.state, t.receipts, t.error,
	t.next_at, t.attempts, t.posted_at, t.charged_on, t.entry, t.unsettled`

// targetRow is a target with the post it belongs to.
type targetRow struct {
	post schema.PostID
	schema.Target
}

func scanTarget(rows pgx.Rows, t *targetRow) error {
	var receipts, failure []byte
	var next, posted, charged *time.Time
	err := rows.Scan((*[16]byte)(&t.post), &t.N, (*[16]byte)(&t.Account), &t.Platform, &t.Content, &t.State, &receipts, &failure,
		&next, &t.Attempts, &posted, &charged, &t.Entry, &t.Unsettled)
	if err != nil {
		return err
	}
	t.NextAt, t.PostedAt, t.ChargedOn = fromNull(next), fromNull(posted), fromNull(charged)
	if err := decode("receipts of a target", receipts, &t.Receipts); err != nil {
		return err
	}
	return decode("error of a target", failure, &t.Error)
}

func decode(what string, document []byte, into any) error {
	if len(document) == 0 {
		return nil
	}
	if err := json.Unmarshal(document, into); err != nil {
		return fmt.Errorf("%w: reading the %s: %w", errUnreadable, what, err)
	}
	return nil
}

// errUnreadable means that one row holds what makes no sense.
var errUnreadable = errors.New("unreadable")

// encode is for values whose encoding cannot fail: schema's own documents.
func encode(value any) []byte {
	document, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", value, err))
	}
	return document
}

func fromNull(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
