package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/schema"
	"crier/schema/sleep"
)

const (
	herdPosts = 100_000
	herdLabel = "herd"
	// herdAhead is how long after its times were set a herd is due: the server starts in it.
	herdAhead = 20 * time.Second
)

// run is a workload being published by a server.
type run struct {
	*session
	on         *server
	simulators string
}

// onRun starts the simulators, and a server that takes posts and publishes none.
func (s *session) onRun(ctx context.Context, work func(*run) error) error {
	if s.config.Target.URL != "" {
		return errors.New("the times of a running server's posts are not set back: this starts its own")
	}
	return s.onServer(ctx, serverConfig{Roles: "gateway"}, work)
}

// onServer starts the simulators and a server that publishes to them, for as long as work takes.
func (s *session) onServer(ctx context.Context, c serverConfig, work func(*run) error) (err error) {
	address, simulators, err := s.startSimulators(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, simulators.stop()) }()
	c.Simulators = address
	on, err := s.startServer(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.stop()) }()
	return work(&run{s, on, address})
}

// measureHerd measures posts that are all due at the same second.
func measureHerd(ctx context.Context, s *session) error {
	return s.onRun(ctx, func(t *run) error {
		herd := &workload{label: herdLabel, fresh: schema.Mastodon}
		if err := t.createPosts(ctx, t.on, herd, s.config.postsOr(herdPosts), 0); err != nil {
			return err
		}
		var exchanges []float64
		if err := t.exchange(ctx, t.simulators, &exchanges); err != nil {
			return err
		}
		published, err := t.herd(ctx, herd)
		if err != nil {
			return err
		}
		if err := errors.Join(t.on.settle(ctx), t.exchange(ctx, t.simulators, &exchanges)); err != nil {
			return err
		}
		control := &Control{fmt.Sprintf("empty HTTP exchange with the simulators, %d connections", exchangeClients), (exchanges[0] + exchanges[1]) / 2}
		return s.report(append([]Figure{
			{
				Name: "herd_rate", Value: published.rate, Unit: "posts/s", Errors: published.errors,
				Control: control, Goal: &Goal{Bound: 0.3, OfRatio: true, AtLeast: true},
			},
			{Name: "herd_p50", Value: milliseconds(published.late.rank(0.5)), Unit: "ms", Errors: published.errors},
			{Name: "herd_p99", Value: milliseconds(published.late.rank(0.99)), Unit: "ms", Errors: published.errors},
		}, published.besides(herdLabel, 200)...)...)
	})
}

// herd has a workload published whose posts are due at one instant.
func (t *run) herd(ctx context.Context, c *workload) (*published, error) {
	if err := c.setBack(ctx, t.on.Postgres, time.Now().Add(herdAhead).Truncate(time.Second)); err != nil {
		return nil, err
	}
	if err := t.restart(ctx, t.on, "all"); err != nil {
		return nil, err
	}
	if time.Until(c.first) < time.Second {
		return nil, fmt.Errorf("the server took longer than %v to start: the herd was due before", herdAhead)
	}
	t.say("the herd of %d is due in %v", c.posts(), time.Until(c.first).Round(time.Second))
	if err := sleep.For(ctx, time.Until(c.first)); err != nil {
		return nil, err
	}
	return t.publish(ctx, c, c.first)
}

// published is what became of a workload, and of what was published beside it.
type published struct {
	*drain
	rate  float64 // posts a second
	work  work
	same  *fresh // in a workspace of the workload
	other *fresh // in another
}

// publish follows a workload that is published from a time on, and publishes others beside it.
func (t *run) publish(ctx context.Context, c *workload, from time.Time) (*published, error) {
	p := &published{drain: newDrain(c)}
	p.same = &fresh{label: c.label + "-fresh-same", key: c.tenants[0].key, to: c.tenants[0].fresh}
	p.other = &fresh{label: c.label + "-fresh-other", key: c.quiet.key, to: c.quiet.fresh}
	before, err := t.on.work()
	if err != nil {
		return nil, err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	drained := make(chan struct{})
	for _, f := range []*fresh{p.same, p.other} {
		group.Go(func() error { return f.publishNow(groupCtx, t.session, t.on.URL, drained) })
	}
	group.Go(func() error {
		defer close(drained)
		return t.follow(groupCtx, t.simulators, p.drain)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	after, err := t.on.work()
	if err != nil {
		return nil, err
	}
	p.rate = p.drain.rate(from)
	p.work = after.since(before)
	t.say("%s: %.0f/s, %d errors", c.label, p.rate, p.errors)
	return p, t.awaitFresh(ctx, p)
}

// freshEnd is how long the last published posts may take to arrive.
const freshEnd = 10 * time.Second

// awaitFresh waits until what was published beside the drain has arrived, or for a while.
func (t *run) awaitFresh(ctx context.Context, p *published) error {
	for deadline := time.Now().Add(freshEnd); ; {
		if err := p.read(ctx, t.simulators); err != nil {
			return err
		}
		p.same.addUntil(p.end, p.others)
		p.other.addUntil(p.end, p.others)
		if p.same.errors+p.other.errors == 0 || time.Now().After(deadline) {
			for _, f := range []*fresh{p.same, p.other} {
				t.say("%s: p50 %v, p99 %v, max %v of %d, %d errors", f.label, f.late.rank(0.5), f.late.rank(0.99), f.late.rank(1), len(f.late), f.errors)
			}
			return nil
		}
		if err := sleep.For(ctx, drainLook); err != nil {
			return err
		}
	}
}

// besides are the figures of the work, and of what was published beside the workload, with the bound of
// its p99 in milliseconds.
func (p *published) besides(label string, bound float64) []Figure {
	return append(p.work.figures(label, "post", p.arrived+len(p.others), &Goal{Bound: 0.8}), p.freshFigures(label, bound)...)
}

// freshFigures are of what was published beside the workload, with the bound of its p99 in
// milliseconds.
func (p *published) freshFigures(label string, bound float64) []Figure {
	figure := func(name string, f *fresh, q float64, goal *Goal) Figure {
		return Figure{Name: label + name, Value: milliseconds(f.late.rank(q)), Unit: "ms", Errors: f.errors, Goal: goal}
	}
	return []Figure{
		figure("_fresh_same_p50", p.same, 0.5, nil),
		figure("_fresh_same_p99", p.same, 0.99, &Goal{Bound: bound}),
		figure("_fresh_other_p50", p.other, 0.5, nil),
		figure("_fresh_other_p99", p.other, 0.99, &Goal{Bound: bound}),
	}
}
