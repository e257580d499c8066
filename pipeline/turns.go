package pipeline

import (
	"context"
	"sync"
	"time"

	"crier/schema"
)

// turns says when a platform may be called.
type turns interface {
	// Turn takes the turn of an account's next call; where it has not come yet it takes
	// nothing and returns how long that takes.
	Turn(ctx context.Context, account schema.AccountID) (wait time.Duration)
}

// shortWait is how long a task waits for its turn in its lane; a longer wait becomes a job.
const shortWait = time.Second

// holdBack leaves out the tasks whose turn has not come: waiting comes before the claim,
// so that an open claim means a call.
func (c *caller[T, C]) holdBack(ctx context.Context, batch []*task[T]) []*task[T] {
	if c.turn == nil {
		return batch
	}
	var off []*task[T]
	var waits []time.Duration
	batch = c.dropLost(batch)
	kept := batch[:0]
	left := c.takeTurns(ctx, batch)
	for i, t := range batch {
		switch wait := left[i]; {
		case wait <= 0:
			kept = append(kept, t)
		case wait <= shortWait:
			c.metrics.waits.WithLabelValues(c.name, "lane").Inc()
			c.lanes.later(t, time.Now().Add(wait))
		default:
			off, waits = append(off, t), append(waits, wait)
		}
	}
	return append(kept, c.putOff(ctx, off, waits)...)
}

// takeTurns returns how long it is until the turn of each task. It asks for all of them at
// a time: those that processes share take a trip to the database together.
func (c *caller[T, C]) takeTurns(ctx context.Context, batch []*task[T]) []time.Duration {
	left := make([]time.Duration, len(batch))
	var asking sync.WaitGroup
	for i, t := range batch {
		asking.Go(func() { left[i] = c.turn(ctx, t.value) })
	}
	asking.Wait()
	return left
}

// putOff makes the waits of tasks jobs. It returns the tasks for which there is nothing to
// wait for: the claim drops those that are not open any more, the step ends those that are
// too late.
func (c *caller[T, C]) putOff(ctx context.Context, off []*task[T], waits []time.Duration) (kept []*task[T]) {
	if len(off) == 0 {
		return nil
	}
	values := make([]T, len(off))
	for i, t := range off {
		values[i] = t.value
	}
	postponed, err := guarded(func() ([]T, error) { return c.postpone(ctx, values, waits) })
	if err != nil && !isUnavailable(err) && ctx.Err() == nil {
		c.logger.ErrorContext(ctx, "putting work off failed by our fault", "stage", c.name, "err", err)
		return off // the claim finds out which of them is at fault
	}
	if err != nil {
		c.logger.WarnContext(ctx, "putting work off failed", "stage", c.name, "err", err)
		for _, t := range off {
			c.lanes.later(t, time.Now().Add(shortWait))
		}
		return nil
	}
	gone := make(map[T]bool, len(postponed))
	for _, value := range postponed {
		gone[value] = true
	}
	for _, t := range off {
		if !gone[c.same(t.value)] {
			kept = append(kept, t)
			continue
		}
		c.metrics.waits.WithLabelValues(c.name, "job").Inc()
		if t.message != nil {
			t.message.Ack()
		}
		c.lanes.done(t.lane)
	}
	return kept
}
