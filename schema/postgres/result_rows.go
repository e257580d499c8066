package postgres

import (
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// capRows are targets that give their unit of a daily cap back, and what changes of the counters.
type capRows struct {
	posts []schema.PostID
	ns    []int16
	net   tables.Charges
}

// refund notes a target that has ended, with the day whose unit it holds.
func (r *capRows) refund(result *schema.Result, charged time.Time) {
	if charged.IsZero() || !result.Releases() {
		return
	}
	if r.net == nil {
		r.net = tables.Charges{}
	}
	r.posts, r.ns = append(r.posts, result.Ref.Post), append(r.ns, result.Ref.N)
	r.net.Add(tables.RefundDay(result.Account, charged))
}

// charge charges a target that turned out to be published, even if the day is full.
func (r *capRows) charge(result *schema.Result, day time.Time) {
	if r.net == nil {
		r.net = tables.Charges{}
	}
	r.net.Add(tables.ChargeDay(result.Account, day, math.MaxInt32))
}

// queue adds the statements; the targets are locked already.
func (r *capRows) queue(b *pgx.Batch) {
	if len(r.posts) > 0 {
		b.Queue(`
			update targets t set charged_on = null
			from unnest($1::uuid[], $2::int2[]) u (post, n) where t.post_id = u.post and t.n = u.n`, r.posts, r.ns)
	}
	r.net.Queue(b)
}

// waiting returns the posts with a target that goes on later.
func waiting(results []*schema.Result) (posts []schema.PostID) {
	for _, r := range results {
		if r.State == schema.TargetPending {
			posts = append(posts, r.Ref.Post)
		}
	}
	return posts
}

// queueResults adds the statement that writes the targets and counts them on their posts. It
// returns the targets whose claim still held.
func queueResults(b *pgx.Batch, results []*schema.Result) *pgx.QueuedQuery {
	return finishTargets.Queue(b, pgx.StrictNamedArgs{
		"posts":      lists.Map(results, postOf),
		"ns":         lists.Map(results, func(r *schema.Result) int16 { return r.Ref.N }),
		"claims":     lists.Map(results, func(r *schema.Result) int32 { return r.Claim }),
		"states":     lists.Map(results, func(r *schema.Result) int16 { return int16(r.State) }),
		"steps":      lists.Map(results, func(r *schema.Result) int16 { return int16(r.Step) }),
		"entries":    lists.Map(results, func(r *schema.Result) int16 { return int16(r.Entry) }),
		"attempts":   lists.Map(results, func(r *schema.Result) int16 { return int16(r.Attempts) }),
		"looked":     lists.Map(results, func(r *schema.Result) int16 { return int16(r.FindAttempts) }),
		"fresh":      lists.Map(results, func(r *schema.Result) bool { return r.Fresh }),
		"next":       lists.Map(results, func(r *schema.Result) float64 { return r.NextIn.Seconds() }),
		"progresses": lists.Map(results, func(r *schema.Result) *string { return db.TextOrNull(r.Progress) }),
		"receipts":   lists.Map(results, func(r *schema.Result) string { return string(db.Encode(r.Receipts)) }),
		"errors":     lists.Map(results, func(r *schema.Result) *string { return errorOrNull(r.Error) }),
		"posted":     lists.Map(results, func(r *schema.Result) *time.Time { return db.OrNull(r.PostedAt) }),
		"unsettled":  lists.Map(results, func(r *schema.Result) int32 { return int32(r.Unsettled) }),
	})
}

func postOf(r *schema.Result) schema.PostID { return r.Ref.Post }

var finishTargets = db.NewStatement(`
	with taken as (
		update targets t set
			state = u.state, step = u.step, entry = u.entry, attempts = u.attempts, looked = u.looked,
			since = case when u.fresh then null else t.since end,
			next_at = now() + nullif(u.next, 0) * interval '1 second', lease_until = null,
			progress = u.progress::json, receipts = u.receipts::json, error = u.error::json, posted_at = u.posted,
			unsettled = u.unsettled
		from unnest(@posts::uuid[], @ns::int2[], @claims::int[], @states::int2[], @steps::int2[], @entries::int2[], @attempts::int2[],
			@looked::int2[], @fresh::bool[], @next::float8[], @progresses::text[], @receipts::text[], @errors::text[], @posted::timestamptz[],
			@unsettled::int4[])
			u (post, n, claim, state, step, entry, attempts, looked, fresh, next, progress, receipts, error, posted, unsettled)
		where t.post_id = u.post and t.n = u.n and t.claim = u.claim and t.state = {target_claimed}
		returning t.post_id, t.n, t.state, t.charged_on
	), counted as (
		select post_id, count(*) filter (where state = {target_posted}) posted, count(*) filter (where state = {target_failed}) failed
		from taken group by post_id having bool_or(state in {ended_targets})
	), changed as (
		update posts p set
			left_n = p.left_n - c.posted - c.failed, posted_n = p.posted_n + c.posted, failed_n = p.failed_n + c.failed,
			updated_at = now(),
			status = case
				when p.left_n - c.posted - c.failed > 0 then p.status
				when p.failed_n + c.failed = 0 then {post_posted}
				when p.posted_n + c.posted = 0 then {post_failed}
				else {post_partially_failed} end
		from counted c where p.id = c.post_id
		returning p.id, p.workspace_id, p.status, p.scheduled_for, p.left_n
	), noted as ({note_ended})
	select post_id, n, charged_on from taken`)
