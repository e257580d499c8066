package posts

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// maxLookedUp is how many posts one look-up reads.
const maxLookedUp = 100

// Lookup returns the posts of a workspace that have one of the names. Of those that share an id of its
// own it returns four at most, the open ones first. Names with posts beyond the first 100 are returned
// as the rest.
func (s *Store) Lookup(ctx context.Context, workspace schema.WorkspaceID, names schema.PostNames) (posts []schema.Post, rest schema.PostNames, err error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select p.id, null from all_posts p where p.id = any(@ids::uuid[]) and p.workspace_id = @workspace
		union all
		select x.id, e.external_id from unnest(@external::text[]) e (external_id) cross join lateral (
			(select p.id from posts p where p.workspace_id = @workspace and p.external_id = e.external_id
				order by p.status in {ended_posts}, p.id limit 3)
			union all
			(select p.id from posts_history p where p.workspace_id = @workspace and p.external_id = e.external_id limit 1)
		) x
		order by 1`),
		pgx.StrictNamedArgs{"workspace": workspace, "ids": names.IDs, "external": names.ExternalIDs})
	found, err := db.Collect(rows, err, func(row pgx.Row, n *namedPost) error { return row.Scan(&n.id, &n.externalID) })
	if err != nil {
		return nil, rest, db.Wrap(err, "looking up posts")
	}
	first, rest := divide(found)
	if len(first) == 0 {
		return nil, rest, nil
	}
	posts, err = s.inOrder(ctx, workspace, first)
	return posts, rest, db.Wrap(err, "reading posts")
}

// namedPost is a post that has one of the names: its own id, or one of the workspace's.
type namedPost struct {
	id         schema.PostID
	externalID *string
}

// divide returns the first posts, and the names of the others. They are in the order of their ids, and
// one that has two of the names is there twice.
func divide(found []namedPost) (first []schema.PostID, rest schema.PostNames) {
	for _, n := range found {
		switch isNew := len(first) == 0 || first[len(first)-1] != n.id; {
		case isNew && len(first) < maxLookedUp:
			first = append(first, n.id)
		case !isNew:
		case n.externalID == nil:
			rest.IDs = append(rest.IDs, n.id)
		case !slices.Contains(rest.ExternalIDs, *n.externalID):
			rest.ExternalIDs = append(rest.ExternalIDs, *n.externalID)
		}
	}
	return first, rest
}
