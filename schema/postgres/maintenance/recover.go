package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

const (
	// recoverWithin is how far from now the jobs are due of what is claimed under a lease that
	// runs: they fired before the claim, were due soon after that, and fire again as long as
	// the claim stands. The lease of a claim beyond runs out by itself.
	recoverWithin = 15 * time.Minute
	// recoverPage is how many jobs of each shard a chunk looks at.
	recoverPage = 40
)

// shardPlaces is how far a walk over jobs by the time they are due is in each of some shards.
type shardPlaces struct {
	shards []int16
	due    []time.Time
	ids    [][16]byte
}

// dueJobs are jobs by the kind of what they are for.
type dueJobs map[schema.JobKind][]schema.JobID

// Recover brings forward what a node's earlier life left open: its leases end now, and their
// jobs are due after the settle time. It goes in chunks over the jobs that are due around now,
// and can be cut off anywhere and begin anew.
func Recover(ctx context.Context, d *db.DB, node [16]byte) error {
	at := shardPlaces{}
	now := d.Now()
	for shard := range int16(schema.Shards) {
		at.shards, at.due, at.ids = append(at.shards, shard), append(at.due, now.Add(-recoverWithin)), append(at.ids, [16]byte{})
	}
	for len(at.shards) > 0 {
		err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, keysetPlans); err != nil {
				return err
			}
			jobs, next, err := at.page(ctx, tx, now.Add(recoverWithin))
			if err != nil {
				return err
			}
			at = next
			return jobs.endClaims(ctx, tx, node)
		})
		if err != nil {
			return fmt.Errorf("recovering open claims: %w", db.Unavailable(err))
		}
	}
	return nil
}

// page reads the next jobs of each shard, and returns the places of those that may have more.
func (p shardPlaces) page(ctx context.Context, tx pgx.Tx, to time.Time) (jobs dueJobs, next shardPlaces, err error) {
	type dueJob struct {
		shard int16
		kind  schema.JobKind
		due   time.Time
		id    schema.JobID
	}
	rows, err := tx.Query(ctx, `
		select at.shard, j.kind, j.due_at, j.id
		from unnest($1::int2[], $2::timestamptz[], $3::uuid[]) at (shard, due_at, id) cross join lateral (
			select kind, due_at, id from jobs
			where shard = at.shard and due_at between at.due_at and $4 and (due_at, id) > (at.due_at, at.id)
			order by due_at, id limit $5
		) j order by at.shard, j.due_at, j.id`, p.shards, p.due, p.ids, to, recoverPage)
	found, err := db.Collect(rows, err, func(row pgx.Row, j *dueJob) error {
		return row.Scan(&j.shard, &j.kind, &j.due, (*[16]byte)(&j.id))
	})
	if err != nil {
		return nil, next, err
	}
	jobs = dueJobs{}
	of := map[int16]int{}
	for _, j := range found {
		jobs[j.kind] = append(jobs[j.kind], j.id)
		if of[j.shard]++; of[j.shard] == recoverPage {
			next.shards, next.due, next.ids = append(next.shards, j.shard), append(next.due, j.due), append(next.ids, j.id)
		}
	}
	return jobs, next, nil
}

// endClaims ends the leases of a node's claims that jobs are for, and brings the jobs forward.
func (jobs dueJobs) endClaims(ctx context.Context, tx pgx.Tx, node [16]byte) error {
	var claimed [][16]byte
	b := &pgx.Batch{}
	for _, of := range []struct {
		kind                            schema.JobKind
		table, key, lease, leased, node string
	}{
		{schema.JobPost, "targets", "post_id", "lease_until", "state = " + tables.TargetClaimed, "node"},
		{schema.JobComment, "comments", "id", "lease_until", "state = " + tables.CommentClaimed, "node"},
		{schema.JobNotify, "deliveries", "id", "lease_until", "state = " + tables.DeliveryClaimed, "node"},
		{schema.JobRefresh, "accounts", "id", "renew_lease", "renew_lease is not null", "renew_node"},
	} {
		if len(jobs[of.kind]) == 0 {
			continue
		}
		b.Queue(`
			update `+of.table+` set `+of.lease+` = least(`+of.lease+`, now())
			where `+of.key+` = any($1) and `+of.leased+` and `+of.node+` = $2
			returning `+of.key, jobs[of.kind], node).
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
