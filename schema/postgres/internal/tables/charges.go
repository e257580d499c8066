package tables

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// CounterKey names what is counted: an account's day (counters), or a workspace's month
// (plan_usage).
type CounterKey struct {
	subject [16]byte
	period  time.Time // its first day, at midnight UTC
	monthly bool
}

// MonthKey names the counter of a workspace's month. It only grows.
func MonthKey(workspace schema.WorkspaceID, month time.Time) CounterKey {
	return CounterKey{workspace, month, true}
}

func (k CounterKey) compare(other CounterKey) int {
	return cmp.Or(bytes.Compare(k.subject[:], other.subject[:]), k.period.Compare(other.period))
}

// Charge is a change of a counter: units taken, or given back where n is negative.
type Charge struct {
	Key   CounterKey
	N     int
	Limit int // of what is taken
}

// A target holds a unit of its account's daily cap, noted with its UTC day in ChargedOn, from its creation on
// until nothing of it can be on its platform any more. Every change of the counter is by one of these two.
//
//	ChargeDay  a post is created, edited, or retried on another day; what a review held is released today;
//	           a late receipt shows that something of it was published after all
//	RefundDay  a post is edited or cancelled; a target failed, as a dead letter too; what a review held
//	           goes out on another day

// ChargeDay takes a unit of an account's daily cap.
func ChargeDay(account schema.AccountID, day time.Time, dailyCap int) Charge {
	return Charge{Key: dayKey(account, day), N: 1, Limit: dailyCap}
}

// RefundDay gives back the unit that is held of a day; of the zero day none is.
func RefundDay(account schema.AccountID, chargedOn time.Time) Charge {
	if chargedOn.IsZero() {
		return Charge{}
	}
	return Charge{Key: dayKey(account, chargedOn), N: -1}
}

// dayKey names the counter of an account's day.
func dayKey(account schema.AccountID, day time.Time) CounterKey {
	return CounterKey{account, day, false}
}

// Charges is the net change of each counter.
type Charges map[CounterKey]Charge

// Add adds changes up, counter by counter.
func (c Charges) Add(more ...Charge) {
	for _, charge := range more {
		sum := c[charge.Key]
		c[charge.Key] = Charge{charge.Key, sum.N + charge.N, max(sum.Limit, charge.Limit)}
	}
}

// Taken returns what takes units.
func (c Charges) Taken() []Charge {
	var taken []Charge
	for _, charge := range c {
		if charge.N > 0 {
			taken = append(taken, charge)
		}
	}
	return taken
}

// Queue adds the statements that change the counters. They come last in a transaction,
// since the rows are contended, and what is contended most, the months, after all days. A
// counter that is full fails the transaction: see IsFull.
func (c Charges) Queue(b *pgx.Batch) {
	var days, months counterRows
	for _, charge := range c {
		switch {
		case charge.N == 0:
		case charge.Key.monthly:
			months = append(months, charge)
		default:
			days = append(days, charge)
		}
	}
	days.queueDays(b)
	months.queueMonths(b)
}

type counterRows []Charge

// queueDays locks rows in the same order always, so that transactions do not deadlock; for units
// given back by a statement of its own, since an UPDATE locks rows in the order of its plan.
func (r counterRows) queueDays(b *pgx.Batch) {
	r.sort()
	var up, down counterRows
	for _, charge := range r {
		if charge.N > 0 {
			up = append(up, charge)
		} else {
			down = append(down, charge)
		}
	}
	if len(down) > 0 {
		subjects, periods, _, _ := r.columns()
		b.Queue(`
			select from counters c join unnest($1::uuid[], $2::date[]) u (subject, period) using (subject, period)
			order by c.subject, c.period for no key update of c`, subjects, periods)
	}
	if len(up) > 0 {
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

// queueMonths inserts the next version of each month and deletes the one before, under an
// advisory lock, since a row that is always another cannot be locked.
func (r counterRows) queueMonths(b *pgx.Batch) {
	if len(r) == 0 {
		return
	}
	subjects, periods, ns, limits := r.columns()
	b.Queue(`
		select pg_advisory_xact_lock(key) from (
			select distinct hashtextextended(format('crier month %s %s', subject, period), 0) as key
			from unnest($1::uuid[], $2::date[]) u (subject, period) order by key) ordered`, subjects, periods)
	b.Queue(sql.Text(`
		with newest as (
			select u.month, u.workspace_id, coalesce(p.version, 0) as version, coalesce(p.used, 0) as used, u.n, u.most
			from unnest($1::uuid[], $2::date[], $3::int[], $4::int[]) u (workspace_id, month, n, most)
			left join lateral ({newest_usage}) p on true
		), replaced as (
			delete from plan_usage p using newest n where (p.month, p.workspace_id, p.version) = (n.month, n.workspace_id, n.version)
		)
		insert into plan_usage (month, workspace_id, version, used, most)
		select month, workspace_id, version + 1, used + n, most from newest`), subjects, periods, ns, limits)
}

func (r counterRows) sort() {
	slices.SortFunc(r, func(a, b Charge) int { return a.Key.compare(b.Key) })
}

func (r counterRows) columns() (subjects []db.IDValue, periods []time.Time, ns, limits []int32) {
	for _, charge := range r {
		subjects, periods = append(subjects, db.IDValue(charge.Key.subject)), append(periods, charge.Key.period)
		ns, limits = append(ns, int32(charge.N)), append(limits, int32(charge.Limit))
	}
	return subjects, periods, ns, limits
}

// IsFull reports whether a transaction failed because a counter is full.
func IsFull(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23514" && (pg.ConstraintName == "counters_full" || pg.ConstraintName == "plan_usage_full")
}

// ReadUsed returns how much of each counter is used.
func ReadUsed(ctx context.Context, q db.Querier, keys []CounterKey) (map[CounterKey]int, error) {
	var rows counterRows
	for _, key := range keys {
		rows = append(rows, Charge{Key: key})
	}
	subjects, periods, _, _ := rows.columns()
	found, err := q.Query(ctx, sql.Text(`
		select c.subject, c.period, false, c.used
		from unnest($1::uuid[], $2::date[]) u (subject, period) join counters c using (subject, period)
		union all
		select u.workspace_id, u.month, true, p.used
		from unnest($1::uuid[], $2::date[]) u (workspace_id, month) cross join lateral ({newest_usage}) p`), subjects, periods)
	used, err := db.CollectMap(found, err, func(row pgx.Row, key *CounterKey, used *int) error {
		return row.Scan(&key.subject, &key.period, &key.monthly, used)
	})
	return used, db.Wrap(err, "reading counters")
}

// searchedDays is how many days after a full one are searched for a free one: more than
// posts can be scheduled ahead.
const searchedDays = 100

// NextFreeDays returns, for full days of accounts, the next that is not.
func NextFreeDays(ctx context.Context, q db.Querier, full []Charge) (map[CounterKey]time.Time, error) {
	subjects, periods, _, limits := counterRows(full).columns()
	rows, err := q.Query(ctx, `
		select u.subject, u.period, min(d.day)
		from unnest($1::uuid[], $2::date[], $3::int[]) u (subject, period, most)
		cross join lateral (select u.period + i as day from generate_series(1, $4::int) i) d
		where not exists (select from counters c where c.subject = u.subject and c.period = d.day and c.used >= u.most)
		group by u.subject, u.period`, subjects, periods, limits, searchedDays)
	free, err := db.CollectMap(rows, err, func(row pgx.Row, full *CounterKey, day *time.Time) error {
		return row.Scan(&full.subject, &full.period, day)
	})
	return free, db.Wrap(err, "looking for free days")
}
