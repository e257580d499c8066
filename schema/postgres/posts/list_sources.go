package posts

import (
	"strings"

	"crier/schema"
	"crier/schema/postgres/internal/sql"
)

// source is where some of the posts stand: rows of posts p, which an index has in the order of
// the list. Where it has them so for each of several kinds, those are told first.
type source struct {
	kinds   string // a query of them, as k; empty: there is one order
	named   string // what the kinds are called in the statement
	from    string
	where   string
	creator string // by whom the posts were made, a condition; where says it too
	at      string // column of the time by which the list is sorted
	id      string // column of the id
	// byID says that ids are in the order of the times: the index has that of workspace and id.
	// Then edge says where in it the posts stand, and behind where those behind a position do.
	byID         bool
	edge, behind string
}

// query selects columns of what a source has, of each of its kinds the first up to a limit.
func (s source) query(o order, columns, limit string) string {
	rows := `select ` + columns + ` from ` + s.from + ` where ` + s.edge + s.where + s.sorted(o) + limit
	if s.kinds == "" {
		return `(` + rows + `)`
	}
	return `(select x.* from ` + s.named + ` k cross join lateral (` + rows + `) x)`
}

func (s source) sorted(o order) string {
	if s.byID {
		return o.by(`p.workspace_id`, s.id)
	}
	return o.by(s.at, s.id)
}

// byAPI is true of posts that no member made at the dashboard. Indexes of history have either kind.
const byAPI = `p.from_api`

// ofAll returns sources of all posts in place of those by the API: of the two kinds, where they stand in
// history.
func ofAll(sources []source) (all []source) {
	for _, s := range sources {
		if s.from != `posts_history p` {
			all = append(all, s.createdBy(`true`))
			continue
		}
		all = append(all, s, s.createdBy(`not `+byAPI))
	}
	return all
}

func (s source) createdBy(whom string) source {
	s.creator = whom
	s.where = strings.ReplaceAll(s.where, byAPI, whom)
	s.kinds = strings.ReplaceAll(s.kinds, byAPI, whom)
	return s
}

const ofWorkspace = `p.workspace_id = @workspace and p.from_api `

// Edges of the posts of a workspace in the index by workspace and id. By an equality the planner
// would see that the order of ids is enough, and go through everybody's posts by the primary key.
// Each side has one condition alone: the scan begins at either of two.
const (
	inWorkspace  = `p.workspace_id between @workspace and @workspace `
	createdAfter = `p.workspace_id <= @workspace and (p.workspace_id, p.id) >= (@workspace, @first) `
	// Behind a position.
	createdAfterCursor = `p.workspace_id <= @workspace and (p.workspace_id, p.id) >= (@workspace, @from_first) `
	afterCursor        = `p.workspace_id <= @workspace and (p.workspace_id, p.id) > (@workspace, @from) `
	beforeCursor       = `p.workspace_id >= @workspace and (p.workspace_id, p.id) < (@workspace, @from) `
)

// selected is what a filter asks of posts p. Conditions on values that are not set cost
// nothing: each query is planned for its values.
const selected = `
	and (@status::int2 = 0 or p.status = @status) and (@platforms::int = 0 or p.platforms & @platforms <> 0)
	and (@brand::uuid is null or p.brand_id = @brand)
	and (@after::timestamptz is null or p.scheduled_for >= @after)
	and (@before::timestamptz is null or p.scheduled_for <= @before)
	and (@external::text = '' or p.external_id = @external)`

// scheduledSources have posts in the order of their times.
func scheduledSources(f schema.PostFilter) []source {
	sources := []source{openSource(f)}
	if f.Status == 0 || f.Status.Terminal() {
		sources = append(sources, historySource(f))
	}
	return sources
}

// createdSources have posts in the order of their ids, which is that of their creation.
func createdSources(f schema.PostFilter) []source {
	open := source{from: `posts p`, edge: inWorkspace, behind: afterCursor, where: `and p.from_api` + selected, at: `null::timestamptz`, id: `p.id`, byID: true}
	if f.Order == schema.LastCreated {
		open.behind = beforeCursor
	}
	history := open
	history.from = `posts_history p`
	return []source{open, history}
}

// platformSets are the sets of platforms that posts of a table have, found by one look at the
// index for each.
func platformSets(table string) string {
	next := `select p.platforms from ` + table + ` p where p.workspace_id = @workspace and ` + byAPI
	return `(
		with recursive sets as (
			(` + next + ` order by p.platforms limit 1)
			union all
			select (` + next + ` and p.platforms > s.platforms order by p.platforms limit 1) from sets s where s.platforms is not null
		)
		select platforms from sets where platforms is not null and (@platforms::int = 0 or platforms & @platforms <> 0)
	)`
}

