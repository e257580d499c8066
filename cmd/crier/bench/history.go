package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema/sleep"
)

const (
	calendarPosts = 10_000_000
	historyTimes  = 3 // posts that have ended for each that is scheduled
	// How often each server is measured, in turn with the other. What a turn of the same server
	// comes to differs by a third on a shared machine: the middle one of as many does not by a tenth.
	creationTurns, latenessTurns = 8, 11
	// historyAccounts is how many accounts of each platform take the posts of so many turns on the
	// days that these are scheduled for.
	historyAccounts = 250
	// worse is by how much creation and lateness may be worse beside a history than without.
	worse = 0.1
	// listsWithin is what a page of a list may take, in milliseconds.
	listsWithin = 100
	// searchWithin is what a search may take, in milliseconds.
	searchWithin = 150
	// choresWithin is what a chunk of a chore may take, in seconds: longer ones are cut off.
	choresWithin = 10
	// settled is how long servers have after their start, and after many posts were created, until
	// they are measured: maintenance looks at their tables first, and the kernel writes what it has
	// kept for half a minute, 250 MB of a turn, which the log of PostgreSQL waits for.
	settled = 45 * time.Second
)

// measureHistory measures creation, lateness and lists of a server with millions of posts ahead
// and years of them behind, beside a transaction that holds xmin, against one without any.
func measureHistory(ctx context.Context, s *session) (err error) {
	if s.config.Target.URL != "" {
		return errors.New("a running server's tables are not filled: history starts its own")
	}
	address, simulators, err := s.startSimulators(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, simulators.stop()) }()
	full, err := s.startServer(ctx, serverConfig{Simulators: address, Accounts: historyAccounts})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, full.stop()) }()
	if err := s.fillTables(ctx, full); err != nil {
		return err
	}
	start := time.Now()
	if err := s.restart(ctx, full, "all"); err != nil {
		return err
	}
	began := time.Since(start)
	release, err := holdXmin(ctx, full.Postgres)
	if err != nil {
		return err
	}
	defer release()
	empty, err := s.startServer(ctx, serverConfig{Simulators: address, Accounts: historyAccounts})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, empty.stop()) }()
	return s.compareHistory(ctx, address, began, full, empty)
}

// compareHistory measures both servers in turn, and the lists of the full one.
func (s *session) compareHistory(ctx context.Context, simulators string, began time.Duration, full, empty *server) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	lists, err := s.readLists(ctx, full)
	if err != nil {
		return err
	}
	var with, without tempo
	err = alternate(creationTurns,
		func(turn int) error { return s.createOnce(ctx, empty, fmt.Sprintf("empty-%d", turn), &without) },
		func(turn int) error { return s.createOnce(ctx, full, fmt.Sprintf("full-%d", turn), &with) })
	if err != nil {
		return err
	}
	if err := s.rest(ctx); err != nil {
		return err
	}
	err = alternate(latenessTurns,
		func(turn int) error {
			return s.publishOnce(ctx, empty, simulators, fmt.Sprintf("late-empty-%d", turn), &without)
		},
		func(turn int) error {
			return s.publishOnce(ctx, full, simulators, fmt.Sprintf("late-full-%d", turn), &with)
		})
	if err != nil {
		return err
	}
	chore, took, err := full.slowestChore(ctx)
	if err != nil {
		return err
	}
	figures := []Figure{
		{Name: "history_start", Value: began.Seconds(), Unit: "s", Goal: &Goal{Bound: 10}},
		{Name: "history_slowest_chore (" + chore + ")", Value: took, Unit: "s, at most", Goal: &Goal{Bound: choresWithin}},
	}
	return s.report(append(append(figures, lists.figures()...), with.figures(without)...)...)
}

// rest lets both servers settle.
func (s *session) rest(ctx context.Context) error {
	s.say("both servers are at rest for %v, then measured in turn", settled)
	return sleep.For(ctx, settled)
}

// slowestChore returns which chore's chunk took longest since the server's start, and the upper
// bound of its bucket in seconds.
func (s *server) slowestChore(ctx context.Context) (chore string, took float64, err error) {
	var of string
	var shorter float64 // how many chunks of it fit into the buckets so far
	err = s.metrics(ctx, func(series string, chunks float64) {
		labels, isBucket := strings.CutPrefix(series, `crier_chore_duration_seconds_bucket{chore="`)
		name, bound, _ := strings.Cut(strings.TrimSuffix(labels, `"}`), `",le="`)
		if !isBucket {
			return
		}
		if name != of {
			of, shorter = name, 0
		}
		if seconds, err := strconv.ParseFloat(bound, 64); err == nil && chunks > shorter && seconds > took {
			chore, took = name, seconds
		}
		shorter = chunks
	})
	return chore, took, err
}

// createOnce measures creation on a server once more.
func (s *session) createOnce(ctx context.Context, on *server, label string, p *tempo) error {
	plan, err := on.createPlan(ctx)
	if err != nil {
		return err
	}
	plan.Label = label
	many, single, err := s.create(ctx, plan)
	if err != nil {
		return err
	}
	p.rates, p.ones = append(p.rates, float64(many.Created)/many.Seconds), append(p.ones, milliseconds(single.P50))
	p.errors += many.Errors + single.Errors
	return errors.Join(on.vacuum(ctx), on.settle(ctx))
}

