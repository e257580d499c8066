package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
)

// counterKey names a row of counters: an account's day, or a workspace's month.
type counterKey struct {
	subject [16]byte
	period  time.Time // its first day, at midnight UTC
}

func dayKey(account schema.AccountID, day time.Time) counterKey {
	return counterKey{account, day}
}

func monthKey(workspace schema.WorkspaceID, month time.Time) counterKey {
	return counterKey{workspace, month}
}

func (k counterKey) compare(other counterKey) int {
	return cmp.Or(bytes.Compare(k.subject[:], other.subject[:]), k.period.Compare(other.period))
}

// charge is a change of a counter: units taken, or given back where n is negative.
type charge struct {
	key   counterKey
	n     int
	limit int // of what is taken
}

// charges is the net change of each counter.
type charges map[counterKey]charge

func (c charges) add(more ...charge) {
	for _, one := range more {
		sum := c[one.key]
		c[one.key] = charge{one.key, sum.n + one.n, max(sum.limit, one.limit)}
	}
}

// taken returns what takes units.
func (c charges) taken() []charge {
	var taken []charge
	for _, one := range c {
		if one.n > 0 {
			taken = append(taken, one)
		}
	}
	return taken
}

// queue adds the statements that change the counters. They come last in a transaction:
// the rows are hot. Rows are locked in one order everywhere, so that nobody deadlocks;
// where something is given back, by a statement of its own, since an UPDATE takes rows in
// the order of its plan. A counter without room fails the transaction: see isFull.
func (c charges) queue(b *pgx.Batch) {
	var all, up, down counterRows
	for _, one := range c {
		switch {
		case one.n > 0:
			up = append(up, one)
		case one.n < 0:
			down = append(down, one)
		}
	}
	if len(down) > 0 {
		all = append(append(all, up...), down...)
		all.sort()
		subjects, periods, _, _ := all.columns()
		b.Queue(`
			select from counters c join unnest($1::uuid[], $2::date[]) u (subject, period) using (subject, period)
			order by c.subject, c.period for no key update of c`, subjects, periods)
	}
	if len(up) > 0 {
		up.sort()
		subjects, periods, ns, limits := up.columns()
		b.Queue(`
			insert into counters as c (subject, period, used, most)
			select subject, period, n, most
			from unnest($1::uuid[], $2::date[], $3::int[], $4::int[]) with ordinality u (subject, period, n, most, i)
			order by i
			on conflict (subject, period) do update set used = c.used + excluded.used, most = excluded.most`,
			subjects, periods, ns, limits)
	}
	if len(down) > 0 {
		subjects, periods, ns, _ := down.columns()
		b.Queue(`
			update counters c set used = greatest(c.used + u.n, 0)
			from unnest($1::uuid[], $2::date[], $3::int[]) u (subject, period, n)
			where c.subject = u.subject and c.period = u.period`, subjects, periods, ns)
	}
}

type counterRows []charge

func (r counterRows) sort() {
	slices.SortFunc(r, func(a, b charge) int { return a.key.compare(b.key) })
}

func (r counterRows) columns() (subjects []idValue, periods []time.Time, ns, limits []int32) {
	for _, one := range r {
		subjects, periods = append(subjects, idValue(one.key.subject)), append(periods, one.key.period)
		ns, limits = append(ns, int32(one.n)), append(limits, int32(one.limit))
	}
	return subjects, periods, ns, limits
}

// isFull tells whether a transaction failed because a counter has no room for it.
func isFull(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23514" && pg.ConstraintName == "counters_full"
}

// readUsed returns how much of each counter is used.
func readUsed(ctx context.Context, q querier, keys []counterKey) (map[counterKey]int, error) {
	var rows counterRows
	for _, key := range keys {
		rows = append(rows, charge{key: key})
	}
	subjects, periods, _, _ := rows.columns()
	type counter struct {
		counterKey
		used int
	}
	found, err := q.Query(ctx, `
		select c.subject, c.period, c.used
		from unnest($1::uuid[], $2::date[]) u (subject, period) join counters c using (subject, period)`, subjects, periods)
	counters, err := collect(found, err, func(rows pgx.Rows, c *counter) error {
		return rows.Scan(&c.subject, &c.period, &c.used)
	})
	if err != nil {
		return nil, fmt.Errorf("reading counters: %w", unavailable(err))
	}
	used := make(map[counterKey]int, len(counters))
	for _, c := range counters {
		used[counterKey{c.subject, c.period.UTC()}] = c.used
	}
	return used, nil
}

// searchedDays is how far ahead of a full day a free one is looked for: farther than
// posts can be scheduled.
const searchedDays = 100

// nextFreeDays returns, for days of accounts that are full, the next with room.
func nextFreeDays(ctx context.Context, q querier, full []charge) (map[counterKey]time.Time, error) {
	subjects, periods, _, limits := counterRows(full).columns()
	type day struct {
		counterKey
		free time.Time
	}
	rows, err := q.Query(ctx, `
		select u.subject, u.period, min(d.day)
		from unnest($1::uuid[], $2::date[], $3::int[]) u (subject, period, most)
		cross join lateral (select u.period + i as day from generate_series(1, $4::int) i) d
		where not exists (select from counters c where c.subject = u.subject and c.period = d.day and c.used >= u.most)
		group by u.subject, u.period`, subjects, periods, limits, searchedDays)
	days, err := collect(rows, err, func(rows pgx.Rows, d *day) error { return rows.Scan(&d.subject, &d.period, &d.free) })
	if err != nil {
		return nil, fmt.Errorf("looking for free days: %w", unavailable(err))
	}
	free := make(map[counterKey]time.Time, len(days))
	for _, d := range days {
		free[counterKey{d.subject, d.period.UTC()}] = d.free.UTC()
	}
	return free, nil
}
