package collection

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/guard"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// store is what the collect stage asks of the database.
type store interface {
	// Claim leases collections for one step each. What is leased, not due or paused is left
	// out, and so is what is to be read of an account that does not work.
	Claim(ctx context.Context, ids []schema.CollectionID) ([]schema.Collection, error)
	// Postpone delays collections by a wait each, and returns those that it delayed.
	Postpone(ctx context.Context, ids []schema.CollectionID, waits []time.Duration) ([]schema.CollectionID, error)
	// Finish stores what a step has come to.
	Finish(ctx context.Context, result schema.CollectionResult) error
	// Backlog tells how much is due, and for how long the oldest of it.
	Backlog(ctx context.Context) (due int, oldest time.Duration, err error)
	// AskRenewal has found out why a platform refused an account's credentials.
	AskRenewal(ctx context.Context, account schema.Account) error
	worker.Store
	Now() time.Time
}

// platforms are how platforms are called.
type platforms interface {
	connectors.Resolver
	Reserve(ctx context.Context, p schema.Platform, account schema.AccountID, kind connectors.Kind) (schema.Reservation, time.Duration)
}

// Config is what the collect stage is made of.
type Config struct {
	Store      store
	Platforms  platforms
	Vault      connectors.Opener
	Slots      int // steps at a time
	Hosts      *worker.Hosts
	Log        *stream.Log
	Logger     *slog.Logger
	Workers    *worker.Metrics
	Registerer prometheus.Registerer
}

// Collect reads what became of posts and accounts.
type Collect struct {
	*worker.Worker[schema.CollectMessage, schema.CollectionID, schema.Collection]
	stage stage
}

// New makes the collect stage.
func New(c Config) *Collect {
	s := stage{store: c.Store, platforms: c.Platforms, vault: c.Vault, logger: c.Logger, metrics: newMetrics(c.Registerer)}
	return &Collect{stage: s, Worker: worker.New(worker.Config[schema.CollectMessage]{
		Name: schema.TopicCollect, Slots: c.Slots, Log: c.Log, Store: c.Store, Logger: c.Logger, Metrics: c.Workers, Bounded: true,
		Hosts: c.Hosts, Account: func(m schema.CollectMessage) schema.AccountID { return m.Account },
		Reserve: func(ctx context.Context, m schema.CollectMessage) (schema.Reservation, time.Duration) {
			return c.Platforms.Reserve(ctx, m.Platform, m.Account, connectors.Read)
		},
	}, s)}
}

// backlogEvery is how often the backlog is shown.
const backlogEvery = 15 * time.Second

// Run collects until ctx ends, as the worker does, and shows what is due.
func (c *Collect) Run(ctx context.Context, drain time.Duration) error {
	var watch sync.WaitGroup
	defer watch.Wait()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	watch.Go(func() {
		for wait := time.Duration(0); sleep.For(watching, wait) == nil; wait = backlogEvery {
			c.stage.showBacklog(watching)
		}
	})
	return c.Worker.Run(ctx, drain)
}

func (s stage) showBacklog(ctx context.Context) {
	due, oldest, err := s.Backlog(ctx)
	switch {
	case err == nil:
		s.metrics.backlog.Set(float64(due))
		s.metrics.age.Set(oldest.Seconds())
	case ctx.Err() == nil:
		s.logger.WarnContext(ctx, "reading what is to be collected failed", "err", err)
	}
}

// stage is the stage of the worker. Its store claims and postpones.
type stage struct {
	store
	platforms platforms
	vault     connectors.Opener
	logger    *slog.Logger
	metrics   *metrics
}

// RecordWaits is never called: reads of an account have no pace, by which they would wait in a line.
func (stage) RecordWaits(context.Context, []schema.CollectionID, []time.Duration) error { return nil }

func (stage) Place(m schema.CollectMessage, host schema.Host) worker.Place[schema.CollectionID] {
	return worker.Place[schema.CollectionID]{
		Workspace: m.Workspace, Key: worker.Key(m.Account), Bulkhead: worker.Bulkhead{byte(m.Platform)}, Server: host.Server, Claims: m.Collection,
	}
}

func (s stage) Key(c schema.Collection) schema.CollectionID { return c.ID }

// Do takes a step. Where it goes wrong the result says when the next is due.
func (s stage) Do(ctx context.Context, c schema.Collection, reservation schema.Reservation) (worker.Outcome, error) {
	now := s.Now()
	result, err := s.collect(ctx, c, reservation, now)
	e, known := errors.AsType[*schema.Error](err)
	cut := err != nil && ctx.Err() != nil
	switch {
	case cut:
		result.NextAt, result.Attempts = now, c.Attempts
		return worker.Outcome{Store: s.finish(result), GivenBack: true}, nil
	case errors.Is(err, schema.ErrKeyMissing):
		result.NextAt = now.Add(retry.Dead.First)
		s.metrics.count(c, outcomeFailed)
		return worker.Outcome{Store: s.finish(result)}, nil
	case err != nil && (!known || e.Kind < schema.Refused):
		return worker.Outcome{}, err
	}
	outcome := after(&result, e, now)
	switch {
	case connectors.IsNotPermitted(err):
		result.Permitted = new(false)
	case outcome == outcomeRead:
		result.Permitted = new(true)
	}
	s.metrics.count(c, outcome)
	s.metrics.looks.WithLabelValues(c.Account.Platform.String()).Add(float64(len(result.Facts)))
	return worker.Outcome{
		Store: func(ctx context.Context) error {
			if outcome == outcomeDead {
				if err := s.AskRenewal(ctx, c.Account); err != nil {
					return err
				}
			}
			return s.Finish(ctx, result)
		},
		Again: err == nil && !result.NextAt.After(now) && c.What == schema.CollectMetrics && len(result.Facts) > 0,
	}, nil
}

func (s stage) finish(r schema.CollectionResult) func(context.Context) error {
	return func(ctx context.Context) error { return s.Finish(ctx, r) }
}

// collect makes the calls of a step. What is not due any more needs none.
func (s stage) collect(ctx context.Context, c schema.Collection, reservation schema.Reservation, now time.Time) (result schema.CollectionResult, err error) {
	nothing := schema.CollectionResult{Collection: c}
	nothing.Attempts = c.Attempts
	if err := ctx.Err(); err != nil {
		return nothing, err
	}
	if c.What == schema.CollectMetrics && len(c.Due) == 0 {
		return nothing, nil
	}
	ctx, cancel := context.WithDeadline(ctx, c.Deadline)
	defer cancel()
	connector, err := s.platforms.Connector(c.Account)
	if err != nil {
		return nothing, err
	}
	credentials, err := connectors.Unseal(s.vault, c.Account)
	if err != nil {
		return nothing, err
	}
	if scoped, ok := connectors.Able[connectors.Scoped](connector); ok && scoped.Scopes().Forbids(credentials, connectors.Reads(c.What)) {
		return nothing, notPermitted() // asking would be in vain until the account is connected again
	}
	step := Step{
		Collection: c, Connector: connector, Now: now,
		Reading: connectors.Reading{Account: c.Account, Credentials: credentials, Reservation: reservation},
		Reserve: func(ctx context.Context) (schema.Reservation, time.Duration) {
			return s.platforms.Reserve(ctx, c.Account.Platform, c.Account.ID, connectors.Read)
		},
	}
	err = guard.Do(func() (err error) {
		result, err = collectors[c.What](ctx, step)
		return err
	})
	for i := range result.Received {
		if item := &result.Received[i].Item; schema.PastTime(item.WrittenAt, now).IsZero() {
			item.WrittenAt = now
		}
	}
	return result, err
}
