package maintenance

import (
	"time"
)

// duePlace is how far a walk over posts is that goes by workspace, the latest first.
type duePlace struct {
	workspace, id [16]byte
	due           time.Time
}

// duePage selects the next @page posts that are due from @from to @to, after the place
// (@workspace, @due, @id): the rest of its workspace and then others, by the index of the
// schedule alone, whose columns run in both directions.
const duePage = `
	select * from (
		(` + dueColumns + ` where workspace_id = @workspace and (scheduled_for, id) < (@due, @id) and scheduled_for between @from and @to ` + dueOrder + ` limit @page)
		union all
		(` + dueColumns + ` where workspace_id > @workspace and scheduled_for between @from and @to ` + dueOrder + ` limit @page)
	) due ` + dueOrder + ` limit @page`

const (
	dueColumns = `select id, workspace_id, scheduled_for, retried_for, status, version, left_n, posted_n, failed_n, updated_at from posts`
	dueOrder   = `order by workspace_id, scheduled_for desc, id desc`
)

// dueLast selects where a page of that name ends; nothing of an empty one.
const dueLast = `select workspace_id, scheduled_for, id from page order by workspace_id desc, scheduled_for, id limit 1`

// always is before any time of a post.
var always = time.Unix(0, 0).UTC()
