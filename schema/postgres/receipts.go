package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// receiptRows are the columns of receipts to be recorded, with their owners. Store.Known reads them, those of other
// workspaces too.
type receiptRows struct {
	accounts []schema.AccountID
	natives  []string
	owners   [][16]byte // of a post or a first comment
	ns       []int16
	entries  []int16
	results  []*schema.Result // that brought them
}

// longestID is the longest native id that fits into the index; no platform has such ids.
const longestID = 1000

func recordable(nativeID string) bool {
	return nativeID != "" && len(nativeID) <= longestID && !strings.ContainsRune(nativeID, 0)
}

func (r *receiptRows) add(v *schema.Result) {
	if v.Receipt == nil || !recordable(v.Receipt.NativeID) {
		return
	}
	r.accounts, r.natives = append(r.accounts, v.Account), append(r.natives, v.Receipt.NativeID)
	r.owners, r.ns = append(r.owners, v.Ref.Post), append(r.ns, v.Ref.N)
	r.entries, r.results = append(r.entries, int16(v.Receipt.Entry)), append(r.results, v)
}

// queue adds the statement that records the receipts, always in the same order. Those
// that are recorded already stay as they are: see taken.
func (r *receiptRows) queue(b *pgx.Batch, recorded *int64) {
	if len(r.natives) == 0 {
		return
	}
	recordReceipts.Queue(b, r.columns()).Exec(countRows(recorded))
}

// columns are the parameters of the statements below.
func (r *receiptRows) columns() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"accounts": db.IDColumn(r.accounts), "native_ids": r.natives, "owners": r.owners, "ns": r.ns, "entries": r.entries,
	}
}

var (
	// recordReceipts leaves those that are recorded already as they are, recordNewReceipts fails then.
	recordReceipts    = db.NewStatement(`{insert_receipts} order by 1, 2 on conflict do nothing`)
	recordNewReceipts = db.NewStatement(`{insert_receipts}`)
)

var (
	takenReceipts = sql.Text(`
	select u.i - 1 from {given_receipts} with ordinality u (account, native_id, owner, n, entry, i)
	join accounts a on a.id = u.account
	join workspaces w on w.id = a.workspace_id
	join receipts r on r.profile = {profile} and r.native_id = u.native_id
	where (r.owner, r.n, r.entry) <> (u.owner, u.n, u.entry) order by u.i`)
)

// taken returns which of the receipts are recorded for another owner.
func (r *receiptRows) taken(ctx context.Context, q db.Querier) ([]int, error) {
	rows, err := q.Query(ctx, takenReceipts, r.columns())
	return db.Collect(rows, err, func(row pgx.Row, i *int) error { return row.Scan(i) })
}

// settleTaken finds the owners of the receipts after some were recorded before. A look
// that found another's receipt fails, so that it is repeated; a receipt that a call has
// made is its own, whoever was recorded as the owner.
func (p *Publish) settleTaken(ctx context.Context, q db.Querier, rows *receiptRows, recorded int64) error {
	if recorded == int64(len(rows.natives)) {
		return nil
	}
	taken, err := rows.taken(ctx, q)
	if err != nil {
		return err
	}
	for _, i := range taken {
		if r := rows.results[i]; r.Found {
			return fmt.Errorf("%s of post %s: %w", r.Receipt.NativeID, r.Ref.Post, schema.ErrReceiptTaken)
		}
	}
	for _, i := range taken {
		r := rows.results[i]
		p.arrivals.takenByCall.Inc()
		p.Log.ErrorContext(ctx, "an entry was published that an earlier look had taken for another's", "post", r.Ref.Post, "n", r.Ref.N,
			"entry", r.Receipt.Entry, "platform", r.Platform.String(), "id", r.Receipt.NativeID)
	}
	return nil
}

// countRows stores how many rows a statement of a batch has changed.
func countRows(n *int64) func(pgconn.CommandTag) error {
	return func(tag pgconn.CommandTag) error {
		*n = tag.RowsAffected()
		return nil
	}
}

// isTaken reports whether a receipt was recorded before.
func isTaken(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.ConstraintName == "receipts_native"
}
