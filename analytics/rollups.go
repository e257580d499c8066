package analytics

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
	"crier/schema/sleep"
)

// rollupStore counts facts beforehand.
type rollupStore interface {
	// Close counts open buckets of a kind into which nothing arrived for a while.
	Close(ctx context.Context, kind schema.RollupKind, quiet time.Duration, limit int) (closed int, more bool, err error)
	// Open returns how many buckets of each kind are open.
	Open(ctx context.Context) (map[schema.RollupKind]int, error)
}

const (
	countEvery = time.Minute
	countLimit = 10_000 // buckets at once
	// rollupQuiet is how long nothing arrived in a bucket that is counted: one of facts that
	// keep arriving is not counted over and over, and no insertion lasts as long.
	rollupQuiet = 5 * time.Minute
)

// Counter counts facts beforehand, by the days of workspaces, for who asks about many of them.
type Counter struct {
	deps    CounterDeps
	buckets *prometheus.CounterVec
	open    *prometheus.GaugeVec
}

// CounterDeps is what a counter works with.
type CounterDeps struct {
	Store      rollupStore
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// NewCounter makes the counter.
func NewCounter(deps CounterDeps) *Counter {
	register := metric.With(deps.Registerer)
	c := &Counter{
		deps: deps,
		buckets: register.CounterVec("crier_rollup_buckets_total",
			"Days of workspaces that were counted beforehand, by kind; one that is counted again counts again.", "kind"),
		open: register.GaugeVec("crier_rollup_open_buckets",
			"Days of workspaces into which facts arrived since they were counted, by kind: queries read their facts.", "kind"),
	}
	for _, kind := range schema.RollupKinds() {
		c.buckets.WithLabelValues(string(kind))
		c.open.WithLabelValues(string(kind))
	}
	return c
}

// Run makes a pass every minute until ctx ends. Queries are right without it, and slower.
func (c *Counter) Run(ctx context.Context) error {
	for sleep.For(ctx, countEvery) == nil {
		if err := c.Pass(ctx, rollupQuiet); err != nil && ctx.Err() == nil {
			c.deps.Logger.WarnContext(ctx, "facts could not be counted beforehand", "err", err)
		}
	}
	return nil
}

// Pass counts all buckets into which nothing arrived for a while. It can be cut off anywhere, and
// several processes may do it at once.
func (c *Counter) Pass(ctx context.Context, quiet time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	for _, kind := range schema.RollupKinds() {
		limit := countLimit
		for more := true; more; {
			var closed int
			var err error
			if closed, more, err = c.deps.Store.Close(ctx, kind, quiet, limit); err != nil {
				if limit /= 8; limit == 0 || ctx.Err() != nil {
					return err
				}
				more = true // those may have more facts than a statement has memory for
				continue
			}
			c.buckets.WithLabelValues(string(kind)).Add(float64(closed))
		}
	}
	open, err := c.deps.Store.Open(ctx)
	if err != nil {
		return err
	}
	for _, kind := range schema.RollupKinds() {
		c.open.WithLabelValues(string(kind)).Set(float64(open[kind]))
	}
	return nil
}
