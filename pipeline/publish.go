package pipeline

import (
	"context"
	"time"

	"crier/connectors"
	"crier/pipeline/tracing"
	"crier/pipeline/worker"
	"crier/schema"
)

// publishStore is all that publishing asks of the database.
type publishStore = deliveryStore[schema.TargetRef, schema.Result]

// Publish takes targets to their platforms, one step at a time.
type Publish = worker.Worker[schema.PublishMessage, schema.TargetRef, schema.Delivery]

// PublishConfig is what the publish stage is made of.
type PublishConfig struct {
	Shared
	Store     publishStore
	Platforms Platforms
	Vault     connectors.Opener
	Slots     int             // calls at a time
	Late      time.Duration   // what is overdue by more than this is no longer published
	Fetched   fetchedMedia    // nil: nothing is kept
	Tracer    *tracing.Tracer // nil: nothing is traced
}

// fetchedMedia is what was fetched for uploads.
type fetchedMedia interface {
	// Forget removes what is kept between the steps of an upload, which is over.
	Forget(upload string) error
}

// NewPublish makes the publish stage.
func NewPublish(c PublishConfig) *Publish {
	stage := publish{
		publishStore: c.Store, metrics: c.Metrics, fetched: c.Fetched,
		calls: platformCalls{c.Platforms, c.Vault, c.Store, c.Logger, newKeyless(c.Logger), c.Late},
	}
	return worker.New(worker.Config[schema.PublishMessage]{
		Name: schema.TopicPublish, Slots: c.Slots, Log: c.Log, Store: c.Store, Logger: c.Logger, Metrics: c.Metrics.workers, Tracer: c.Tracer, Bounded: true,
		Hosts: c.Hosts, Account: func(m schema.PublishMessage) schema.AccountID { return m.Account },
		Reserve: func(ctx context.Context, m schema.PublishMessage) (schema.Reservation, time.Duration) {
			return c.Platforms.Reserve(ctx, m.Platform, m.Account, connectors.Post)
		},
		Spacing: func(m schema.PublishMessage) time.Duration {
			return c.Platforms.Spacing(m.Platform, m.Account, connectors.Post)
		},
	}, stage)
}

// publish is the stage of the worker. Its store claims and postpones.
type publish struct {
	publishStore
	calls   platformCalls
	metrics *Metrics
	fetched fetchedMedia
}

func (publish) Place(m schema.PublishMessage, host schema.Host) worker.Place[schema.TargetRef] {
	return worker.Place[schema.TargetRef]{
		Workspace: m.Workspace, Key: worker.Key(m.Account), Bulkhead: platformBulkhead(m.Platform), Server: host.Server,
		Order: worker.Order{Due: m.Due, ID: m.Post}, Claims: schema.TargetRef{Post: m.Post, N: m.N, Version: m.Version},
	}
}

// platformBulkhead keeps one platform that hangs from taking all slots. Messages of older
// versions have no platform.
func platformBulkhead(p schema.Platform) worker.Bulkhead { return worker.Bulkhead{byte(p)} }

func (p publish) Key(d schema.Delivery) schema.TargetRef { return d.Ref }

func (p publish) Do(ctx context.Context, d schema.Delivery, reservation schema.Reservation) (worker.Outcome, error) {
	taken := p.calls.take(ctx, d, reservation, p.finish)
	p.observe(d, taken)
	return worker.Outcome{
		Store: func(ctx context.Context) error {
			err := taken.Store(ctx)
			if err == nil {
				p.forget(ctx, d, taken.result)
			}
			return err
		},
		Again: taken.Again, GivenBack: taken.GivenBack,
	}, nil
}

// forget removes what was fetched for an upload once it is stored that no step will want it.
func (p publish) forget(ctx context.Context, d schema.Delivery, r schema.Result) {
	goesOn := r.State == schema.TargetPending && r.Step == schema.StepPrepare && r.Entry == d.Entry
	if p.fetched == nil || d.Step != schema.StepPrepare || goesOn {
		return
	}
	if err := p.fetched.Forget(d.Key); err != nil { // it goes later
		p.calls.logger.WarnContext(ctx, "removing fetched media failed", "err", err)
	}
}

// finish stores a result with the trace that its follow-ups belong to.
func (p publish) finish(ctx context.Context, result schema.Result) error {
	ctx, span := tracing.Child(ctx, "finish")
	defer span.End()
	result.Trace = tracing.Parent(ctx)
	return p.Finish(ctx, result)
}

func (p publish) observe(d schema.Delivery, taken takenStep) {
	r := taken.result
	platform := r.Platform.String()
	if d.Entry == 0 && d.Step != schema.StepPrepare && (r.Entry > 0 || r.Terminal()) {
		p.metrics.lateness.WithLabelValues(platform).Observe(max(0, taken.at.Sub(d.DueAt)).Seconds())
	}
	if r.Terminal() {
		p.metrics.targets.WithLabelValues(platform, r.State.String()).Inc()
	}
}
