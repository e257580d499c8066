package worker

import (
	"context"
	"sync"
	"time"
)

// shortWait is how long a task waits for its turn in its queue; a longer wait becomes a job.
const shortWait = time.Second

// holdBack leaves out the tasks whose turn has not come: they wait before the claim, so
// that an open claim means a call. The other tasks get their turns.
func (w *Worker[M, R, C]) holdBack(p phases, batch []*task[M, R]) []*task[M, R] {
	if w.Reserve == nil {
		return batch
	}
	var off []*task[M, R]
	var waits []time.Duration
	batch = w.dropLost(batch)
	kept := batch[:0]
	left := w.reserveAll(p.stores, batch)
	for i, t := range batch {
		switch wait := left[i]; {
		case wait <= 0:
			kept = append(kept, t)
		case wait <= shortWait:
			w.Metrics.waits.WithLabelValues(w.Name, "queue").Inc()
			w.queue.later(t, time.Now().Add(wait))
		default:
			off, waits = append(off, t), append(waits, wait)
		}
	}
	return append(kept, w.putOff(p.stores, off, waits)...)
}

// reserveAll reserves the turns of tasks, and returns how long each has to wait. It
// reserves all at the same time, so that turns that processes share take one trip to the
// database.
func (w *Worker[M, R, C]) reserveAll(ctx context.Context, batch []*task[M, R]) []time.Duration {
	left := make([]time.Duration, len(batch))
	var asking sync.WaitGroup
	for i, t := range batch {
		asking.Go(func() { t.turn, left[i] = w.Reserve(ctx, t.value) })
	}
	asking.Wait()
	return left
}

// putOff turns the waits of tasks into jobs. It returns the tasks that were not
// postponed: the claim drops those that are not open any more, the step ends those that
// are too late.
func (w *Worker[M, R, C]) putOff(ctx context.Context, off []*task[M, R], waits []time.Duration) (kept []*task[M, R]) {
	if len(off) == 0 {
		return nil
	}
	keys := make([]R, len(off))
	for i, t := range off {
		keys[i] = t.Claims
	}
	postponed, err := Guard(func() ([]R, error) { return w.stage.Postpone(ctx, keys, waits) })
	if err != nil && !Ended(ctx, err) {
		w.Logger.ErrorContext(ctx, "putting work off failed by our fault", "stage", w.Name, "err", err)
		return off // the claim finds out which of them is at fault
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "putting work off failed", "stage", w.Name, "err", err)
		for _, t := range off {
			w.queue.later(t, time.Now().Add(shortWait))
		}
		return nil
	}
	gone := make(map[R]bool, len(postponed))
	for _, key := range postponed {
		gone[key] = true
	}
	for _, t := range off {
		if !gone[t.Claims] {
			kept = append(kept, t)
			continue
		}
		w.Metrics.waits.WithLabelValues(w.Name, "job").Inc()
		if t.message != nil {
			t.message.Ack()
		}
		w.queue.done(t)
	}
	return kept
}
