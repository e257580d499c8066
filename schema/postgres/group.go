package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

// group gathers concurrent calls into batches, each of which shares one transaction:
// a committer takes what is queued while its last transaction ran.
type group[T any] struct {
	work    string // for the metric
	queue   chan *request[T]
	max     int          // weight of a batch
	weight  func(*T) int // of one call
	commit  func(ctx context.Context, batch []*T) error
	refused prometheus.Counter
	linger  time.Duration // how long to gather after a large batch; 0: not at all
}

type request[T any] struct {
	value *T
	since time.Time
	done  chan error
}

// busy is the size of a batch above which a linger gathers more than it delays.
const busy = 32

// startGroup starts the committers of a group; they end with the store.
func startGroup[T any](s *Store, g *group[T], committers int) *group[T] {
	g.queue = make(chan *request[T], 4*g.max)
	if g.weight == nil {
		g.weight = func(*T) int { return 1 }
	}
	g.refused = s.metrics.refused.WithLabelValues(g.work)
	for range committers {
		s.workers.Go(func() { g.run(s) })
	}
	return g
}

// do hands a call to the next batch and waits for its transaction. When ctx ends first,
// the call may still have its effect: the error is Unknown.
func (g *group[T]) do(ctx context.Context, value *T) error {
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

// queuePatience is how long a call waits for a place in a full queue: a database that
// stalls must not gather callers who give up before it answers.
const queuePatience = time.Second

// enqueue hands a call over, or refuses it where the queue stays full.
func (g *group[T]) enqueue(ctx context.Context, r *request[T]) error {
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

func (g *group[T]) run(s *Store) {
	last := 0
	for {
		var first *request[T]
		select {
		case first = <-g.queue:
		case <-s.closing:
			return
		}
		if g.linger > 0 && last > busy {
			time.Sleep(g.linger)
		}
		batch := g.fill(first)
		last = len(batch)
		s.metrics.batches.WithLabelValues(g.work).Observe(float64(len(batch)))
		s.metrics.waits.WithLabelValues(g.work).Observe(time.Since(first.since).Seconds())
		g.finish(batch)
	}
}

// finish settles a batch in bounded time. It is nobody's request alone, so no caller's
// context ends it.
func (g *group[T]) finish(batch []*request[T]) {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTimeout+5*time.Second)
	defer cancel()
	g.settle(ctx, batch)
}

func (g *group[T]) fill(first *request[T]) []*request[T] {
	batch := []*request[T]{first}
	for weight := g.weight(first.value); weight < g.max; {
		select {
		case r := <-g.queue:
			batch = append(batch, r)
			weight += g.weight(r.value)
		default:
			return batch
		}
	}
	return batch
}

// settle commits a batch and answers its calls. A batch that the database refuses for
// its data is halved until the call at fault stands alone; any other error is one of
// the whole batch.
func (g *group[T]) settle(ctx context.Context, batch []*request[T]) {
	values := make([]*T, len(batch))
	for i, r := range batch {
		values[i] = r.value
	}
	err := guard(func() error { return g.commit(ctx, values) })
	if isDataError(err) && len(batch) > 1 {
		half := len(batch) / 2
		g.settle(ctx, batch[:half])
		g.settle(ctx, batch[half:])
		return
	}
	for _, r := range batch {
		r.done <- err
	}
}

// isDataError tells whether one of the values sent may be at fault: the server refused
// them, and not for want of something that others would want too, we stumbled over what is
// stored of one, or one looked and found what is another's.
func isDataError(err error) bool {
	if errors.Is(err, errPanic) || errors.Is(err, errUnreadable) || errors.Is(err, schema.ErrReceiptTaken) {
		return true
	}
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok && !isConnectionError(err)
}
