package bench

import (
	"context"
	"errors"
	"time"

	"crier/cmd/crier/bench/control"
)

const (
	createConnections = 256
	createWarmup      = 2 * time.Second
	createMeasured    = 8 * time.Second
	singleWarmup      = 500 * time.Millisecond
	singleMeasured    = 3 * time.Second

	// Posts are scheduled over the weeks ahead, as calendars are, so that an account has
	// no more of them on a day than it takes, and from tomorrow on: today has others.
	createAhead = 24 * time.Hour
	createStep  = 97*time.Minute + 13*time.Second // i*createStep overflows beyond 1.5 million posts
	createSpan  = 85 * 24 * time.Hour             // of the 90 days that posts may be scheduled ahead
)

// measureCreate measures creation: many callers, then one.
func measureCreate(ctx context.Context, s *session) (err error) {
	on, err := s.target(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.stop()) }()
	plan, err := on.createPlan(ctx)
	if err != nil {
		return err
	}
	against, err := control.New(on.Postgres)
	if err != nil {
		return err
	}
	var controls control.Results
	s.say("control: %s, then one", against.Name(control.Clients))
	if err := against.Measure(ctx, &controls); err != nil {
		return err
	}
	before, err := on.work()
	if err != nil {
		return err
	}
	many, err := s.createByMany(ctx, plan)
	if err != nil {
		return err
	}
	after, err := on.work()
	if err != nil {
		return err
	}
	single, err := s.createSerially(ctx, plan)
	if err != nil {
		return err
	}
	s.say("control: the same again, once crier is idle")
	if err := on.settle(ctx); err != nil {
		return err
	}
	if err := against.Measure(ctx, &controls); err != nil {
		return err
	}
	s.say("control %.0f/s before, %.0f/s after", controls.Rates[0], controls.Rates[1])
	figures := createFigures(many, single, against, controls)
	if on.child != nil {
		figures = append(figures, after.since(before).figures("create", "request", many.All, nil)...)
	}
	return s.report(figures...)
}

// create creates posts from many connections, then from one.
func (s *session) create(ctx context.Context, plan loadPlan) (many, single loadResult, err error) {
	if many, err = s.createByMany(ctx, plan); err != nil {
		return many, single, err
	}
	single, err = s.createSerially(ctx, plan)
	return many, single, err
}

func (s *session) createByMany(ctx context.Context, plan loadPlan) (many loadResult, err error) {
	plan.Label, plan.Connections = plan.Label+"-many", createConnections
	plan.Warmup, plan.Measured = createWarmup, createMeasured
	s.say("creating posts: %d connections", plan.Connections)
	err = s.do(ctx, roleLoad, plan, &many)
	s.tell(many)
	return many, err
}

func (s *session) createSerially(ctx context.Context, plan loadPlan) (single loadResult, err error) {
	plan.Label, plan.Connections = plan.Label+"-one", 1
	plan.Warmup, plan.Measured = singleWarmup, singleMeasured
	s.say("creating posts: one caller")
	err = s.do(ctx, roleLoad, plan, &single)
	s.tell(single)
	return single, err
}

// tell reports the result of a load.
func (s *session) tell(r loadResult) {
	s.say("%d created in %.1f s (%.0f/s), p50 %v, p99 %v, max %v, %d errors %s",
		r.Created, r.Seconds, float64(r.Created)/r.Seconds, r.P50, r.P99, r.Max, r.Errors, r.Reason)
}

// createPlan returns what all loads of creation have in common.
func (s *server) createPlan(ctx context.Context) (loadPlan, error) {
	accounts, err := s.accounts(ctx)
	return loadPlan{
		URL: s.URL, Key: s.Key, Targets: everywhere(accounts),
		First: time.Now().Add(createAhead), Step: createStep, Span: createSpan,
		Label: time.Now().UTC().Format("20060102T150405"), // no run repeats another's keys
	}, err
}

func createFigures(many, single loadResult, against *control.Control, controls control.Results) []Figure {
	return []Figure{
		{
			Name: "create_rate", Value: float64(many.Created) / many.Seconds, Unit: "requests/s", Errors: many.Errors,
			Control: &Control{against.Name(control.Clients), controls.Rate()},
			Goal:    &Goal{Bound: 3, OfRatio: true, AtLeast: true},
		},
		{
			Name: "create_p99", Value: milliseconds(many.P99), Unit: "ms", Errors: many.Errors,
			Goal: &Goal{Bound: 25},
		},
		{
			Name: "create_one_caller_p50", Value: milliseconds(single.P50), Unit: "ms", Errors: single.Errors,
			Control: &Control{against.Name(1), milliseconds(samples(controls.Times).rank(0.5))},
			Goal:    &Goal{Bound: 1.6, OfRatio: true},
		},
	}
}
