package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

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
