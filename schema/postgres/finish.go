package postgres

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Finish stores what a step came to, with its events and the move of the post's job, in
// one transaction shared with its neighbours. Of a result whose claim another has followed
// only the receipt is kept: that an entry is published stays true.
func (p *Publish) Finish(ctx context.Context, r schema.Result) error {
	if err := p.finishes.do(ctx, &r); err != nil {
		return fmt.Errorf("finishing a target: %w", unavailable(err))
	}
	return nil
}

func (p *Publish) commitFinishes(ctx context.Context, batch []*schema.Result) error {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	done, announcement, err := p.applyResults(ctx, conn.Conn(), batch)
	if err != nil {
		return p.abandon(ctx, conn.Conn(), err)
	}
	if err := p.keepReceipts(ctx, conn.Conn(), done.late(batch), &done, &announcement); err != nil {
		return p.abandon(ctx, conn.Conn(), err)
	}
	if err := p.recordEffects(ctx, conn.Conn(), done, &announcement); err != nil {
		return p.abandon(ctx, conn.Conn(), err)
	}
	p.announce(announcement)
	return nil
}

// applied is which targets of a batch took their result, and the posts that are done.
type applied struct {
	taken map[targetKey]takenTarget
	posts map[schema.PostID]*schema.Post // with their targets, of done posts only
	ended []*schema.Result               // of targets that are done by it
	// amended are results of targets that were done before: their comments may follow.
	amended []*schema.Result
	// uncounted are results of targets that had given their unit of a daily cap back.
	uncounted []*schema.Result
	attempts  attemptRows // of what was taken
}

// late returns the results of a batch that were not taken and bring a receipt.
func (a *applied) late(batch []*schema.Result) []*schema.Result {
	var late []*schema.Result
	for _, r := range batch {
		if _, taken := a.taken[targetKey{r.Ref.Post, r.Ref.N}]; r.Receipt != nil && !taken {
			late = append(late, r)
		}
	}
	return late
}

type targetKey struct {
	post schema.PostID
	n    int16
}

// takenTarget is the claim whose result was taken: a late result of an earlier claim may
// stand in the same batch.
type takenTarget struct {
	claim   int32
	charged time.Time // the day whose unit of a daily cap it holds; zero: none
}

// applyResults writes the targets' new state, counts it on the posts, and moves or
// deletes their jobs: the first trip. Rows of posts are locked in order of id before
// anything else; without that, counters deadlock and lose.
func (p *Publish) applyResults(ctx context.Context, conn *pgx.Conn, batch []*schema.Result) (applied, schema.Announcement, error) {
	slices.SortFunc(batch, func(a, b *schema.Result) int {
		return bytes.Compare(a.Ref.Post[:], b.Ref.Post[:])
	})
	var rows resultRows
	for _, r := range batch {
		rows.add(r)
	}
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(`select from posts where id = any($1) order by id for no key update`, rows.posts)
	rows.queue(b)
	queueFollowUp(b, rows.posts, rows.waiting())

	results := conn.SendBatch(ctx, b)
	defer results.Close()
	for range 2 {
		if _, err := results.Exec(); err != nil {
			return applied{}, schema.Announcement{}, err
		}
	}
	done, err := readApplied(results)
	if err != nil {
		return applied{}, schema.Announcement{}, err
	}
	for _, r := range batch {
		if taken, ok := done.taken[targetKey{r.Ref.Post, r.Ref.N}]; !ok || taken.claim != r.Claim {
			continue
		}
		done.attempts.add(r.Ref.Post, r.Attempt)
		if r.Terminal() {
			done.ended = append(done.ended, r)
		}
	}
	moved, err := readMoved(results)
	if err != nil {
		return applied{}, schema.Announcement{}, err
	}
	return done, schema.Announcement{Jobs: soon(moved, p.Now())}, results.Close()
}

// queueFollowUp adds what follows for posts whose targets have changed: those that are
// done are read and lose their job, the jobs of others are moved.
func queueFollowUp(b *pgx.Batch, posts, waiting []schema.PostID) {
	b.Queue(`
		select `+postColumns+` from posts p where p.id = any($1) and p.left_n = 0`, posts)
	b.Queue(`
		select `+targetColumns+` from posts p join targets t on t.post_id = p.id
		where p.id = any($1) and p.left_n = 0 order by t.post_id, t.n`, posts)
	b.Queue(`
		delete from jobs j using posts p
		where j.id = any($1) and p.id = j.id and p.left_n = 0`, posts)
	b.Queue(moveJobs("3"), posts, schema.VisibilityTimeout.String(), schema.SettleTime.String(), waiting)
}

