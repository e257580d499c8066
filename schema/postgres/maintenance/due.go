package maintenance

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// duePlace is how far a walk over posts is that goes by workspace and by their sets of
// platforms, the latest first.
type duePlace struct {
	workspace, id [16]byte
	platforms     int32
	due           time.Time
}

// duePage selects the next @page posts that are due from @from to @to, after the place
// (@workspace, @platforms, @due, @id): the rest of its set, then other sets of its workspace,
// then other workspaces, by the index of listings alone, whose columns run in both directions.
const duePage = `
	select * from (
		(` + dueColumns + ` where workspace_id = @workspace and platforms = @platforms and (scheduled_for, id) < (@due, @id) and ` + dueThen + `)
		union all
		(` + dueColumns + ` where workspace_id = @workspace and platforms > @platforms and ` + dueThen + `)
		union all
		(` + dueColumns + ` where workspace_id > @workspace and ` + dueThen + `)
	) due ` + dueOrder + ` limit @page`

const (
	dueColumns = `select id, workspace_id, platforms, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n from posts`
	dueThen    = `scheduled_for between @from and @to ` + dueOrder + ` limit @page`
	dueOrder   = `order by workspace_id, platforms, scheduled_for desc, id desc`
)

// dueLast selects where a page of that name ends; nothing of an empty one.
const dueLast = `select workspace_id, platforms, scheduled_for, id from page order by workspace_id desc, platforms desc, scheduled_for, id limit 1`

// scan reads a place, and what a row has beside it.
func (p *duePlace) scan(row pgx.Row, beside ...any) error {
	return row.Scan(append([]any{&p.workspace, &p.platforms, &p.due, &p.id}, beside...)...)
}

// always is before any time of a post.
var always = time.Unix(0, 0).UTC()