// vacuum vacuums the tables that a turn has changed. Autovacuum would otherwise begin within a minute,
// during a turn of the other server, and slow that one down.
func (s *server) vacuum(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.Postgres)
	if err != nil {
		return fmt.Errorf("connecting to vacuum: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var changed string
	const tables = `select coalesce(string_agg(relid::regclass::text, ', '), 'posts') from pg_stat_user_tables where n_mod_since_analyze > 0`
	if err := conn.QueryRow(ctx, tables).Scan(&changed); err != nil {
		return fmt.Errorf("finding the tables that changed: %w", err)
	}
	if _, err := conn.Exec(ctx, `vacuum (analyze) `+changed); err != nil {
		return fmt.Errorf("vacuuming after a turn: %w", err)
	}
	return nil
}

// publishOnce measures lateness on a server once more.
func (s *session) publishOnce(ctx context.Context, on *server, simulators, label string, p *tempo) error {
	var turn arrivals
	if err := s.publish(ctx, on, simulators, label, &turn); err != nil {
		return err
	}
	p.addLateness(turn)
	return nil
}

// figures compares a server with another by the medians of their turns, and by the lateness of all
// turns, which one that the machine disturbed decides.
func (t tempo) figures(control tempo) []Figure {
	against := func(name, unit string, value, control float64, goal *Goal) Figure {
		return Figure{Name: name, Value: value, Unit: unit, Errors: t.errors, Control: &Control{"the same on empty tables, in turn", control}, Goal: goal}
	}
	costs := &Goal{Bound: 1 + worse, OfRatio: true}
	return []Figure{
		against("history_create_rate", "requests/s", median(t.rates), median(control.rates), &Goal{Bound: 1 - worse, OfRatio: true, AtLeast: true}),
		against("history_create_one_caller_p50", "ms", median(t.ones), median(control.ones), costs),
		against("history_lateness_p50", "ms", median(t.p50s), median(control.p50s), costs),
		against("history_lateness_p99", "ms", median(t.p99s), median(control.p99s), costs),
		against("history_lateness_p99 of all turns", "ms", milliseconds(t.all.rank(0.99)), milliseconds(control.all.rank(0.99)), nil),
	}
}

// holdXmin opens a transaction that keeps PostgreSQL from removing what dies from now on.
func holdXmin(ctx context.Context, postgres string) (release func(), err error) {
	conn, err := pgx.Connect(ctx, postgres)
	if err != nil {
		return nil, fmt.Errorf("connecting to hold xmin: %w", err)
	}
	release = func() { _ = conn.Close(context.WithoutCancel(ctx)) } // which ends the transaction
	for _, sql := range []string{`begin isolation level repeatable read`, `select pg_current_xact_id()`} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			release()
			return nil, fmt.Errorf("holding xmin: %w", err)
		}
	}
	return release, nil
}

// listRequests is how often each list is read, so that the slowest alone is not the p99, and
// listFilters what is asked of it.
const listRequests = 200

var listFilters = []string{
	"", "page=50&limit=100", "page=900&limit=100",
	"status=draft", "status=scheduled", "status=posted", "status=partially_failed", "status=failed", "status=cancelled",
	"platform=mastodon", "platform=telegram", "platform=youtube",
	"status=failed&platform=bluesky", "status=scheduled&platform=telegram", "status=posted&platform=mastodon&page=20",
	"after=2026-01-01T00:00:00Z", "before=2026-01-01T00:00:00Z", "before=2026-01-01T00:00:00Z&status=failed",
	"after=2026-03-01T00:00:00Z&before=2026-03-02T00:00:00Z&platform=bluesky",
}

// searches are of words that most posts have and that none has, which takes the longest.
var searches = []string{"q=post", "q=nowhere", "q=caf%C3%A9&status=posted"}

// listTimes are how long pages of lists took.
type listTimes struct {
	slowest string // the filter with the highest p99
	p99     time.Duration
	p50     time.Duration // of all
	cold    time.Duration // the longest first request of a filter
	search  time.Duration // the highest p99 of a search
}

// readLists reads the first page, and others, by each filter.
func (s *session) readLists(ctx context.Context, on *server) (times listTimes, err error) {
	var all samples
	for _, filter := range slices.Concat(listFilters, searches) {
		var warm samples
		for n := range listRequests + 1 {
			began := time.Now()
			var page struct{ Posts []struct{ ID string } }
			if err := getJSON(ctx, on.URL+"/api/v1/posts?"+filter, on.Key, &page); err != nil {
				return times, err
			}
			took := time.Since(began)
			if n == 0 {
				times.cold = max(times.cold, took)
				continue
			}
			warm = append(warm, took)
		}
		s.say("GET /posts?%s: p50 %v, p99 %v", filter, warm.rank(0.5), warm.rank(0.99))
		switch p99 := warm.rank(0.99); {
		case slices.Contains(searches, filter):
			times.search = max(times.search, p99)
		case p99 > times.p99:
			times.slowest, times.p99 = cmp.Or(filter, "no filter"), p99
		}
		all = append(all, warm...)
	}
	times.p50 = all.rank(0.5)
	return times, nil
}

func (t listTimes) figures() []Figure {
	return []Figure{
		{Name: "history_lists_p50", Value: milliseconds(t.p50), Unit: "ms"},
		{Name: "history_lists_worst_p99 (" + t.slowest + ")", Value: milliseconds(t.p99), Unit: "ms", Goal: &Goal{Bound: listsWithin}},
		{Name: "history_search_worst_p99", Value: milliseconds(t.search), Unit: "ms", Goal: &Goal{Bound: searchWithin}},
		{Name: "history_lists_cold_max", Value: milliseconds(t.cold), Unit: "ms"},
	}
}