// readMoved reads the last two answers of queueFollowUp.
func readMoved(results pgx.BatchResults) ([]schema.Job, error) {
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	return collect(rows, err, scanJob)
}

// moveJobs makes the jobs of posts that go on, by their status, due when the first of their
// targets is. Where no target of the batch waits, it only brings the job forward: firing
// early is harmless. A target that nobody has claimed yet, nor put off, has its message on
// its way.
func moveJobs(statuses string) string {
	return `
	update jobs j set due_at = w.due_at, held = false,
		overdue_since = coalesce(j.overdue_since, case when w.base < now() then w.base end)
	from (
		select t.post_id, min(coalesce(p.retried_for, p.scheduled_for)) base, min(case
			when t.state = 1 then t.lease_until + $3::interval
			when t.claim = 0 and coalesce(t.next_at, now()) <= now() then now() + $2::interval
			else greatest(coalesce(t.next_at, now()), now()) end) due_at
		from targets t join posts p on p.id = t.post_id
		where t.post_id = any($1) and p.status in (` + statuses + `) and t.state in (0, 1) group by t.post_id
	) w
	where j.id = w.post_id and (w.due_at < j.due_at or j.id = any($4))
	returning j.id, j.kind, j.shard, j.due_at, j.version, j.payload`
}

// soon keeps the jobs that delay would not read in time by itself.
func soon(jobs []schema.Job, now time.Time) []schema.Job {
	return slices.DeleteFunc(jobs, func(j schema.Job) bool {
		return j.DueAt.After(now.Add(schema.AnnounceWindow))
	})
}

func scanJob(rows pgx.Rows, j *schema.Job) error {
	err := rows.Scan((*[16]byte)(&j.ID), &j.Kind, &j.Shard, &j.DueAt, &j.Version, &j.Payload)
	j.DueAt = j.DueAt.UTC()
	return err
}

func readApplied(results pgx.BatchResults) (applied, error) {
	a := applied{taken: map[targetKey]takenTarget{}, posts: map[schema.PostID]*schema.Post{}}
	rows, err := results.Query()
	type target struct {
		targetKey
		takenTarget
	}
	taken, err := collect(rows, err, func(rows pgx.Rows, t *target) error {
		var charged *time.Time
		err := rows.Scan((*[16]byte)(&t.post), &t.n, &t.claim, &charged)
		t.charged = fromNull(charged)
		return err
	})
	if err != nil {
		return a, err
	}
	for _, t := range taken {
		a.taken[t.targetKey] = t.takenTarget
	}
	return a, a.readDone(results)
}

// readDone reads the first two answers of queueFollowUp.
func (a *applied) readDone(results pgx.BatchResults) error {
	rows, err := results.Query()
	posts, err := collect(rows, err, func(rows pgx.Rows, p *schema.Post) error { return scanPost(rows, p) })
	if err != nil {
		return err
	}
	for i := range posts {
		a.posts[posts[i].ID] = &posts[i]
	}
	rows, err = results.Query()
	targets, err := collect(rows, err, scanTarget)
	for _, t := range targets {
		post := a.posts[t.post]
		post.Targets = append(post.Targets, t.Target)
	}
	return err
}

// recordEffects writes what follows from the results that were taken, and commits: the
// second trip.
func (p *Publish) recordEffects(ctx context.Context, conn *pgx.Conn, done applied, announcement *schema.Announcement) error {
	now := p.Now()
	b := &pgx.Batch{}
	var events []schema.Event
	var comments commentRows
	var given releaseRows
	finished := map[schema.PostID]string{} // with the trace of what ended it
	for _, r := range done.ended {
		if target, ok := done.taken[targetKey{r.Ref.Post, r.Ref.N}]; ok {
			given.add(r, target.charged)
		}
		events = append(events, targetFact(r, now))
		comments.add(r, now)
		done.attempts.addSkipped(r, now)
		finished[r.Ref.Post] = r.Trace
	}
	for _, r := range done.amended {
		comments.add(r, now)
	}
	for _, r := range done.uncounted {
		given.takeBack(r, schema.DayOf(now))
	}
	for id, trace := range finished {
		if post := done.posts[id]; post != nil {
			post.Trace = trace
			events = append(events, doneEvents(post, now)...)
		}
	}
	announcement.Jobs = append(announcement.Jobs, comments.queue(b, now)...)
	done.attempts.queue(b)
	if e := queueEvents(b, events, now); e != nil {
		announcement.Events = append(announcement.Events, *e)
	}
	given.queue(b)
	b.Queue("commit")
	return conn.SendBatch(ctx, b).Close()
}

// releaseRows are targets that give their unit of a daily cap back.
type releaseRows struct {
	posts []schema.PostID
	ns    []int16
	given charges
}

