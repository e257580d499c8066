package restores

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

const (
	// groupPage is how many posts a chunk of Groups and End looks at, and lookPage how many one does that
	// does something with each.
	groupPage = 10_000
	lookPage  = 2000
	// knownPage is how many posts Page returns at most.
	knownPage = 200
)

// next returns up to where the next page goes, and whether others follow. Posts that are named are one.
func next(ctx context.Context, q db.Querier, r *schema.Restore, s schema.HeldSelection, after [16]byte, size int) (upto [16]byte, more bool, err error) {
	if len(s.Posts) > 0 {
		return r.LastID, false, nil
	}
	err = q.QueryRow(ctx, `select id from posts where id > $1 and id <= $2 order by id offset $3 limit 1`, after, r.LastID, size-1).Scan(&upto)
	if errors.Is(err, pgx.ErrNoRows) {
		return r.LastID, false, nil
	}
	return upto, true, err
}

// parameters are those of {held_posts}.
func parameters(r *schema.Restore, s schema.HeldSelection, after, upto [16]byte) pgx.NamedArgs {
	var workspaces [][16]byte // null: any
	for _, id := range s.Workspaces {
		workspaces = append(workspaces, id)
	}
	var overdue *bool
	if s.Due != schema.DueAnyTime {
		is := s.Due == schema.DueBeforeRestore
		overdue = &is
	}
	var posts []schema.PostID // null: any
	if len(s.Posts) > 0 {
		posts = s.Posts
	}
	return pgx.NamedArgs{
		"after": after, "upto": upto, "last": r.LastID, "marked": r.MarkedAt, "events_until": db.OrNull(r.EventsUntil),
		"workspaces": workspaces, "platforms": maskOf(s.Platforms), "from": db.OrNull(s.From), "to": db.OrNull(s.To), "overdue": overdue,
		"posts": posts, "most": nil, // as many as are in the page
		"cancelled": int16(schema.FoundCancelled), "updated": int16(schema.FoundUpdated), "published": int16(schema.FoundPublished),
		"failed": int16(schema.FoundFailed), "found": int16(schema.FoundOnPlatform), "cannot_tell": int16(schema.LookCannotTell),
	}
}

// maskOf is a set of platforms as posts have it.
func maskOf(platforms []schema.Platform) (mask int32) {
	for _, p := range platforms {
		mask |= 1 << p
	}
	return mask
}

func platformsOf(mask int32) (all []schema.Platform) {
	for _, p := range schema.Platforms() {
		if mask&(1<<p) != 0 {
			all = append(all, p)
		}
	}
	return all
}

// fields are where the evidence in {held_posts} is read to.
func fields(e *schema.Evidence) []any {
	return []any{&e.Cancelled, &e.Edited, &e.Published, &e.Failed, &e.Found, &e.Disconnected, &e.CannotTell, &e.Waiting}
}

// groupKey is what the posts of a group have in common.
type groupKey struct {
	workspace schema.WorkspaceID
	platforms int32
	overdue   bool
}

// part is the posts of a group in one page.
type part struct {
	groupKey
	schema.HeldGroup
}

// Groups returns what the restore holds, in groups, those with the first posts first. It reads all posts
// of the backup, in chunks; progress is told how many are held so far.
func (s *Store) Groups(ctx context.Context, r *schema.Restore, of schema.HeldSelection, progress func(held int)) ([]schema.HeldGroup, error) {
	groups, sum := map[groupKey]schema.HeldGroup{}, 0
	for after, more := ([16]byte{}), true; more; {
		var upto [16]byte
		var err error
		if upto, more, err = next(ctx, s.Pool, r, of, after, groupPage); err != nil {
			return nil, db.Wrap(err, "reading what a restore holds")
		}
		rows, err := s.Pool.Query(ctx, sql.Text(`
		{held_posts}
			select workspace_id, platforms, due < @marked, count(*), min(due), max(due),
				sum(cancelled), sum(edited), sum(published), sum(failed), sum(found), sum(disconnected), sum(cannot_tell), sum(waiting)
			from known group by 1, 2, 3`), parameters(r, of, after, upto))
		parts, err := db.Collect(rows, err, func(row pgx.Row, p *part) error {
			return row.Scan(append([]any{(*[16]byte)(&p.workspace), &p.platforms, &p.overdue, &p.Posts, &p.First, &p.Last}, fields(&p.Known)...)...)
		})
		if err != nil {
			return nil, db.Wrap(err, "reading what a restore holds")
		}
		for _, p := range parts {
			sum += p.Posts
			groups[p.groupKey] = groups[p.groupKey].With(p.HeldGroup)
		}
		progress(sum)
		after = upto
	}
	return s.inOrder(ctx, groups)
}

