package maintenance

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// farJobs has partitions for more than the 90 days that posts are scheduled ahead at most.
var farJobs = partitioned{table: "jobs_far", by: daily, ahead: 100, onlyEmpty: true}

const (
	// promoteEvery is how often Promote is to be called.
	promoteEvery = 5 * time.Minute
	// promotePages is how many pages of a day a chunk takes: some 5,000 jobs at most.
	promotePages = 160
	// promoteSearch is how many pages a chunk reads to find the first job that is near.
	promoteSearch = 16_384
)

// place is how far a pass over the days of jobs_far is. Those have no index, which would
// cost each creation; their pages are the order.
type place struct {
	day  string // the partition
	page uint32
}

// Promote makes one chunk of a pass that moves far jobs which are near now into the indexed
// table, and drops those that an edit, a cancel or a deletion has left behind.
func (s *Store) Promote(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "promote", func(tx pgx.Tx) error {
		near := s.Now().Add(tables.NearHorizon + 3*promoteEvery)
		next, err := s.nextDay(ctx, tx, near)
		if err != nil || next.day == "" {
			s.promoted = place{}
			return err
		}
		more = true
		found, err := findNear(ctx, tx, next, near)
		if err != nil {
			return err
		}
		if rows, err = promote(ctx, tx, found, near); err == nil {
			s.promoted = place{next.day, found.to}
		}
		return err
	})
	return rows, more, db.Wrap(err, "promoting far jobs")
}

// nextDay is where the pass goes on; nowhere once it has come to the end.
func (s *Store) nextDay(ctx context.Context, tx pgx.Tx, near time.Time) (place, error) {
	days, err := partitionsOf(ctx, tx, farJobs)
	if err != nil {
		return place{}, err
	}
	for _, d := range days {
		if !d.attached || d.pending || d.from.After(near) || d.name < s.promoted.day {
			continue
		}
		if d.name > s.promoted.day {
			return place{day: d.name}, nil
		}
		var pages uint32
		if err := tx.QueryRow(ctx, `select pg_relation_size($1::text::regclass) / current_setting('block_size')::int`, d.name).Scan(&pages); err != nil {
			return place{}, err
		}
		if s.promoted.page < pages {
			return s.promoted, nil
		}
	}
	return place{}, nil
}

// stretch is pages of a day.
type stretch struct {
	day      string
	from, to uint32
}

// findNear returns the next pages with a job that is near, or as many as were looked at in
// vain.
func findNear(ctx context.Context, tx pgx.Tx, at place, near time.Time) (stretch, error) {
	var first pgtype.TID
	err := tx.QueryRow(ctx, sql.Text(`
		select ctid from {day} where ctid >= $1 and ctid < $2 and due_at < $3 limit 1`, "day", quoted(at.day)),
		page(at.page), page(at.page+promoteSearch), near).Scan(&first)
	if errors.Is(err, pgx.ErrNoRows) {
		return stretch{at.day, at.page + promoteSearch, at.page + promoteSearch}, nil
	}
	return stretch{at.day, first.BlockNumber, first.BlockNumber + promotePages}, err
}

// promote moves the near jobs of some pages. Their posts are locked first, as whoever
// changes one does it: from then on neither a version nor a job of them changes, and a job
// is moved only at its post's version.
func promote(ctx context.Context, tx pgx.Tx, of stretch, near time.Time) (int, error) {
	if of.from == of.to {
		return 0, nil
	}
	rows, err := tx.Query(ctx, sql.Text(`select id from {day} where ctid >= $1 and ctid < $2 and due_at < $3`, "day", quoted(of.day)), page(of.from), page(of.to), near)
	ids, err := db.Collect(rows, err, db.ScanID[schema.JobID])
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, tables.LockPosts, ids); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, sql.Text(`
		with moved as (
			delete from {day} where ctid >= $1 and ctid < $2 and due_at < $3 and id = any($4) returning *
		)
		insert into jobs (id, kind, shard, due_at, version, payload)
		select m.id, m.kind, m.shard, m.due_at, m.version, m.payload
		from moved m join posts p on p.id = m.id and p.version = m.version and p.status = {post_scheduled}
		order by m.id
		on conflict (id) do update set kind = excluded.kind, shard = excluded.shard, due_at = excluded.due_at, version = excluded.version,
			payload = excluded.payload, held = false, fires = 0, overdue_since = null
		where jobs.version < excluded.version`, "day", quoted(of.day)), page(of.from), page(of.to), near, ids)
	return int(tag.RowsAffected()), err
}

// page is the place of a page's first row.
func page(n uint32) pgtype.TID { return pgtype.TID{BlockNumber: n, Valid: true} }

// MakePartitions makes the days of jobs_far and the months of what has ended that are missing.
func (s *Store) MakePartitions(ctx context.Context) (rows int, more bool, err error) {
	for _, p := range append([]partitioned{farJobs, auditMonths}, histories...) {
		n, further, err := s.makePartitions(ctx, p)
		if err != nil {
			return rows, false, err
		}
		rows, more = rows+n, more || further
	}
	return rows, more, nil
}

// DropPartitions drops the days of jobs_far that are past, once all their jobs were promoted.
func (s *Store) DropPartitions(ctx context.Context) (rows int, more bool, err error) {
	return s.dropPartition(ctx, farJobs, s.Now().AddDate(0, 0, -2))
}
