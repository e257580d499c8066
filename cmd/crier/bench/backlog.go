package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"crier/compose"
	"crier/schema"
	"crier/schema/sleep"
)

const (
	backlogPosts = 1_000_000
	// fellDue is what lies between two posts of a backlog: a million fell due within the hour
	// up to the start, fewer within as much less.
	fellDue = time.Hour / 1_000_000
)

// measureBacklog measures the publishing of posts that fell due while no engine ran.
func measureBacklog(ctx context.Context, s *session) error {
	return s.afterHerd(ctx, &workload{label: "backlog", fresh: schema.Mastodon}, func(t *run, backlog *workload) (*published, error) {
		if err := t.restart(ctx, t.on, "all"); err != nil {
			return nil, err
		}
		return t.publish(ctx, backlog, time.Now())
	})
}

// measureResume measures the publishing of posts that a pause of their platform had parked.
func measureResume(ctx context.Context, s *session) error {
	return s.afterHerd(ctx, &workload{label: "parked", fresh: schema.Bluesky}, func(t *run, parked *workload) (*published, error) {
		config, platform := t.on.operator(), compose.PauseTarget{Platform: schema.Mastodon.String()}
		if err := compose.Pause(ctx, config, platform, "a benchmark"); err != nil {
			return nil, err
		}
		if err := t.restart(ctx, t.on, "all"); err != nil {
			return nil, err
		}
		if err := t.awaitParked(ctx, parked.posts()); err != nil {
			return nil, err
		}
		t.say("resuming")
		resumed := time.Now()
		var resuming errgroup.Group
		resuming.Go(func() error {
			_, err := compose.Resume(ctx, config, platform)
			return err
		})
		published, err := t.publish(ctx, parked, resumed)
		return published, errors.Join(err, resuming.Wait())
	})
}

// afterHerd has a herd published, then, by work, another workload whose times were set back.
func (s *session) afterHerd(ctx context.Context, late *workload, work func(*run, *workload) (*published, error)) error {
	return s.onRun(ctx, func(t *run) error {
		posts := s.config.postsOr(backlogPosts)
		outage := time.Duration(posts) * fellDue
		herd := &workload{label: herdLabel, fresh: schema.Mastodon}
		if err := errors.Join(t.createPosts(ctx, t.on, herd, min(posts, herdPosts), 0), t.createPosts(ctx, t.on, late, posts, outage)); err != nil {
			return err
		}
		control, err := t.herd(ctx, herd)
		if err != nil {
			return err
		}
		if err := errors.Join(t.on.settle(ctx), t.restart(ctx, t.on, "gateway")); err != nil {
			return err
		}
		t.say("setting %d posts back: they fell due in the last %v", posts, outage)
		if err := late.setBack(ctx, t.on.Postgres, time.Now().Add(-outage).Truncate(time.Second)); err != nil {
			return err
		}
		came, err := work(t, late)
		if err != nil {
			return err
		}
		label := late.label
		return s.report(append([]Figure{
			{
				Name: label + "_rate", Value: came.rate, Unit: "posts/s", Errors: control.errors + came.errors,
				Control: &Control{fmt.Sprintf("herd of %d posts", herd.posts()), control.rate}, Goal: &Goal{Bound: 0.8, OfRatio: true, AtLeast: true},
			},
			{Name: label + "_disordered", Value: float64(came.disordered), Unit: "posts", Goal: &Goal{Bound: 0}},
			{Name: label + "_overtaken", Value: came.overtaken.Seconds(), Unit: "s", Goal: &Goal{Bound: 60}},
		}, came.besides(label, 500)...)...)
	})
}

// awaitParked waits until every post of a workload is held.
func (t *run) awaitParked(ctx context.Context, posts int) error {
	conn, err := pgx.Connect(ctx, t.on.Postgres)
	if err != nil {
		return fmt.Errorf("connecting to see what is parked: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	deadline := time.Now().Add(drainGrace + time.Duration(posts)*time.Second/minDrain)
	for {
		var held int
		if err := conn.QueryRow(ctx, `select count(*) from jobs where held`).Scan(&held); err != nil {
			return fmt.Errorf("counting what is parked: %w", err)
		}
		t.say("%d of %d parked", held, posts)
		switch {
		case held >= posts:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("%d of %d posts were parked in time", held, posts)
		}
		if err := sleep.For(ctx, parkedLook); err != nil {
			return err
		}
	}
}

// parkedLook is the pause between two looks for what is parked: each counts a whole table.
const parkedLook = 3 * time.Second
