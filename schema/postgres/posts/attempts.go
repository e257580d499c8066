package posts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Attempts returns a post of a workspace with what was stored of its attempts, oldest
// first.
func (s *Store) Attempts(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, []schema.Attempt, error) {
	post, err := s.Post(ctx, workspace, id)
	if err != nil {
		return post, nil, err
	}
	rows, err := s.Pool.Query(ctx, `
		select a.at, a.kind, a.n, a.comment, a.entry, a.attempts, a.code, a.message, a.next_at
		from all_posts p join attempts a on a.post_id = p.id
		where p.id = $1 and p.workspace_id = $2 order by a.at limit $3`, id, workspace, 2*schema.MaxAttempts)
	attempts, err := db.Collect(rows, err, func(row pgx.Row, a *schema.Attempt) error {
		return row.Scan(&a.At, &a.Kind, &a.N, &a.Comment, &a.Entry, &a.Tries, &a.Code, &a.Message, db.OrZero(&a.NextAt))
	})
	return post, attempts, db.Wrap(err, "reading attempts")
}
