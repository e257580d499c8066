package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/metric"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// Chore is periodic work in chunks, so that a million rows delay nothing else.
type Chore struct {
	Name  string        // as metrics and alerts have it
	Every time.Duration // from the end of the work until the next look for some
	// Rest is the pause between two chunks, as a multiple of how long the first took;
	// zero: half.
	Rest int
	// Do does one chunk, in a transaction of its own that takes well below a second, and
	// returns the number of rows and whether there is more.
	Do func(context.Context) (rows int, more bool, err error)
}

const (
	// choreBudget is how long a chunk may take before it is cancelled, to be tried again.
	choreBudget = 10 * time.Second
	// choreBreath is the shortest pause between two chunks.
	choreBreath = 5 * time.Millisecond
)

// keepAll runs chores until ctx ends, each in a goroutine of its own: one that hangs or
// fails delays no other.
func (s Shared) keepAll(ctx context.Context, chores []Chore) {
	var working sync.WaitGroup
	for _, c := range chores {
		s.Metrics.chores.show(c)
		working.Go(func() { s.keep(ctx, c) })
	}
	working.Wait()
}

// keep runs a chore until ctx ends. While there is more to do, only its rest is between
// two chunks: so a chore uses at most two thirds of one connection.
func (s Shared) keep(ctx context.Context, c Chore) {
	behind := s.Metrics.chores.behind.WithLabelValues(c.Name)
	failures := 0
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; {
		took, more, err := s.chunk(ctx, c)
		if err == nil {
			failures = 0
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // there is as much to do as before
			pause = min(c.Every, retry.Chore.Wait(failures, 0))
			failures++
			s.Logger.WarnContext(ctx, "a chore failed", "chore", c.Name, "err", err)
		case more:
			pause = max(c.pause(took), choreBreath)
			behind.Set(1)
		default:
			pause = c.Every
			behind.Set(0)
		}
	}
}

// pause returns how long a chore rests after a chunk.
func (c Chore) pause(took time.Duration) time.Duration {
	if c.Rest > 0 {
		return time.Duration(c.Rest) * took
	}
	return took / 2
}

// chunk runs one chunk of a chore within its budget, and measures it.
func (s Shared) chunk(ctx context.Context, c Chore) (took time.Duration, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, choreBudget)
	defer cancel()
	began := time.Now()
	rows, more, err := c.Do(ctx)
	took = time.Since(began)
	s.Metrics.chores.seconds.WithLabelValues(c.Name).Observe(took.Seconds())
	s.Metrics.chores.rows.WithLabelValues(c.Name).Add(float64(rows))
	if err == nil {
		s.Metrics.chores.succeeded.WithLabelValues(c.Name).SetToCurrentTime()
	}
	return took, more, err
}

type choreMetrics struct {
	rows      *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	succeeded *prometheus.GaugeVec
	behind    *prometheus.GaugeVec
	every     *prometheus.GaugeVec
}

func newChoreMetrics(r prometheus.Registerer) choreMetrics {
	register := metric.With(r)
	return choreMetrics{
		rows: register.CounterVec("crier_chore_rows_total",
			"Rows that a chore of maintenance moved, deleted, repaired or sent again.", "chore"),
		seconds: register.HistogramVec("crier_chore_duration_seconds",
			"Duration of one chunk of a chore.",
			prometheus.ExponentialBuckets(0.002, 2, 14), "chore"), // 2 ms to 16 s
		succeeded: register.GaugeVec("crier_chore_last_success_timestamp_seconds",
			"When a chunk of a chore last succeeded, if only by finding nothing to do; at first, when the process began.", "chore"),
		behind: register.GaugeVec("crier_chore_behind",
			"1 while more of a chore waits than one chunk.", "chore"),
		every: register.GaugeVec("crier_chore_interval_seconds",
			"How often a chore looks for what there is to do.", "chore"),
	}
}

// show makes the metrics of a chore appear before their first value.
func (m choreMetrics) show(c Chore) {
	m.rows.WithLabelValues(c.Name)
	m.seconds.WithLabelValues(c.Name)
	m.succeeded.WithLabelValues(c.Name).SetToCurrentTime()
	m.behind.WithLabelValues(c.Name)
	m.every.WithLabelValues(c.Name).Set(c.Every.Seconds())
}
