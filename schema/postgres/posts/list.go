package posts

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// Posts returns the posts of a workspace that the filter selects, newest scheduled
// first, drafts without a time before them; and how many there are, counted up to
// MaxTotal.
func (s *Store) Posts(ctx context.Context, workspace schema.WorkspaceID, f schema.PostFilter) ([]schema.Post, int, error) {
	ids, total, err := s.find(ctx, newListing(workspace, f))
	if err != nil {
		return nil, 0, fmt.Errorf("listing posts: %w", db.Unavailable(err))
	}
	posts, err := s.inOrder(ctx, workspace, ids)
	if err != nil {
		return nil, 0, fmt.Errorf("reading posts: %w", db.Unavailable(err))
	}
	return posts, total, nil
}

// find returns the ids of a page, and how many posts there are.
func (s *Store) find(ctx context.Context, l listing) (ids []schema.PostID, total int, err error) {
	err = pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(indexesAlone)
		b.Queue(l.page(), l.parameters).QueryRow(func(row pgx.Row) error { return row.Scan(&total, &ids) })
		return tx.SendBatch(ctx, b).Close()
	})
	return ids, total, err
}

// indexesAlone keeps a list to the indexes that have posts in its order: where few of many
// posts are of a kind, the planner expects more, and would read the table for them.
const indexesAlone = `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`

// inOrder reads posts whole, in the order of their ids, wherever they stand by now. One that
// is gone since is left out.
func (s *Store) inOrder(ctx context.Context, workspace schema.WorkspaceID, ids []schema.PostID) ([]schema.Post, error) {
	rows, err := s.Pool.Query(ctx, `select `+tables.PostColumns+` from all_posts p where p.id = any($1) and p.workspace_id = $2`, ids, workspace)
	read, err := db.Collect(rows, err, tables.ScanPost)
	if err != nil {
		return nil, err
	}
	byID := make(map[schema.PostID]schema.Post, len(read))
	for _, p := range read {
		byID[p.ID] = p
	}
	posts := make([]schema.Post, 0, len(ids))
	for _, id := range ids {
		if p, ok := byID[id]; ok {
			posts = append(posts, p)
		}
	}
	if err := tables.AddAllTargets(ctx, s.Pool, posts); err != nil {
		return nil, err
	}
	return posts, tables.AddHolds(ctx, s.Pool, posts)
}

// maxSearched is how many of the newest posts are searched for metadata, which no index
// covers: that bounds the cost of a search.
const maxSearched = 10_000

// listing is how the posts of a filter are found: among the open ones and in history, each
// by an index that has them in the order of the list.
type listing struct {
	sources    []source
	metadata   bool
	parameters pgx.StrictNamedArgs
}

// source is where some of the posts stand: rows of posts p, which an index has in the order of
// the list. Where it has them so for each of several kinds, those are told first.
type source struct {
	kinds string // a query of them, as k; empty: there is one order
	from  string
	where string
	order string // columns of an index; empty: those of posts p
}

// selected is what a filter asks of posts p. Conditions on values that are not set cost
// nothing: each query is planned for its values.
const selected = `p.workspace_id = @workspace and p.from_api
	and (@status::int2 = 0 or p.status = @status) and (@platforms::int = 0 or p.platforms & @platforms <> 0)
	and (@brand::uuid is null or p.brand_id = @brand)
	and (@after::timestamptz is null or p.scheduled_for >= @after)
	and (@before::timestamptz is null or p.scheduled_for <= @before)
	and (@external::text = '' or p.external_id = @external)`

func newListing(workspace schema.WorkspaceID, f schema.PostFilter) listing {
	var mask int32
	if f.Platform != 0 {
		mask = 1 << f.Platform
	}
	l := listing{metadata: len(f.Metadata) > 0, parameters: pgx.StrictNamedArgs{
		"workspace": workspace, "status": int16(f.Status), "platforms": mask, "brand": f.Brand,
		"after": db.OrNull(f.After), "before": db.OrNull(f.Before), "external": f.ExternalID,
		"limit": f.Limit, "offset": f.Offset,
	}}
	if l.metadata {
		l.parameters["metadata"], l.parameters["searched"] = string(db.Encode(f.Metadata)), maxSearched
		l.parameters["value"] = longestValue(f.Metadata)
	}
	l.sources = []source{openSource(f)}
	if f.Status == 0 || f.Status.Terminal() {
		l.sources = append(l.sources, historySource(f))
	}
	return l
}

// longestValue is one of the wanted values as the content of a post has it.
func longestValue(metadata map[string]string) string {
	longest := ""
	for _, value := range metadata {
		if encoded := string(db.Encode(value)); len(encoded) > len(longest) {
			longest = encoded
		}
	}
	return longest
}

