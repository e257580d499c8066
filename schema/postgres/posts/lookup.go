package posts

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// Lookup returns the posts of a workspace that have one of the ids, or one of the ids of its own.
// Of those that share one of these it returns four at most, the open ones first.
func (s *Store) Lookup(ctx context.Context, workspace schema.WorkspaceID, ids []schema.PostID, externalIDs []string) ([]schema.Post, error) {
	rows, err := s.Pool.Query(ctx, `
		select p.id from all_posts p where p.id = any(@ids::uuid[]) and p.workspace_id = @workspace
		union
		select x.id from unnest(@external::text[]) e (external_id) cross join lateral (
			(select p.id from posts p where p.workspace_id = @workspace and p.external_id = e.external_id
				order by p.status in `+tables.EndedPosts+`, p.id limit 3)
			union all
			(select p.id from posts_history p where p.workspace_id = @workspace and p.external_id = e.external_id limit 1)
		) x
		order by 1`,
		pgx.StrictNamedArgs{"workspace": workspace, "ids": ids, "external": externalIDs})
	found, err := db.Collect(rows, err, func(row pgx.Row, id *schema.PostID) error { return row.Scan(id) })
	if err != nil {
		return nil, fmt.Errorf("looking up posts: %w", db.Unavailable(err))
	}
	posts, err := s.inOrder(ctx, workspace, found)
	if err != nil {
		return nil, fmt.Errorf("reading posts: %w", db.Unavailable(err))
	}
	return posts, nil
}
