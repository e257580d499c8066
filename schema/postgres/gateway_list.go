package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// MaxTotal is how far the posts of a list are counted, maxSearched how many of the newest
// are searched for metadata, which no index covers: that bounds the cost of a search.
const (
	MaxTotal    = 10_000
	maxSearched = 100_000
)

// newestFirst puts drafts without a time before all others.
const newestFirst = ` order by p.scheduled_for desc, p.id desc `

// Posts returns the posts of a workspace that the filter selects, newest scheduled
// first, drafts without a time before them; and how many there are, counted up to
// MaxTotal.
func (g *Gateway) Posts(ctx context.Context, workspace schema.WorkspaceID, f schema.PostFilter) ([]schema.Post, int, error) {
	from, args := selectPosts(workspace, f)
	var total int
	err := g.pool.QueryRow(ctx, fmt.Sprintf(`select count(*) from (select %s limit %d) counted`, from, MaxTotal), args...).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("counting posts: %w", unavailable(err))
	}
	n := len(args)
	rows, err := g.pool.Query(ctx, fmt.Sprintf(`select %s %s %s limit $%d offset $%d`, postColumns, from, newestFirst, n+1, n+2),
		append(args, f.Limit, f.Offset)...)
	posts, err := collect(rows, err, func(rows pgx.Rows, p *schema.Post) error { return scanPost(rows, p) })
	if err == nil {
		err = addTargets(ctx, g.pool, posts)
	}
	if err == nil {
		err = addHolds(ctx, g.pool, posts)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading posts: %w", unavailable(err))
	}
	return posts, total, nil
}

// selectPosts returns what stands behind select for the posts of a filter. Conditions on
// values that are not set cost nothing: each query is planned for its values.
func selectPosts(workspace schema.WorkspaceID, f schema.PostFilter) (from string, args []any) {
	from = `
		from posts p where p.workspace_id = $1 and p.from_api
		  and ($2::int2 = 0 or p.status = $2) and ($3::int = 0 or p.platforms & $3 <> 0)
		  and ($4::uuid is null or p.brand_id = $4)
		  and ($5::timestamptz is null or p.scheduled_for >= $5)
		  and ($6::timestamptz is null or p.scheduled_for <= $6)
		  and ($7::text = '' or p.external_id = $7)`
	var mask int32
	if f.Platform != 0 {
		mask = 1 << f.Platform
	}
	args = []any{workspace, int16(f.Status), mask, f.Brand, orNull(f.After), orNull(f.Before), f.ExternalID}
	if len(f.Metadata) == 0 {
		return from, args
	}
	from = fmt.Sprintf(`
		from (select p.* %s %s limit %d) p
		where (p.content -> 'metadata')::jsonb @> $8::text::jsonb`, from, newestFirst, maxSearched)
	return from, append(args, string(encode(f.Metadata)))
}
