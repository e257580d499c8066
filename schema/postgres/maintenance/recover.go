package maintenance

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

const (
	// recoverSoon is how long after its claim the job of a post is due at most, and recoverLater
	// that of a delivery, which fires ever less often.
	recoverSoon, recoverLater = time.Minute, 7 * time.Minute
	// recoverBack is how long ago it is due at most under a lease that runs: it fires again
	// while the claim stands.
	recoverBack = 15 * time.Minute
	// recoverBudget is how long a walk over jobs may take. The latest come first, which are
	// those that fired last.
	recoverBudget = 3 * time.Second
	// recoverPage is how many jobs of each shard a chunk looks at.
	recoverPage = 40
)

// jobWalk goes over jobs from the latest to the earliest in each of some shards at a time.
type jobWalk struct {
	from  time.Time
	fired bool // of those that have fired alone
	// how far it is in each shard that may have more
	shards []int16
	due    []time.Time
	ids    [][16]byte
}

func newJobWalk(from, to time.Time, fired bool) *jobWalk {
	w := &jobWalk{from: from, fired: fired}
	for shard := range int16(schema.Shards) {
		w.shards, w.due, w.ids = append(w.shards, shard), append(w.due, to), append(w.ids, [16]byte{})
	}
	return w
}

// Recover brings forward what a node's earlier life left open: its leases end now, and their
// jobs are due after the settle time. It goes in chunks over the jobs that are due around now,
// and can be cut off anywhere. A claim that it does not come to waits for the end of its
// lease.
func Recover(ctx context.Context, d *db.DB, node [16]byte) error {
	now := d.Now()
	for _, walk := range []*jobWalk{
		newJobWalk(now.Add(-recoverBack), now.Add(recoverSoon), false),
		newJobWalk(now.Add(recoverSoon), now.Add(recoverLater), true),
	} {
		if err := walk.endClaims(ctx, d, node); err != nil {
			return db.Wrap(err, "recovering open claims")
		}
		if len(walk.shards) > 0 {
			d.Log.WarnContext(ctx, "many jobs are due: what the node's earlier life had claimed was not looked for in all of them, and waits for its lease")
		}
	}
	return nil
}

func (w *jobWalk) endClaims(ctx context.Context, d *db.DB, node [16]byte) error {
	for until := time.Now().Add(recoverBudget); len(w.shards) > 0 && time.Now().Before(until); {
		err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, keysetPlans); err != nil {
				return err
			}
			jobs, err := w.next(ctx, tx)
			if err != nil {
				return err
			}
			return jobs.endClaims(ctx, tx, node)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dueJobs are jobs by the kind of what they are for.
type dueJobs map[schema.JobKind][][16]byte

// next reads the next jobs of each shard, and continues with the shards that may have more.
func (w *jobWalk) next(ctx context.Context, tx pgx.Tx) (dueJobs, error) {
	type dueJob struct {
		shard int16
		kind  schema.JobKind
		due   time.Time
		id    [16]byte
		fired bool
	}
	rows, err := tx.Query(ctx, `
		select at.shard, j.kind, j.due_at, j.id, j.fires > 0
		from unnest($1::int2[], $2::timestamptz[], $3::uuid[]) at (shard, due_at, id) cross join lateral (
			select kind, due_at, id, fires from jobs
			where shard = at.shard and due_at between $4 and at.due_at and (due_at, id) < (at.due_at, at.id)
			order by due_at desc, id desc limit $5
		) j order by at.shard, j.due_at desc, j.id desc`, w.shards, w.due, w.ids, w.from, recoverPage)
	found, err := db.Collect(rows, err, func(row pgx.Row, j *dueJob) error { return row.Scan(&j.shard, &j.kind, &j.due, &j.id, &j.fired) })
	if err != nil {
		return nil, err
	}
	jobs, of := dueJobs{}, map[int16]int{}
	w.shards, w.due, w.ids = nil, nil, nil
	for _, j := range found {
		if j.fired || !w.fired {
			jobs[j.kind] = append(jobs[j.kind], j.id)
		}
		if of[j.shard]++; of[j.shard] == recoverPage {
			w.shards, w.due, w.ids = append(w.shards, j.shard), append(w.due, j.due), append(w.ids, j.id)
		}
	}
	return jobs, nil
}

// endClaims ends the leases of a node's claims that jobs are for, and brings the jobs forward.
func (jobs dueJobs) endClaims(ctx context.Context, tx pgx.Tx, node [16]byte) error {
	var claimed [][16]byte
	b := &pgx.Batch{}
	for _, of := range []struct {
		kind                            schema.JobKind
		table, key, lease, leased, node string
	}{
		{schema.JobPost, "targets", "post_id", "lease_until", "state = {target_claimed}", "node"},
		{schema.JobComment, "comments", "id", "lease_until", "state = {comment_claimed}", "node"},
		{schema.JobNotify, "deliveries", "id", "lease_until", "state = {delivery_claimed}", "node"},
		{schema.JobRefresh, "accounts", "id", "renew_lease", "renew_lease is not null", "renew_node"},
		{schema.JobCollect, "collections", "id", "lease_until", "lease_until is not null", "node"},
	} {
		if len(jobs[of.kind]) == 0 {
			continue
		}
		b.Queue(sql.Text(`
			update {table} set {lease} = least({lease}, now())
			where {key} = any($1) and {leased} and {node} = $2
			returning {key}`, "table", of.table, "lease", of.lease, "key", of.key, "leased", of.leased, "node", of.node), jobs[of.kind], node).
			Query(func(rows pgx.Rows) error {
				ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
				claimed = append(claimed, ids...)
				return err
			})
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil || len(claimed) == 0 {
		return err
	}
	_, err := tx.Exec(ctx, `
		update jobs set due_at = now() + $2::interval + interval '200 milliseconds'
		where id = any($1) and due_at > now() + $2::interval`, claimed, schema.SettleTime.String())
	return err
}
