package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"crier/schema"
	"crier/schema/sleep"
)

const (
	// collectionLooks is how many looks at posts' metrics a second are due: four in the first day
	// of 200,000 posts, all within an hour.
	collectionLooks = 4 * 200_000 / 3600
	collectionTurns = 2 // runs without looks and with them, in turn
	collectionTick  = 250 * time.Millisecond
)

// measureCollection measures lateness while the metrics of posts are read, against lateness
// without.
func measureCollection(ctx context.Context, s *session) error {
	if s.config.Target.URL != "" {
		return errors.New("a running server's looks stay when they are due: collection starts its own")
	}
	return s.onServer(ctx, serverConfig{}, func(t *run) error { return t.collection(ctx) })
}

// collection publishes first what is looked at later.
func (t *run) collection(ctx context.Context) error {
	if err := t.session.publish(ctx, t.on, t.simulators, "looked-at", &arrivals{}); err != nil {
		return err
	}
	var alone, beside arrivals
	var rate float64 // of all turns together
	for turn := range collectionTurns {
		if err := errors.Join(t.on.settle(ctx), t.session.publish(ctx, t.on, t.simulators, fmt.Sprintf("alone-%d", turn), &alone), t.on.settle(ctx)); err != nil {
			return err
		}
		looks, err := t.publishBesideLooks(ctx, fmt.Sprintf("beside-%d", turn), &beside)
		if err != nil {
			return err
		}
		rate += looks / collectionTurns
	}
	return t.report(collectionFigures(rate, beside, alone)...)
}

// publishBesideLooks is publish while metrics are read, and returns how many were a second.
func (t *run) publishBesideLooks(ctx context.Context, label string, late *arrivals) (rate float64, err error) {
	before, err := t.on.looks(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	group, inside := errgroup.WithContext(ctx)
	looking, published := context.WithCancel(inside)
	group.Go(func() error { return t.on.makeLooksDue(looking) })
	group.Go(func() error {
		defer published()
		return t.session.publish(inside, t.on, t.simulators, label, late)
	})
	if err := group.Wait(); err != nil {
		return 0, err
	}
	after, err := t.on.looks(ctx)
	rate = (after - before) / time.Since(began).Seconds()
	t.say("%.0f looks a second meanwhile", rate)
	return rate, err
}

// makeLooksDue has so many looks a second be due now that are so later, until ctx ends.
func (s *server) makeLooksDue(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.Postgres)
	if err != nil {
		return fmt.Errorf("connecting to make looks due: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	began := time.Now()
	for total := 0; ; {
		if sleep.For(ctx, collectionTick) != nil {
			return nil
		}
		owed := int(time.Since(began).Seconds()*collectionLooks) - total
		tag, err := conn.Exec(ctx, `
			with looks as (
				select post_id, n from snapshots where due_at > now() order by due_at limit $1 for update skip locked
			), sooner as (
				update snapshots s set due_at = now() from looks l where s.post_id = l.post_id and s.n = l.n returning s.account_id
			), free as (
				select id from collections where what = $2 and lease_until is null and account_id in (select account_id from sooner) for update skip locked
			), due as (
				update collections c set due_at = now() from free where c.id = free.id returning c.id
			), jobs as (
				update jobs j set due_at = now() from due where j.id = due.id
			)
			select from sooner`, owed, schema.CollectMetrics)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("making looks due: %w", err)
		}
		total += int(tag.RowsAffected())
	}
}

// looks returns how often metrics of a post were read since the server's start.
func (s *server) looks(ctx context.Context) (n float64, err error) {
	err = s.metrics(ctx, func(series string, value float64) {
		if strings.HasPrefix(series, "crier_collected_facts_total{") {
			n += value
		}
	})
	return n, err
}

// collectionFigures compare publishing beside looks with publishing alone.
func collectionFigures(looks float64, beside, alone arrivals) []Figure {
	late := func(name string, q float64, goal *Goal) Figure {
		return Figure{
			Name: name, Value: milliseconds(beside.late.rank(q)), Unit: "ms", Errors: beside.errors, Goal: goal,
			Control: &Control{"the same without looks, in turn", milliseconds(alone.late.rank(q))},
		}
	}
	return []Figure{
		{Name: "collection_looks", Value: looks, Unit: "posts/s", Goal: &Goal{Bound: 0.8 * collectionLooks, AtLeast: true}},
		late("collection_lateness_p50", 0.5, nil),
		late("collection_lateness_p99", 0.99, &Goal{Bound: 50}),
		late("collection_lateness_p99_ratio", 0.99, &Goal{Bound: 2, OfRatio: true}),
	}
}