// platformSets are the sets of platforms that posts of a table have, found by one look at the
// index for each.
func platformSets(table string) string {
	next := `select platforms from ` + table + ` where workspace_id = @workspace and from_api`
	return `(
		with recursive sets as (
			(` + next + ` order by platforms limit 1)
			union all
			select (` + next + ` and platforms > s.platforms order by platforms limit 1) from sets s where s.platforms is not null
		)
		select platforms from sets where platforms is not null and (@platforms::int = 0 or platforms & @platforms <> 0)
	)`
}

// openSource finds open posts. What has ended and is among them still is told by its note;
// whether others are processing no index tells: only what is due can be.
func openSource(f schema.PostFilter) source {
	plain := source{from: `posts p`, where: selected}
	switch {
	case f.ExternalID != "":
		return plain
	case f.Status.Terminal():
		return source{
			from: `ended_posts e join posts p on p.id = e.post_id`,
			where: selected + ` and e.workspace_id = @workspace and e.status = @status
				and (@after::timestamptz is null or e.scheduled_for >= @after) and (@before::timestamptz is null or e.scheduled_for <= @before)`,
			order: ` order by e.scheduled_for desc, e.post_id desc `,
		}
	case f.Status == schema.Draft:
		plain.where += ` and p.draft`
		return plain
	case f.Status == schema.Scheduled:
		plain.where += ` and p.scheduled_for is not null`
	case f.Status == schema.Processing:
		plain.where += ` and p.scheduled_for < now() + interval '1 minute'`
	}
	if !f.Brand.IsZero() || f.Platform == 0 {
		return plain
	}
	return source{kinds: platformSets("posts"), from: plain.from, where: plain.where + ` and p.platforms = k.platforms`}
}

func historySource(f schema.PostFilter) source {
	const ended = `unnest(` + tables.AllEndedPosts + `) s (status)`
	s := source{from: `posts_history p`, where: selected}
	switch {
	case f.ExternalID != "":
	case !f.Brand.IsZero():
		s.kinds = `(select status from ` + ended + ` where @status::int2 = 0 or status = @status)`
		s.where += ` and p.status = k.status`
	case f.Status != 0 || f.Platform != 0:
		s.kinds = `(
			with found as materialized ` + platformSets("posts_history") + `
			select platforms, status from found, ` + ended + ` where @status::int2 = 0 or status = @status
		)`
		s.where += ` and p.platforms = k.platforms and p.status = k.status`
	}
	return s
}

// query selects what a source has, of each of its kinds the newest up to a limit.
func (s source) query(kinds, columns, limit string) string {
	rows := `select ` + columns + ` from ` + s.from + ` where ` + s.where + cmp.Or(s.order, ` order by p.scheduled_for desc, p.id desc `) + limit
	if s.kinds == "" {
		return `(` + rows + `)`
	}
	return `(select x.* from ` + kinds + ` k cross join lateral (` + rows + `) x)`
}

// union selects what all sources have, up to a limit in each.
func (l listing) union(columns, limit string) string {
	queries := make([]string, len(l.sources))
	for i, s := range l.sources {
		queries[i] = s.query(kindsOf(i), columns, limit)
	}
	return strings.Join(queries, ` union all `)
}

// kinds names the kinds of each source that has some, so that they are found once.
func (l listing) kinds() (named []string) {
	for i, s := range l.sources {
		if s.kinds != "" {
			named = append(named, kindsOf(i)+` as materialized (select * from `+s.kinds+` k)`)
		}
	}
	return named
}

func kindsOf(source int) string { return fmt.Sprint("kinds", source) }

const (
	newestFirst = ` order by scheduled_for desc, id desc `
	// Most posts have none of the wanted values anywhere, which costs far less to find out.
	hasMetadata = ` where strpos(p.content::text, @value) > 0 and (p.content -> 'metadata')::jsonb @> @metadata::text::jsonb`
	offPage     = newestFirst + `limit @limit offset @offset`
)

// page counts posts up to MaxTotal and returns the ids of a page, merged of what each source
// has first. Those with metadata are searched for among as many of the newest as may be.
func (l listing) page() string {
	named := l.kinds()
	counted := fmt.Sprintf(`(select from (%s) u limit %d)`, l.union(`1`, fmt.Sprint(`limit `, tables.MaxTotal)), tables.MaxTotal)
	listed := `(` + l.union(`p.id, p.scheduled_for`, `limit @limit::int8 + @offset::int8`) + `)`
	if l.metadata {
		const limit = `limit @searched`
		named = append(named, `found as materialized (
			select id, scheduled_for from (select * from (`+l.union(`p.id, p.scheduled_for, p.content`, limit)+`) u`+newestFirst+limit+`) p`+hasMetadata+`
		)`)
		counted, listed = `found`, `found`
	}
	query := `select (select count(*) from ` + counted + ` counted), array(select id from ` + listed + ` listed` + offPage + `)`
	if len(named) > 0 {
		query = `with ` + strings.Join(named, `, `) + ` ` + query
	}
	return query
}
