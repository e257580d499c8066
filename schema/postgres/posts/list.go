package posts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Posts returns a page of the posts of a workspace that the filter selects, and how many there
// are, counted up to MaxTotal.
func (s *Store) Posts(ctx context.Context, workspace schema.WorkspaceID, f schema.PostFilter) (schema.PostPage, error) {
	if f.Search != "" {
		return s.search(ctx, workspace, f)
	}
	found, err := s.find(ctx, newListing(workspace, f))
	if err != nil {
		return schema.PostPage{}, db.Wrap(err, "listing posts")
	}
	page := schema.PostPage{Total: found.total}
	if len(found.ids) > f.Limit {
		last := f.Limit - 1
		found.ids = found.ids[:f.Limit]
		page.Last = &schema.PostPosition{ID: found.ids[last]}
		if at := found.at[last]; at != nil {
			page.Last.At = *at
		}
	}
	page.Posts, err = s.inOrder(ctx, workspace, found.ids)
	return page, db.Wrap(err, "reading posts")
}

// found is the ids of a page and of one post more, each with what the list is sorted by.
type found struct {
	total int
	ids   []schema.PostID
	at    []*time.Time
}

func (s *Store) find(ctx context.Context, l listing) (f found, err error) {
	err = pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(indexesAlone)
		b.Queue(l.page(), l.parameters).QueryRow(func(row pgx.Row) error { return row.Scan(&f.total, &f.ids, &f.at) })
		return tx.SendBatch(ctx, b).Close()
	})
	return f, err
}

// indexesAlone keeps a list to the indexes that have posts in its order: where few of many
// posts are of a kind, the planner expects more, and would read the table for them.
const indexesAlone = `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`

// inOrder reads posts whole, in the order of their ids, wherever they stand by now. One that
// is gone since is left out.
func (s *Store) inOrder(ctx context.Context, workspace schema.WorkspaceID, ids []schema.PostID) ([]schema.Post, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {post_columns} from all_posts p where p.id = any($1) and p.workspace_id = $2`), ids, workspace)
	posts, err := db.Collect(rows, err, tables.ScanPost)
	if err != nil {
		return nil, err
	}
	at := make(map[schema.PostID]int, len(ids))
	for i, id := range ids {
		at[id] = i
	}
	slices.SortFunc(posts, func(a, b schema.Post) int { return at[a.ID] - at[b.ID] })
	if err := tables.AddAllTargets(ctx, s.Pool, posts); err != nil {
		return nil, err
	}
	return posts, tables.AddHolds(ctx, s.Pool, posts)
}

// maxSearched is how many of the first posts are searched for metadata, which no index
// covers: that bounds the cost of a search.
const maxSearched = 10_000

// listing is how the posts of a filter are found: among the open ones and in history, each
// by an index that has them in the order of the list.
type listing struct {
	sources    []source
	order      order
	from       *schema.PostPosition
	metadata   bool
	parameters pgx.StrictNamedArgs
	all        bool // posts of the dashboard too
}

func newListing(workspace schema.WorkspaceID, f schema.PostFilter) listing {
	l := listing{order: orders[f.Order], from: f.From, metadata: len(f.Metadata) > 0, all: f.All, parameters: pgx.StrictNamedArgs{
		"workspace": workspace, "status": int16(f.Status), "limit": f.Limit + 1, "offset": f.Offset,
	}}
	if f.From != nil {
		l.parameters["from"] = f.From.ID
		if !f.From.At.IsZero() {
			l.parameters["from_at"] = f.From.At
		}
	}
	if !f.UpdatedAfter.IsZero() {
		l.order, l.sources = orders[schema.FirstChanged], changedSources(f.Status)
		l.parameters["since"] = f.UpdatedAfter
		if f.Status == 0 || f.Status == schema.Scheduled {
			l.parameters["first"] = schema.FirstID[schema.PostID](f.UpdatedAfter)
			if f.From != nil {
				l.parameters["from_first"] = schema.FirstID[schema.PostID](f.From.At)
			}
		}
		return l.prepared()
	}
	var mask int32
	if f.Platform != 0 {
		mask = 1 << f.Platform
	}
	l.parameters["platforms"], l.parameters["brand"], l.parameters["external"] = mask, f.Brand, f.ExternalID
	l.parameters["after"], l.parameters["before"] = db.OrNull(f.After), db.OrNull(f.Before)
	if l.metadata {
		l.parameters["metadata"], l.parameters["searched"] = string(db.Encode(f.Metadata)), maxSearched
		l.parameters["value"] = longestValue(f.Metadata)
	}
	l.sources = l.order.sources(f)
	return l.prepared()
}

// prepared is the listing of all posts where that is asked for, with a name for the kinds of each source.
func (l listing) prepared() listing {
	if l.all {
		l.sources = ofAll(l.sources)
	}
	for i := range l.sources {
		l.sources[i].named = fmt.Sprint("kinds", i)
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

// union selects columns of what sources have, up to a limit in each.
func (l listing) union(sources []source, columns func(source) string, limit string) string {
	queries := make([]string, len(sources))
	for i, s := range sources {
		queries[i] = s.query(l.order, columns(s), limit)
	}
	return strings.Join(queries, ` union all `)
}

// What is read of a source: nothing, to count it; where its posts stand; and their content.
func nothing(source) string       { return `1` }
func places(s source) string      { return s.id + ` id, ` + s.at + ` at` }
func withContent(s source) string { return places(s) + `, p.content` }

// kinds names the kinds of each source that has some, so that they are found once.
func (l listing) kinds() (named []string) {
	for _, s := range l.sources {
		if s.kinds != "" {
			named = append(named, s.named+` as materialized (select * from `+s.kinds+` k)`)
		}
	}
	return named
}

// Most posts have none of the wanted values anywhere, which costs far less to find out.
const hasMetadata = ` where strpos(p.content::text, @value) > 0 and (p.content -> 'metadata')::jsonb @> @metadata::text::jsonb`

// page counts posts up to MaxTotal and returns a page, merged from the first posts of each source. A filter by metadata
// searches the first maxSearched of them.
func (l listing) page() string {
	named, sorted := l.kinds(), l.order.by("at", "id")
	counted := fmt.Sprintf(`(select from (%s) u limit %d)`, l.union(l.sources, nothing, fmt.Sprint(`limit `, tables.MaxTotal)), tables.MaxTotal)
	listed := `(` + l.union(l.behind(), places, `limit @limit::int8 + @offset::int8`) + `)`
	if l.metadata {
		const limit = `limit @searched`
		named = append(named, `found as materialized (
			select id, at from (select * from (`+l.union(l.sources, withContent, limit)+`) u`+sorted+limit+`) p`+hasMetadata+`
		)`)
		counted, listed = `found`, `found`
		if l.from != nil {
			listed = `(select * from found where ` + strings.Join(l.order.behind(`at`, `id`, l.from), ` or `) + `)`
		}
	}
	query := `select (select count(*) from ` + counted + ` counted), array_agg(id` + sorted + `), array_agg(at` + sorted + `)
		from (select id, at from ` + listed + ` listed` + sorted + `limit @limit offset @offset) page`
	if len(named) > 0 {
		query = `with ` + strings.Join(named, `, `) + ` ` + query
	}
	return query
}
