package posts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/textsearch"
)

// A search reads the newest posts, since an index of words would be written with every creation.
const (
	searchChunk = 1_000    // posts that are read by one statement
	searchPosts = 5_000    // that one search reads
	searchBytes = 16 << 20 // of contents that it reads, about
)

// search returns the newest posts behind a position whose texts have all words of the filter. It ends
// where it has a page, has read searchPosts posts or searchBytes, or where there are no more; the page is
// truncated where it was one of the bounds.
func (s *Store) search(ctx context.Context, workspace schema.WorkspaceID, f schema.PostFilter) (schema.PostPage, error) {
	query, ok := textsearch.New(f.Search)
	if !ok {
		return schema.PostPage{}, nil
	}
	run := searching{filter: f, query: query}
	for ended := false; !ended; {
		var err error
		if ended, err = s.searchChunk(ctx, workspace, &run); err != nil {
			return schema.PostPage{}, db.Wrap(err, "searching posts")
		}
	}
	page := schema.PostPage{Total: f.Offset + len(run.found), Truncated: run.truncated}
	switch {
	case len(run.found) > f.Limit:
		run.found, page.Truncated = run.found[:f.Limit], false
		page.Last = &schema.PostPosition{ID: run.found[f.Limit-1]}
	case run.truncated:
		page.Last = &schema.PostPosition{ID: run.last}
	}
	var err error
	page.Posts, err = s.inOrder(ctx, workspace, run.found)
	return page, db.Wrap(err, "reading posts")
}

// searching is how far a search is.
type searching struct {
	filter    schema.PostFilter
	query     *textsearch.Query
	found     []schema.PostID // one more than a page, where there is one
	last      schema.PostID   // that was read
	posts     int             // that were read
	bytes     int             // of their contents
	truncated bool
}

// searchChunk reads on, and reports whether the search has ended.
func (s *Store) searchChunk(ctx context.Context, workspace schema.WorkspaceID, r *searching) (ended bool, err error) {
	f := r.filter
	f.Order, f.Limit = schema.LastCreated, searchChunk-1 // a listing reads one more
	if !r.last.IsZero() {
		f.From = &schema.PostPosition{ID: r.last}
	}
	l := newListing(workspace, f)
	read := 0
	err = pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(indexesAlone)
		b.Queue(l.contents(), l.parameters).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				read++
				if err := r.take(rows); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		return tx.SendBatch(ctx, b).Close()
	})
	r.truncated = read == searchChunk && (r.posts >= searchPosts || r.bytes >= searchBytes)
	return read < searchChunk || len(r.found) > r.filter.Limit || r.truncated, err
}

// take reads a post and keeps it where it has all words.
func (r *searching) take(rows pgx.Rows) error {
	var id schema.PostID
	var content, targets *string // nil: the filter leaves it out; no target has a text of its own
	if err := rows.Scan(&id, &content, &targets); err != nil {
		return err
	}
	r.last = id
	r.posts++
	if content == nil {
		return nil
	}
	r.bytes += len(*content)
	both := *content
	if targets != nil {
		both += "\n" + *targets
	}
	if len(r.found) > r.filter.Limit || !r.query.MayMatch(both) {
		return nil
	}
	texts, err := textsOf(*content)
	if err != nil {
		return fmt.Errorf("reading the content of %s: %w", id, err)
	}
	if targets != nil {
		texts = append(texts, *targets)
	}
	if r.query.Matches(texts) {
		r.found = append(r.found, id)
	}
	return nil
}

// textsOf are the texts of a post: those of its entries, its titles and its first comments.
func textsOf(document string) ([]string, error) {
	var content schema.Content
	if err := json.Unmarshal([]byte(document), &content); err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range content.Entries {
		texts = append(texts, e.Text)
		for _, text := range e.Platform {
			texts = append(texts, text)
		}
	}
	for _, c := range content.FirstComments {
		texts = append(texts, c.Text)
	}
	if content.Thread != nil {
		texts = append(texts, content.Thread.Title)
	}
	for _, settings := range content.Settings {
		var own struct{ Title, Content string }
		if json.Unmarshal(settings, &own) == nil { // one whose title is no text has none to find
			texts = append(texts, own.Title, own.Content)
		}
	}
	return texts, nil
}

// contents selects the newest posts with what they say, and nothing of those that the filter leaves
// out: they count as read.
func (l listing) contents() string {
	delete(l.parameters, "offset") // a search goes by the last post alone
	sources := l.behind()
	for i := range sources {
		sources[i].where = `and ` + cmp.Or(sources[i].creator, byAPI) + ` `
	}
	rows := l.union(sources, saying, `limit @limit::int8`)
	return `select id, content, targets from (` + rows + `) u` + l.order.by(`at`, `id`) + `limit @limit::int8`
}

// saying is what is read of a source to search it: the content, and the texts that targets have of
// their own.
func saying(s source) string {
	of := `from targets t where t.post_id = p.id and t.content <> ''`
	if s.from == `posts_history p` {
		of = `from targets_history t where t.post_id = p.id and t.ended_at = p.ended_at and t.content <> ''`
	}
	return places(s) + `, case when true ` + selected + ` then p.content::text end content,
		(select string_agg(t.content, E'\n') ` + of + `) targets`
}
