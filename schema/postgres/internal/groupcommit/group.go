// Package groupcommit gathers concurrent calls into batches that share a transaction.
package groupcommit

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
)

// Group gathers concurrent calls into batches, each of which shares one transaction:
// a committer takes what is queued while its last transaction ran.
type Group[T any] struct {
	Work    string // for the metric
	queue   chan *request[T]
	Max     int          // weight of a batch
	Weight  func(*T) int // of one call
	Commit  func(ctx context.Context, batch []*T) error
	refused prometheus.Counter
	// Linger is how long a committer gathers after a batch: calls that come one after the other so
	// share transactions, and one that has had none just before it waits for nobody. 0: not at all.
	Linger time.Duration
}

type request[T any] struct {
	value *T
	since time.Time
	done  chan error
}

// Start starts the committers of a group; they end with the store.
func Start[T any](s *db.DB, g *Group[T], committers int) *Group[T] {
	g.queue = make(chan *request[T], 4*g.Max)
	if g.Weight == nil {
		g.Weight = func(*T) int { return 1 }
	}
	g.refused = s.Metrics.Refused.WithLabelValues(g.Work)
	for range committers {
		s.Workers.Go(func() { g.run(s) })
	}
	return g
}

// Do hands a call to the next batch and waits for its transaction. When ctx ends first,
// the call may still have its effect: the error is Unknown.
func (g *Group[T]) Do(ctx context.Context, value *T) error {
	r := &request[T]{value: value, since: time.Now(), done: make(chan error, 1)}
	if err := g.enqueue(ctx, r); err != nil {
		return err
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return &schema.Error{Kind: schema.Unknown, Message: "the request was given up before its transaction ended", Err: ctx.Err()}
	}
}

// queuePatience is how long a call waits for a place in a full queue: while the database
// stalls, callers must not pile up who give up before it answers.
const queuePatience = time.Second

// enqueue hands a call over, or refuses it where the queue stays full.
func (g *Group[T]) enqueue(ctx context.Context, r *request[T]) error {
	select {
	case g.queue <- r:
		return nil
	default:
	}
	timer := time.NewTimer(queuePatience)
	defer timer.Stop()
	select {
	case g.queue <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		g.refused.Inc()
		return &schema.Error{Kind: schema.Unavailable, Message: "the database is behind; try again", RetryAfter: 2 * time.Second}
	}
}

func (g *Group[T]) run(s *db.DB) {
	var ended time.Time // the last batch
	for {
		var first *request[T]
		select {
		case first = <-g.queue:
		case <-s.Closing:
			return
		}
		time.Sleep(time.Until(ended.Add(g.Linger)))
		batch := g.fill(first)
		s.Metrics.Batches.WithLabelValues(g.Work).Observe(float64(len(batch)))
		s.Metrics.Waits.WithLabelValues(g.Work).Observe(time.Since(first.since).Seconds())
		g.finish(batch)
		ended = time.Now()
	}
}

// finish settles a batch in bounded time and answers its calls. It works for several
// callers, so no caller's context ends it.
func (g *Group[T]) finish(batch []*request[T]) {
	ctx, cancel := context.WithTimeout(context.Background(), db.TransactionTimeout+5*time.Second)
	defer cancel()
	values := lists.Map(batch, func(r *request[T]) *T { return r.value })
	for i, err := range g.Settle(ctx, values) {
		batch[i].done <- err
	}
}

func (g *Group[T]) fill(first *request[T]) []*request[T] {
	batch := []*request[T]{first}
	for weight := g.Weight(first.value); weight < g.Max; {
		select {
		case r := <-g.queue:
			batch = append(batch, r)
			weight += g.Weight(r.value)
		default:
			return batch
		}
	}
	return batch
}

// Settle commits a batch and returns the error of each call. A batch that the database
// refuses for its data is halved until the call at fault is alone; any other error is
// that of the whole batch.
func (g *Group[T]) Settle(ctx context.Context, batch []*T) []error {
	err := guard.Do(func() error { return g.Commit(ctx, slices.Clone(batch)) })
	if db.IsDataError(err) && len(batch) > 1 {
		half := len(batch) / 2
		return append(g.Settle(ctx, batch[:half]), g.Settle(ctx, batch[half:])...)
	}
	return slices.Repeat([]error{err}, len(batch))
}
