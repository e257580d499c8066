package posts

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// maxSearched is how many of the newest posts are searched for metadata, which no index
// covers: that bounds the cost of a search.
const maxSearched = 100_000

// newestFirst puts drafts without a time before all others.
const newestFirst = ` order by p.scheduled_for desc, p.id desc `

// Posts returns the posts of a workspace that the filter selects, newest scheduled
// first, drafts without a time before them; and how many there are, counted up to
// MaxTotal.
func (s *Store) Posts(ctx context.Context, workspace schema.WorkspaceID, f schema.PostFilter) ([]schema.Post, int, error) {
	from, args := selectPosts(workspace, f)
	var total int
	err := s.Pool.QueryRow(ctx, fmt.Sprintf(`select count(*) from (select %s limit %d) counted`, from, tables.MaxTotal), args).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("counting posts: %w", db.Unavailable(err))
	}
	args["limit"], args["offset"] = f.Limit, f.Offset
	rows, err := s.Pool.Query(ctx, `select `+tables.PostColumns+from+newestFirst+` limit @limit offset @offset`, args)
	posts, err := db.Collect(rows, err, tables.ScanPost)
	if err == nil {
		err = tables.AddAllTargets(ctx, s.Pool, posts)
	}
	if err == nil {
		err = tables.AddHolds(ctx, s.Pool, posts)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading posts: %w", db.Unavailable(err))
	}
	return posts, total, nil
}

// selectPosts returns what stands behind select for the posts of a filter. Conditions on
// values that are not set cost nothing: each query is planned for its values.
func selectPosts(workspace schema.WorkspaceID, f schema.PostFilter) (from string, args pgx.StrictNamedArgs) {
	from = `
		from all_posts p where p.workspace_id = @workspace and p.from_api
		  and (@status::int2 = 0 or p.status = @status) and (@platforms::int = 0 or p.platforms & @platforms <> 0)
		  and (@brand::uuid is null or p.brand_id = @brand)
		  and (@after::timestamptz is null or p.scheduled_for >= @after)
		  and (@before::timestamptz is null or p.scheduled_for <= @before)
		  and (@external::text = '' or p.external_id = @external)`
	var mask int32
	if f.Platform != 0 {
		mask = 1 << f.Platform
	}
	args = pgx.StrictNamedArgs{
		"workspace": workspace, "status": int16(f.Status), "platforms": mask, "brand": f.Brand,
		"after": db.OrNull(f.After), "before": db.OrNull(f.Before), "external": f.ExternalID,
	}
	if len(f.Metadata) == 0 {
		return from, args
	}
	from = fmt.Sprintf(`
		from (select p.* %s %s limit %d) p
		where (p.content -> 'metadata')::jsonb @> @metadata::text::jsonb`, from, newestFirst, maxSearched)
	args["metadata"] = string(db.Encode(f.Metadata))
	return from, args
}
