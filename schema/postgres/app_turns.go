package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
)

// turnLease is a lease of turns: what it asks for, and what it is given.
type turnLease struct {
	name                string // of an app or an account, and of a kind of its calls
	back, taken, within time.Duration

	first   time.Time
	granted bool
}

// leaseBatch is how many leases share a transaction. There are many where each of many
// accounts is an app of its own, as with bots.
const leaseBatch = 128

func (s *Store) startLeases() {
	s.turns = groupcommit.Start(s.DB, &groupcommit.Group[turnLease]{Work: "turns", Max: leaseBatch, Commit: s.leaseTurns}, 1)
}

// LeaseTurns takes turns and returns the time of the first. If that is further ahead than l.Within, it takes none, and
// granted is false. Whoever leases turns may let one lapse, but never use another.
func (s *Store) LeaseTurns(ctx context.Context, l schema.TurnLease) (first time.Time, granted bool, err error) {
	lease := &turnLease{
		name: l.Name, back: time.Duration(l.Burst-1) * l.Spacing, taken: time.Duration(l.N) * l.Spacing, within: l.Within,
	}
	err = s.turns.Do(ctx, lease)
	return lease.first, lease.granted, db.Wrap(err, "leasing turns")
}

// leaseTurns takes the turns of a batch. A transaction has each name once: a name that is in the batch again waits for
// the next.
func (s *Store) leaseTurns(ctx context.Context, leases []*turnLease) error {
	for len(leases) > 0 {
		once := make(map[string]*turnLease, len(leases))
		again := leases[:0:0]
		for _, lease := range leases {
			if once[lease.name] == nil {
				once[lease.name] = lease
			} else {
				again = append(again, lease)
			}
		}
		if err := s.leaseOnce(ctx, once); err != nil {
			return err
		}
		leases = again
	}
	return nil
}

// clockStep is more than the server's clock and this process's copy of it differ, unless the server's clock was set and
// the process has not read it since.
const clockStep = 2 * time.Second

// leaseOnce takes turns in the order of their names, so that processes cannot deadlock. It does not wait for the disk:
// after a crash of the server, a burst may be too large by one lease of each process. Leases cannot bring the next turn
// further ahead than they ask for: one that is was stored before the server's clock was set back, and counts as now.
func (s *Store) leaseOnce(ctx context.Context, leases map[string]*turnLease) error {
	var names []string
	var backs, takens, withins []time.Duration
	for _, lease := range leases {
		names, backs = append(names, lease.name), append(backs, lease.back)
		takens, withins = append(takens, lease.taken), append(withins, lease.within)
	}
	batch := &pgx.Batch{}
	db.QueueAsync(batch)
	// The column app has the names: it was made when only apps had turns that processes share.
	batch.Queue(`
		insert into app_turns (app, next_at)
		select app, now() - back from unnest($1::text[], $2::interval[]) u (app, back) order by app
		on conflict (app) do nothing`, names, backs)
	batch.Queue(`select from app_turns where app = any($1) order by app for no key update`, names)
	batch.Queue(`
		with granted as (
			update app_turns a set next_at = greatest(case when a.next_at > now() + greatest(u.within, interval '0') + interval '1 minute' then now() else a.next_at end, now() - u.back) + u.taken
			from unnest($1::text[], $2::interval[], $3::interval[], $4::interval[]) u (app, back, taken, within)
			where a.app = u.app and (a.next_at <= now() + u.within or a.next_at > now() + greatest(u.within, interval '0') + interval '1 minute')
			returning a.app, a.next_at - u.taken as first
		)
		select app, first, true, now() from granted
		union all
		select app, next_at, false, now() from app_turns where app = any($1) and app not in (select app from granted)`,
		names, backs, takens, withins).Query(func(rows pgx.Rows) error {
		var name string
		var first, now time.Time
		var granted bool
		_, err := pgx.ForEachRow(rows, []any{&name, &first, &granted, &now}, func() error {
			if off := now.Sub(s.Now()); off.Abs() > clockStep { // else the turn would be as far away as the clock has jumped
				first = first.Add(-off)
			}
			leases[name].first, leases[name].granted = first, granted
			return nil
		})
		return err
	})
	return s.Pool.SendBatch(ctx, batch).Close()
}
