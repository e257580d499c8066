package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/migrations"
)

// Exec runs a statement that a test needs to make time pass.
func (s *Store) Exec(ctx context.Context, sql string) error {
	_, err := s.Pool.Exec(ctx, sql)
	return err
}

// Count answers a query for one number.
func (s *Store) Count(ctx context.Context, sql string) (n int, err error) {
	err = s.Pool.QueryRow(ctx, sql).Scan(&n)
	return n, err
}

// Texts answers a query for texts.
func (s *Store) Texts(ctx context.Context, sql string) ([]string, error) {
	rows, err := s.Pool.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// SealedColumns returns the columns that the vault has sealed.
func SealedColumns() (names []string) {
	for _, c := range tables.SealedColumns() {
		names = append(names, c.Name())
	}
	return names
}

// Counter returns what is used of an account's day, and how many targets hold a unit of it.
func (s *Store) Counter(ctx context.Context, account schema.AccountID, day time.Time) (used, held int, err error) {
	err = s.Pool.QueryRow(ctx, `
		select coalesce((select used from counters where subject = $1 and period = $2), 0),
			(select count(*) from targets where account_id = $1 and charged_on = $2)`, account, day).Scan(&used, &held)
	return used, held, err
}

// ClaimUnheard claims as if the connection had been cut before the answer came.
func (p *Publish) ClaimUnheard(ctx context.Context, refs []schema.TargetRef) error {
	tokens, takeovers := p.lost.begin(refs)
	_, err := p.claim(ctx, refs, tokens, takeovers)
	p.lost.unanswered(refs, tokens, p.Now())
	return err
}

// ClaimUnheard claims as if the connection had been cut before the answer came.
func (c *Comment) ClaimUnheard(ctx context.Context, ids []schema.CommentID) error {
	tokens, takeovers := c.lost.begin(ids)
	_, err := c.claim(ctx, ids, tokens, takeovers)
	c.lost.unanswered(ids, tokens, c.Now())
	return err
}

// ClaimUnheard claims as if the connection had been cut before the answer came.
func (n *Notify) ClaimUnheard(ctx context.Context, ids []schema.DeliveryID) error {
	tokens, takeovers := n.lost.begin(ids)
	_, err := n.claim(ctx, ids, tokens, takeovers)
	n.lost.unanswered(ids, tokens, n.Now())
	return err
}

// FinishTogether stores results in one batch, as the committer of a group does.
func (n *Notify) FinishTogether(ctx context.Context, results ...schema.NotifyResult) error {
	batch := make([]*schema.NotifyResult, len(results))
	for i := range results {
		batch[i] = &results[i]
	}
	return n.commitFinishes(ctx, batch)
}

// ClaimUnheard claims as if the connection had been cut before the answer came.
func (r *Refresh) ClaimUnheard(ctx context.Context, a schema.Account) error {
	accounts := []schema.AccountID{a.ID}
	tokens, takeovers := r.lost.begin(accounts)
	_, err := r.claim(ctx, accounts, []schema.WorkspaceID{a.Workspace}, tokens, takeovers)
	r.lost.unanswered(accounts, tokens, r.Now())
	return err
}

// FinishTogether stores results in one batch, as the committer of a group does.
func (p *Publish) FinishTogether(ctx context.Context, results ...schema.Result) []error {
	batch := make([]*schema.Result, len(results))
	for i := range results {
		batch[i] = &results[i]
	}
	return p.finishes.Settle(ctx, batch)
}

// MigrateTo brings an empty database to an earlier version of its tables.
func MigrateTo(ctx context.Context, url string, version int64) error {
	return migrations.To(ctx, url, version)
}

// ResumeLate resumes a chunk in a transaction that begins before another has resumed one.
func ResumeLate(ctx context.Context, s *Store, another func()) (resumed int, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select now()`); err != nil {
			return err
		}
		another()
		resumed, _, err = tables.GoOnResuming(ctx, tx, nil)
		return err
	})
	return resumed, err
}

// LiftAndDie lifts a pause as a process does that dies before it has resumed anything.
func LiftAndDie(ctx context.Context, s *Store, h schema.Hold) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from holds where kind = $1 and platform = $2`, int16(h.Kind), int16(h.Platform)); err != nil {
			return err
		}
		_, err := tables.BeginResume(ctx, tx)
		return err
	})
}

// ExplainClaim returns how PostgreSQL carries a claim of targets out, which is rolled back.
func ExplainClaim(ctx context.Context, p *Publish, refs []schema.TargetRef) (plan string, err error) {
	posts, ns, versions := columnsOf(refs)
	b := &pgx.Batch{}
	claimTargets.Queue(b, pgx.StrictNamedArgs{
		"posts": posts, "ns": ns, "versions": versions, "tokens": make([]int64, len(refs)), "takeovers": make([]bool, len(refs)), "node": p.Node,
		"lease": schema.Lease, "prepare_lease": schema.PrepareLease, "settle": schema.SettleTime, "late": p.Late, "latest": p.Now().Add(time.Hour),
		"due": p.Now().Add(time.Hour),
	})
	rewriter, _ := b.QueuedQueries[0].Arguments[0].(pgx.QueryRewriter)
	sql, args, err := rewriter.RewriteQuery(ctx, nil, "", nil)
	if err != nil {
		return "", err
	}
	tx, err := p.Pool.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, tx.Rollback(ctx)) }()
	if _, err := tx.Exec(ctx, `update posts set status = $2 where id = any($1)`, posts, int16(schema.Processing)); err != nil {
		return "", err
	}
	rows, err := tx.Query(ctx, "explain (analyze, costs off, timing off, summary off) "+sql, args...)
	lines, err := db.Collect(rows, err, func(row pgx.Row, line *string) error { return row.Scan(line) })
	return strings.Join(lines, "\n"), err
}