// add notes a target that is done, with the day whose unit it holds.
func (r *releaseRows) add(result *schema.Result, charged time.Time) {
	if charged.IsZero() || !result.Releases() {
		return
	}
	if r.given == nil {
		r.given = charges{}
	}
	r.posts, r.ns = append(r.posts, result.Ref.Post), append(r.ns, result.Ref.N)
	r.given.add(charge{key: dayKey(result.Account, charged), n: -1})
}

// takeBack counts what is there after all, however full the day is.
func (r *releaseRows) takeBack(result *schema.Result, day time.Time) {
	if r.given == nil {
		r.given = charges{}
	}
	r.given.add(charge{key: dayKey(result.Account, day), n: 1, limit: math.MaxInt32})
}

// queue adds the statements; the targets are locked already.
func (r *releaseRows) queue(b *pgx.Batch) {
	if len(r.posts) > 0 {
		b.Queue(`
			update targets t set charged_on = null
			from unnest($1::uuid[], $2::int2[]) u (post, n) where t.post_id = u.post and t.n = u.n`, r.posts, r.ns)
	}
	r.given.queue(b)
}

// resultRows are the columns of results, one array each.
type resultRows struct {
	posts      []schema.PostID
	ns         []int16
	claims     []int32
	states     []int16
	steps      []int16
	entries    []int16
	attempts   []int16
	looked     []int16
	fresh      []bool
	next       []float64 // seconds
	progresses []*string
	receipts   []string
	errors     []*string
	posted     []*time.Time
}

func (r *resultRows) add(v *schema.Result) {
	r.posts, r.ns, r.claims = append(r.posts, v.Ref.Post), append(r.ns, v.Ref.N), append(r.claims, v.Claim)
	r.states, r.steps, r.entries = append(r.states, int16(v.State)), append(r.steps, int16(v.Step)), append(r.entries, int16(v.Entry))
	r.attempts, r.looked, r.fresh = append(r.attempts, int16(v.Attempts)), append(r.looked, int16(v.Looked)), append(r.fresh, v.Fresh)
	r.next, r.progresses = append(r.next, v.NextIn.Seconds()), append(r.progresses, textOrNull(v.Progress))
	r.receipts, r.posted = append(r.receipts, string(encode(v.Receipts))), append(r.posted, orNull(v.PostedAt))
	r.errors = append(r.errors, errorOrNull(v.Error))
}

func textOrNull(document []byte) *string {
	if len(document) == 0 {
		return nil
	}
	text := string(document)
	return &text
}

// waiting returns the posts with a target that waits for its time.
func (r *resultRows) waiting() []schema.PostID {
	posts := []schema.PostID{}
	for i, state := range r.states {
		if schema.TargetState(state) == schema.TargetPending {
			posts = append(posts, r.posts[i])
		}
	}
	return posts
}

// queue adds the statement that writes the targets and counts them on their posts. It
// returns the targets whose claim still held.
func (r *resultRows) queue(b *pgx.Batch) {
	b.Queue(`
		with taken as (
			update targets t set
				state = u.state, step = u.step, entry = u.entry, attempts = u.attempts, looked = u.looked,
				since = case when u.fresh then null else t.since end,
				next_at = now() + u.next * interval '1 second', lease_until = null,
				progress = u.progress::json, receipts = u.receipts::json, error = u.error::json, posted_at = u.posted
			from unnest($1::uuid[], $2::int2[], $3::int[], $4::int2[], $5::int2[], $6::int2[], $7::int2[], $8::int2[],
				$9::bool[], $10::float8[], $11::text[], $12::text[], $13::text[], $14::timestamptz[])
				u (post, n, claim, state, step, entry, attempts, looked, fresh, next, progress, receipts, error, posted)
			where t.post_id = u.post and t.n = u.n and t.claim = u.claim and t.state = 1
			returning t.post_id, t.n, t.state, t.claim, t.charged_on
		), counted as (
			select post_id, count(*) filter (where state = 2) posted, count(*) filter (where state = 3) failed
			from taken group by post_id having bool_or(state in (2, 3))
		), posts as (
			update posts p set
				left_n = p.left_n - c.posted - c.failed, posted_n = p.posted_n + c.posted, failed_n = p.failed_n + c.failed,
				updated_at = now(),
				status = case
					when p.left_n - c.posted - c.failed > 0 then p.status
					when p.failed_n + c.failed = 0 then 4
					when p.posted_n + c.posted = 0 then 6
					else 5 end
			from counted c where p.id = c.post_id
		)
		select post_id, n, claim, charged_on from taken`,
		r.posts, r.ns, r.claims, r.states, r.steps, r.entries, r.attempts, r.looked,
		r.fresh, r.next, r.progresses, r.receipts, r.errors, r.posted)
}