// openSource finds open posts. Posts that have ended and are not in history yet are found by their notes. No index
// has those that are processing: only posts that are due can be.
func openSource(f schema.PostFilter) source {
	plain := source{from: `posts p`, where: ofWorkspace + selected, at: `p.scheduled_for`, id: `p.id`}
	switch {
	case f.ExternalID != "":
		return plain
	case f.Status.Terminal():
		return source{
			from: `ended_posts e join posts p on p.id = e.post_id`,
			where: ofWorkspace + selected + ` and e.workspace_id = @workspace and e.status = @status
				and (@after::timestamptz is null or e.scheduled_for >= @after) and (@before::timestamptz is null or e.scheduled_for <= @before)`,
			at: `e.scheduled_for`, id: `e.post_id`,
		}
	case f.Status == schema.Draft:
		plain.where += ` and p.draft`
		return plain
	case f.Status == schema.Scheduled:
		plain.where += ` and p.scheduled_for is not null`
	case f.Status == schema.Processing:
		plain.where += ` and p.` + due
	}
	if f.Brand.IsZero() && f.Platform != 0 {
		plain.kinds, plain.where = platformSets("posts"), plain.where+` and p.platforms = k.platforms`
	}
	return plain
}

// due is what a post is that a claim may have changed.
const due = `scheduled_for < now() + interval '1 minute'`

// endings are the states of ended posts that a filter selects.
var endings = sql.Text(`unnest(array[{post_posted}, {post_partially_failed}, {post_failed}, {post_cancelled}]::int2[]) s (status)
	where @status::int2 = 0 or status = @status`)

func historySource(f schema.PostFilter) source {
	s := source{from: `posts_history p`, where: ofWorkspace + selected, at: `p.scheduled_for`, id: `p.id`}
	switch {
	case f.ExternalID != "":
	case !f.Brand.IsZero():
		s.kinds = `(select status from ` + endings + `)`
		s.where += ` and p.status = k.status`
	case f.Status != 0 || f.Platform != 0:
		s.kinds = `(
			with found as materialized ` + platformSets("posts_history") + `
			select platforms, status from found, ` + endings + `
		)`
		s.where += ` and p.platforms = k.platforms and p.status = k.status`
	}
	return s
}

// changedSources have what changed at @since or later, in the order of the changes. No index has
// open posts in that order, which would end the HOT updates of claims and finishes. But one that
// is in the state of its creation stands at that; one that somebody edited, at the edit; what
// claims and finishes have changed is due or has a note that it ended; and history never changes.
func changedSources(status schema.PostStatus) []source {
	const (
		wanted   = `and (@status::int2 = 0 or p.status = @status) and `
		created  = `uuid_extract_timestamp(p.id)`
		byClaims = `p.updated_at <> p.created_at and p.updated_at is distinct from p.edited_at`
		since    = ` >= @since`
	)
	ended := sql.Text(`p.status in {ended_posts}`)
	posts := func(at, where string) source {
		return source{from: `posts p`, where: ofWorkspace + wanted + where + ` and ` + at + since, at: at, id: `p.id`}
	}
	notes := source{
		from:  `ended_posts e join posts p on p.id = e.post_id`,
		where: ofWorkspace + wanted + `e.workspace_id = @workspace and e.ended_at` + since, at: `e.ended_at`, id: `e.post_id`,
	}
	history := source{
		kinds: `(select status from ` + endings + `)`,
		from:  `posts_history p`, where: ofWorkspace + wanted + `p.status = k.status and p.ended_at` + since, at: `p.ended_at`, id: `p.id`,
	}
	switch {
	case status == schema.Draft:
		return []source{posts(`p.updated_at`, `p.draft`)}
	case status == schema.Processing:
		return []source{posts(`p.updated_at`, `p.`+due)}
	case status.Terminal():
		return []source{notes, history}
	}
	untouched := source{
		from: `posts p`, at: created, id: `p.id`, byID: true,
		edge: createdAfter, behind: createdAfterCursor,
		where: `and p.from_api ` + wanted + created + since + ` and p.edited_at is null and p.updated_at = p.created_at and not ` + ended,
	}
	open := []source{
		untouched,
		posts(`p.edited_at`, `p.updated_at = p.edited_at and not `+ended),
		posts(`p.updated_at`, `p.`+due+` and `+byClaims+` and not `+ended),
	}
	if status == schema.Scheduled {
		return open
	}
	return append(open, notes, history)
}
