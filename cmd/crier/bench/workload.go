package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose"
	"crier/schema"
)

// workload is posts of many accounts of mastodon, in workspaces of an agency's size.
type workload struct {
	label   string
	first   time.Time // post i of each workspace is due at first + i*step
	step    time.Duration
	tenants []tenant
	quiet   tenant          // a workspace without posts
	fresh   schema.Platform // of what is published at once beside it
}

// tenant is a workspace of a workload.
type tenant struct {
	key      string
	label    string // of its posts
	posts    int
	accounts [][]target // post i goes to the account at i modulo their number
	fresh    [][]target // accounts without a post
}

const (
	// postsEach is below the daily cap of an account, and the burst of its rate limit.
	postsEach      = 40
	tenantPosts    = 40_000 // at most: a thousand accounts
	postsAhead     = 6 * time.Hour
	crowdBulk      = 25
	gatherers      = 16
	freshAccounts  = 200 // of a workspace: what is published now counts towards daily caps
	setBackTimeout = 10 * time.Minute
)

// posts is how many the workload has.
func (c *workload) posts() int {
	n := 0
	for _, t := range c.tenants {
		n += t.posts
	}
	return n
}

// schedules are when the posts of each workspace are due.
func (c *workload) schedules() []schedule {
	all := make([]schedule, len(c.tenants))
	for i, t := range c.tenants {
		all[i] = schedule{t.label, c.first, c.step, 0, t.posts}
	}
	return all
}

// createPosts creates some posts of a workload, hours ahead, those of a workspace evenly over a time.
func (s *session) createPosts(ctx context.Context, on *server, c *workload, posts int, over time.Duration) (err error) {
	share := min(posts, tenantPosts)
	c.first, c.step = time.Now().Add(postsAhead).Truncate(time.Second), (over / time.Duration(share)).Truncate(time.Microsecond)
	s.say("creating %d posts of the %s", posts, c.label)
	if c.quiet, err = on.newTenant(ctx, c.label+"-quiet", 0, c.fresh); err != nil {
		return err
	}
	for left := posts; left > 0; left -= share {
		t, err := on.newTenant(ctx, fmt.Sprintf("%s-%02d", c.label, len(c.tenants)), min(share, left), c.fresh)
		if err != nil {
			return err
		}
		c.tenants = append(c.tenants, t)
		plan := loadPlan{
			URL: on.URL, Key: t.key, Targets: t.accounts, Connections: gatherers, Posts: t.posts, Bulk: crowdBulk,
			First: c.first, Step: c.step, Label: t.label,
		}
		var created loadResult
		if err := s.do(ctx, roleLoad, plan, &created); err != nil {
			return err
		}
		if created.Errors > 0 {
			return fmt.Errorf("%d requests in bulk failed: %s", created.Errors, created.Reason)
		}
	}
	return nil
}

// newTenant makes a workspace with accounts of mastodon for some posts, and others of a platform.
func (s *server) newTenant(ctx context.Context, name string, posts int, fresh schema.Platform) (tenant, error) {
	config := s.operator()
	t := tenant{label: name, posts: posts}
	var err error
	if t.key, err = compose.CreateKey(ctx, config, name, "operator", false); err != nil {
		return t, err
	}
	connect := func(platform schema.Platform, from, n int) (all [][]target) {
		if err == nil && n > 0 {
			var accounts []schema.Account
			accounts, err = compose.ConnectSimulated(ctx, config, name, compose.Simulated{Platforms: []schema.Platform{platform}, From: from, Accounts: n})
			for _, a := range accounts {
				all = append(all, []target{{a.Platform.String(), a.ID.String()}})
			}
		}
		return all
	}
	busy := (posts + postsEach - 1) / postsEach
	t.accounts, t.fresh = connect(schema.Mastodon, 0, busy), connect(fresh, busy, freshAccounts)
	return t, err
}

// setBack moves the posts of the workload so that the first is due at a time, in the tables: no
// engine may run on them.
func (c *workload) setBack(ctx context.Context, postgres string, first time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, setBackTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, postgres)
	if err != nil {
		return fmt.Errorf("connecting to set times back: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	by := c.first.Sub(first)
	for table, statement := range map[string]string{
		"posts": `update posts set scheduled_for = scheduled_for - $1::interval where scheduled_for between $2 and $3`,
		// Not only posts have jobs. The messages that a job becomes say when its post is due, too.
		"jobs": `update jobs set due_at = due_at - $1::interval,
				payload = jsonb_set(payload::jsonb, '{due}', to_jsonb((payload->>'due')::bigint - (extract(epoch from $1::interval) * 1000000)::bigint))::json
			where due_at between $2 and $3 and id in (select id from posts)`,
	} {
		tag, err := conn.Exec(ctx, statement, by.String(), c.first, c.first.Add(time.Duration(tenantPosts)*c.step))
		if err != nil {
			return fmt.Errorf("setting times back: %w", err)
		}
		if int(tag.RowsAffected()) != c.posts() {
			return fmt.Errorf("%d rows of %s were set back, not one of each of %d posts", tag.RowsAffected(), table, c.posts())
		}
		// Vacuum: a table that was filled over weeks has no dead rows.
		if _, err := conn.Exec(ctx, `vacuum (analyze) `+table); err != nil {
			return fmt.Errorf("vacuuming after times were set back: %w", err)
		}
	}
	c.first = first
	return nil
}