// inOrder names the workspaces of groups, and sorts them.
func (s *Store) inOrder(ctx context.Context, groups map[groupKey]schema.HeldGroup) ([]schema.HeldGroup, error) {
	var ids []schema.WorkspaceID
	for key := range groups {
		ids = append(ids, key.workspace)
	}
	type workspace struct {
		name    string
		sandbox bool
	}
	rows, err := s.Pool.Query(ctx, `select id, name, live_id is not null from workspaces where id = any($1)`, db.IDColumn(ids))
	named, err := db.CollectMap(rows, err, func(row pgx.Row, id *schema.WorkspaceID, w *workspace) error {
		return row.Scan((*[16]byte)(id), &w.name, &w.sandbox)
	})
	if err != nil {
		return nil, db.Wrap(err, "reading the names of workspaces")
	}
	var all []schema.HeldGroup
	for key, g := range groups {
		w := named[key.workspace]
		g.Workspace, g.Sandbox, g.Platforms, g.Overdue = w.name, w.sandbox, platformsOf(key.platforms), key.overdue
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b schema.HeldGroup) int {
		return cmp.Or(a.First.Compare(b.First), strings.Compare(a.Workspace, b.Workspace), order(a.Sandbox, b.Sandbox),
			slices.Compare(a.Platforms, b.Platforms), order(b.Overdue, a.Overdue))
	})
	return all, nil
}

// order has what is false before what is true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// countHeld counts what the restore holds of the next page.
func (s *Store) countHeld(ctx context.Context, r *schema.Restore, after [16]byte) (upto [16]byte, n int, more bool, err error) {
	all := schema.HeldSelection{}
	if upto, more, err = next(ctx, s.Pool, r, all, after, groupPage); err == nil {
		err = s.Pool.QueryRow(ctx, sql.Text(`{held_posts} select count(*) from held`), parameters(r, all, after, upto)).Scan(&n)
	}
	return upto, n, more, db.Wrap(err, "counting what a restore holds")
}

// Known is a post that a restore holds, and what is known of it.
type Known struct {
	ID        schema.PostID
	Workspace string // its name
	Sandbox   bool
	Overdue   bool
	schema.Evidence
}

// Page reads the posts after a given one that are held and selected, in the order of their ids. It looks at a chunk of the
// backup, which may have none of them, and returns at most knownPage: only of these it reads what is known. upto is where
// the next page begins.
func Page(ctx context.Context, q db.Querier, r *schema.Restore, of schema.HeldSelection, after [16]byte) (posts []Known, upto [16]byte, more bool, err error) {
	if upto, more, err = next(ctx, q, r, of, after, lookPage); err != nil {
		return nil, upto, false, err
	}
	p := parameters(r, of, after, upto)
	p["most"] = knownPage + 1
	rows, err := q.Query(ctx, sql.Text(`
		{held_posts}
		select k.id, w.name, w.live_id is not null, k.due < @marked, cancelled, edited, published, failed, found, disconnected, cannot_tell, waiting
		from known k join workspaces w on w.id = k.workspace_id order by k.id`), p)
	posts, err = db.Collect(rows, err, func(row pgx.Row, k *Known) error {
		return row.Scan(append([]any{(*[16]byte)(&k.ID), &k.Workspace, &k.Sandbox, &k.Overdue}, fields(&k.Evidence)...)...)
	})
	if len(posts) > knownPage {
		posts = posts[:knownPage]
		upto, more = posts[knownPage-1].ID, true
	}
	return posts, upto, more, err
}
