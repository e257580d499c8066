package maintenance

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

const (
	// sweepPage is how many open posts a chunk looks at, and sweepLook how many of any state it reads
	// for them: what has ended costs little, and stays for archiveAfter.
	sweepPage, sweepLook = 500, 2000
	// sweepAhead is how long before a post is due its job is to be there.
	sweepAhead = 30 * time.Minute
	// sweepRecent is how long ago a post was due at most that the short pass looks at.
	sweepRecent = 10 * time.Minute
)

// suspect is an open post that something is wrong with.
type suspect struct {
	post schema.PostID
	kind string
}

// findSuspects looks at the open posts of a page, which ends before one more than @open of them.
var findSuspects = sql.Text(`
	with page as materialized (
		select * from (
			select due.*, count(*) filter (where status in {open_posts}) over (order by workspace_id, scheduled_for desc, id desc rows unbounded preceding) as opened
			from ({due_page}) due
		) counted where opened <= @open
	), checked as (
		select p.id, p.version, (p.left_n, p.posted_n, p.failed_n) is distinct from (c.l, c.posted, c.failed) or c.l = 0 miscounted,
			j.id is null jobless, j.version <> p.version or json_array_length(j.payload -> 'accounts') <= c.last other, c.lease < now() - interval '2 minutes' and j.due_at > now() + interval '2 minutes' and not j.held forgotten,
			p.updated_at > now() + interval '1 minute' or c.lease > now() + @longest::interval + interval '1 minute'
				or not j.held and j.due_at > greatest(case when p.status = {post_scheduled} then coalesce(p.retried_for, p.scheduled_for) end, c.until, now()) + interval '2 minutes' ahead
		from page p cross join lateral (
			select count(*) filter (where state in {open_targets}) l, count(*) filter (where state = {target_posted}) posted, count(*) filter (where state = {target_failed}) failed,
				max(lease_until) filter (where state = {target_claimed}) lease, max(n) filter (where state in {open_targets}) last,
				max(greatest(next_at, lease_until)) filter (where state in {open_targets}) until
			from targets t where t.post_id = p.id
		) c
		left join jobs j on j.id = p.id
		where p.status in {open_posts} and (p.retried_for is null or p.retried_for < @ahead)
	), suspects as (
		select id, case when miscounted then 'counters_disagree' when jobless then 'post_without_job'
			when other then 'post_with_job_of_another_version' when forgotten then 'lease_over_and_no_job_due' else 'clock_was_ahead' end kind
		from checked where miscounted or jobless or other or forgotten or ahead
	)
	select last.workspace_id, last.scheduled_for, last.id, (select count(*) = @page or max(opened) = @open from page),
		array(select id from suspects order by id), array(select kind from suspects order by id)
	from (select workspace_id, scheduled_for, id from page order by workspace_id desc, scheduled_for, id limit 1) last`)

// pullIn takes from the times of open targets by how much the server's clock was ahead when they were
// noted: by how much their post has changed in the future. No lease is longer than @longest from now.
var pullIn = sql.Text(`
	with changed as (
		update posts p set updated_at = now() from (
			select id, updated_at - now() by from posts where id = any(@posts) and updated_at > now() + interval '1 minute'
		) a where p.id = a.id returning p.id, a.by
	)
	update targets t set
		next_at = t.next_at - coalesce(c.by, interval '0'),
		lease_until = case when t.lease_until is not null then least(t.lease_until - coalesce(c.by, interval '0'), now() + @longest::interval) end
	from unnest(@posts::uuid[]) u (id) left join changed c on c.id = u.id
	where t.post_id = u.id and t.state in {open_targets} and (c.by is not null or t.lease_until > now() + @longest::interval)`)

// posts looks at all posts that are due, or soon.
func (c *chunk) posts(ctx context.Context) (more bool, err error) {
	return c.due(ctx, always, c.Now().Add(sweepAhead))
}

// recentPosts looks at those that are due since some minutes.
func (c *chunk) recentPosts(ctx context.Context) (more bool, err error) {
	return c.due(ctx, c.Now().Add(-sweepRecent), c.Now().Add(time.Minute))
}

func (c *chunk) due(ctx context.Context, from, to time.Time) (more bool, err error) {
	after := &c.pass.after
	var ids [][16]byte
	var kinds []string
	err = c.tx.QueryRow(ctx, findSuspects, pgx.StrictNamedArgs{
		"workspace": after.workspace, "due": after.due, "id": after.id, "from": from, "to": to, "page": sweepLook, "open": sweepPage, "ahead": c.Now().Add(sweepAhead), "longest": schema.PrepareLease,
	}).Scan(&after.workspace, &after.due, &after.id, &more, &ids, &kinds)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found := make([]suspect, len(ids))
	for i := range ids {
		found[i] = suspect{schema.PostID(ids[i]), kinds[i]}
	}
	if len(found) > 0 {
		err = c.repairPosts(ctx, found)
	}
	return more, err
}

// repairPosts repairs posts, each half by itself where that fails, so that one which cannot
// be read holds up no other.
func (c *chunk) repairPosts(ctx context.Context, found []suspect) error {
	ids := lists.Map(found, func(x suspect) schema.PostID { return x.post })
	var announcement schema.Announcement
	err := pgx.BeginFunc(ctx, c.tx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, tables.LockPosts, ids); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, pullIn, pgx.StrictNamedArgs{"posts": ids, "longest": schema.PrepareLease}); err != nil {
			return err
		}
		return guard.Do(func() error { return tables.RepairPosts(ctx, tx, ids, c.Now(), &announcement) })
	}) // a savepoint
	switch half := len(found) / 2; {
	case err == nil:
		for _, x := range found {
			c.repaired[x.kind]++
		}
		c.announcement.Events = append(c.announcement.Events, announcement.Events...)
		return nil
	case !db.IsDataError(err):
		return err
	case half == 0:
		c.Log.ErrorContext(ctx, "a post could not be repaired", "post", ids[0], "kind", found[0].kind, "err", err)
		return nil
	default:
		if err := c.repairPosts(ctx, found[:half]); err != nil {
			return err
		}
		return c.repairPosts(ctx, found[half:])
	}
}
