package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// keepReceipts keeps the receipts of results that came too late to be taken, inside the
// transaction of a batch. It is rare, so each costs trips of its own.
func (p *Publish) keepReceipts(ctx context.Context, conn *pgx.Conn, late []*schema.Result, done *applied) error {
	var changed []schema.PostID
	for _, r := range late {
		stored, err := p.keepReceipt(ctx, conn, r, done)
		if err != nil {
			return err
		}
		if stored == nil {
			continue
		}
		changed = append(changed, r.Ref.Post)
		if stored.State == schema.TargetPending {
			done.waiting = append(done.waiting, r.Ref.Post)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(tables.RecountPosts, changed)
	done.queueEnded(b, changed)
	return conn.SendBatch(ctx, b).Close()
}

// keepReceipt stores the result of a late receipt and returns it; nil if nothing changes.
func (p *Publish) keepReceipt(ctx context.Context, conn *pgx.Conn, late *schema.Result, done *applied) (*schema.Result, error) {
	s, err := p.standing(ctx, conn, late.Ref)
	if errors.Is(err, pgx.ErrNoRows) { // it may be in history by now
		if err := tables.BringBack(ctx, conn, late.Workspace, late.Ref.Post); err != nil {
			return nil, err
		}
		s, err = p.standing(ctx, conn, late.Ref)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		p.Log.ErrorContext(ctx, "a late receipt has no target any more", "post", late.Ref.Post, "n", late.Ref.N,
			"platform", late.Platform.String(), "id", late.Receipt.NativeID)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stored, arrival := s.Keep(*late.Receipt, p.Now())
	p.arrivals.observe(arrival)
	switch arrival {
	case schema.ReceiptKnown:
		return nil, nil
	case schema.ReceiptSecond:
		p.Log.ErrorContext(ctx, "an entry was published twice", "post", late.Ref.Post, "n", late.Ref.N, "entry", late.Receipt.Entry,
			"platform", late.Platform.String(), "id", late.Receipt.NativeID)
		return nil, recordSecond(ctx, conn, second{
			workspace: s.Workspace, account: s.Account.ID, post: late.Ref.Post, n: late.Ref.N, entry: late.Receipt.Entry,
			nativeID: late.Receipt.NativeID, url: late.Receipt.URL,
		})
	default:
	}
	p.Log.WarnContext(ctx, "a receipt came late and is kept", "post", late.Ref.Post, "n", late.Ref.N, "entry", late.Receipt.Entry,
		"was", s.State.String(), "is", stored.State.String())
	switch {
	case stored.Terminal() && stored.State != s.State:
		done.ended = append(done.ended, &stored)
	case stored.Terminal():
		done.amended = append(done.amended, &stored)
	}
	if !s.Charged && p.constraints(stored.Platform).DailyCap > 0 {
		done.uncounted = append(done.uncounted, &stored)
	}
	return &stored, writeLateTarget(ctx, conn, &stored, schema.DayOf(p.Now()))
}

// standing locks a target and reads its current state.
func (p *Publish) standing(ctx context.Context, conn *pgx.Conn, ref schema.TargetRef) (schema.Standing, error) {
	var s schema.Standing
	var wait float64
	row := conn.QueryRow(ctx, lockStanding, ref.Post, ref.N)
	if err := p.scanDelivery(row, &s.Delivery, &s.State, &wait, &s.Charged); err != nil {
		return s, err
	}
	if s.Unreadable != nil {
		return s, s.Unreadable
	}
	s.Wait = time.Duration(wait * float64(time.Second))
	return s, nil
}

var lockStanding = sql.Text(`
	select {delivery_columns}, t.state, greatest(coalesce(extract(epoch from t.next_at - now()), 0), 0)::float8, t.charged_on is not null
	from targets t
	join posts p on p.id = t.post_id
	join accounts a on a.id = t.account_id
	join workspaces w on w.id = a.workspace_id
	where t.post_id = $1 and t.n = $2 for no key update of t`)

// writeLateTarget stores a target that a late receipt has changed. It raises the claim's
// number, so a step that is running comes late, too. If the target had given its unit of
// a daily cap back, it takes one of today.
func writeLateTarget(ctx context.Context, conn *pgx.Conn, r *schema.Result, today time.Time) error {
	_, err := conn.Exec(ctx, `
		update targets set
			state = @state, step = @step, entry = @entry, attempts = @attempts, looked = @looked, claim = claim + 1,
			since = case when @fresh then null else since end, next_at = now() + @next::float8 * interval '1 second', lease_until = null,
			progress = @progress::text::json, receipts = @receipts::text::json, error = @error::text::json,
			posted_at = coalesce(@posted, posted_at), charged_on = coalesce(charged_on, @today),
			unsettled = @unsettled
		where post_id = @post and n = @n`,
		pgx.StrictNamedArgs{
			"post": r.Ref.Post, "n": r.Ref.N, "state": int16(r.State), "step": int16(r.Step), "entry": int16(r.Entry),
			"attempts": int16(r.Attempts), "looked": int16(r.FindAttempts), "fresh": r.Fresh, "next": r.NextIn.Seconds(),
			"progress": db.TextOrNull(r.Progress), "receipts": string(db.Encode(r.Receipts)), "error": errorOrNull(r.Error),
			"posted": db.OrNull(r.PostedAt), "today": today, "unsettled": r.Unsettled,
		})
	return err
}

// keepReceipt stores the receipt of a first comment whose result came too late to be
// taken.
func (c *Comment) keepReceipt(ctx context.Context, late schema.CommentResult) error {
	err := pgx.BeginFunc(ctx, c.Pool, func(tx pgx.Tx) error {
		at := second{comment: &late.Comment, nativeID: late.NativeID, url: late.URL}
		now, err := at.lockComment(ctx, tx)
		if errors.Is(err, pgx.ErrNoRows) { // it may be in history by now, with its post
			if err := bringBackOf(ctx, tx, late); err != nil {
				return err
			}
			now, err = at.lockComment(ctx, tx)
		}
		if err != nil {
			return err
		}
		stored, arrival := now.KeepComment(late)
		c.arrivals.observe(arrival)
		switch arrival {
		case schema.ReceiptKnown:
			return nil
		case schema.ReceiptSecond:
			c.Log.ErrorContext(ctx, "a first comment was published twice", "comment", late.Comment, "id", late.NativeID)
			return recordSecond(ctx, tx, at)
		default:
		}
		c.Log.WarnContext(ctx, "the receipt of a first comment came late and is kept", "comment", late.Comment, "was", now.State.String())
		if _, err = tx.Exec(ctx, `
			update comments set state = $2, claim = claim + 1, native_id = $3, url = $4, error = null, posted_at = $5, lease_until = null
			where id = $1`, stored.Comment, int16(stored.State), stored.NativeID, stored.URL, db.OrNull(stored.PostedAt)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from jobs where id = $1`, stored.Comment)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		c.Log.ErrorContext(ctx, "a late receipt has no first comment any more", "comment", late.Comment, "id", late.NativeID)
		return nil
	}
	return db.Wrap(err, "keeping a late receipt")
}

// second is the receipt of a second publication of an entry or a comment.
type second struct {
	workspace schema.WorkspaceID
	account   schema.AccountID
	post      schema.PostID
	n         int16
	entry     int
	comment   *schema.CommentID // of a first comment; nil: of the entry
	nativeID  string
	url       string
}

// lockComment locks a first comment and reads its current state, target and account.
func (s *second) lockComment(ctx context.Context, tx pgx.Tx) (c schema.Comment, err error) {
	err = tx.QueryRow(ctx, `
		select state, native_id, workspace_id, account_id, coalesce(post_id, id), n, entry from comments where id = $1 for no key update`, s.comment).
		Scan(&c.State, &c.NativeID, (*[16]byte)(&s.workspace), (*[16]byte)(&s.account), (*[16]byte)(&s.post), &s.n, &s.entry)
	return c, err
}

// bringBackOf brings the post of a first comment back from history.
func bringBackOf(ctx context.Context, tx pgx.Tx, late schema.CommentResult) error {
	var workspace schema.WorkspaceID
	err := tx.QueryRow(ctx, `select workspace_id from comments_history where id = $1 and post_id = $2`, late.Comment, late.Post).
		Scan((*[16]byte)(&workspace))
	if err != nil {
		return err
	}
	return tables.BringBack(ctx, tx, workspace, late.Post)
}

// recordSecond stores the second receipt, so that a person can delete one of the two on
// the platform.
func recordSecond(ctx context.Context, to db.Execer, s second) error {
	_, err := to.Exec(ctx, `
		insert into duplicates (workspace_id, account_id, post_id, n, entry, comment_id, native_id, url)
		values (@workspace, @account, @post, @n, @entry, @comment, @native_id, @url) on conflict do nothing`,
		pgx.StrictNamedArgs{
			"workspace": s.workspace, "account": s.account, "post": s.post, "n": s.n, "entry": int16(s.entry),
			"comment": s.comment, "native_id": s.nativeID, "url": s.url,
		})
	return err
}

// arrivals counts late and second receipts.
type arrivals struct {
	late                     *prometheus.CounterVec
	takenByLook, takenByCall prometheus.Counter
}

var arrivalNames = [...]string{
	schema.ReceiptKnown: "known", schema.ReceiptNew: "kept", schema.ReceiptSecond: "second",
}

func newArrivals(r prometheus.Registerer) arrivals {
	register := metric.With(r) // registers nothing with nil
	late := register.CounterVec("crier_late_receipts_total",
		"Receipts that came after another claim had followed their own: known already, kept, or a second one of the same entry.", "outcome")
	for _, name := range arrivalNames {
		late.WithLabelValues(name)
	}
	taken := register.CounterVec("crier_taken_receipts_total",
		"Receipts that another entry had already: of a look, which is repeated, or of the call that made what an earlier look took for another's.", "by")
	return arrivals{late, taken.WithLabelValues("look"), taken.WithLabelValues("call")}
}

func (a arrivals) observe(of schema.Arrival) { a.late.WithLabelValues(arrivalNames[of]).Inc() }
