package worker

import (
	"context"
	"sync"
	"time"

	"crier/schema/guard"
)

const (
	// shortWait is how long a task waits for its turn in its queue; a longer wait becomes a job.
	shortWait = time.Second
	// longestLine is how long the first of a line waits in its queue, and lineLength how many wait
	// with it. The others become jobs for when half of those before them have had a turn: not every
	// step uses the turn it gets, and what is due later must not come first.
	longestLine = 30 * time.Second
	lineLength  = 32
	// postponeBatch is how many tasks are postponed, or their waits recorded, in one transaction.
	postponeBatch = 1000
)

// delayed is tasks that have to wait, each for so long.
type delayed[M, R comparable] struct {
	tasks []*task[M, R]
	waits []time.Duration
}

func (d *delayed[M, R]) add(t *task[M, R], wait time.Duration) {
	d.tasks, d.waits = append(d.tasks, t), append(d.waits, wait)
}

func (d *delayed[M, R]) addAll(others delayed[M, R]) {
	d.tasks, d.waits = append(d.tasks, others.tasks...), append(d.waits, others.waits...)
}

// pass takes off the waits what has passed of them.
func (d *delayed[M, R]) pass(passed time.Duration) {
	for i, wait := range d.waits {
		d.waits[i] = max(0, wait-passed)
	}
}

// chunks yields the tasks by as many as are written in one transaction.
func (d *delayed[M, R]) chunks(yield func(delayed[M, R]) bool) {
	for i := 0; i < len(d.tasks); i += postponeBatch {
		end := min(i+postponeBatch, len(d.tasks))
		if !yield(delayed[M, R]{d.tasks[i:end], d.waits[i:end]}) {
			return
		}
	}
}

// claims returns what the tasks ask to claim.
func (d *delayed[M, R]) claims() []R {
	claims := make([]R, len(d.tasks))
	for i, t := range d.tasks {
		claims[i] = t.Claims
	}
	return claims
}

// lineTasks is the tasks of lines: those that wait in memory and whose waits are to be recorded, and
// those behind them, which are being postponed.
type lineTasks[M, R comparable] struct{ unrecorded, behind delayed[M, R] }

// reserveTurns returns the tasks that get their turns, and those that cannot be postponed. The others
// wait before the claim, so that an open claim means a call. Nobody waits until those behind the first
// of a line are postponed: they may be thousands.
func (w *Worker[M, R, C]) reserveTurns(p phases, batch []*task[M, R]) []*task[M, R] {
	if w.Reserve == nil {
		return batch
	}
	var long delayed[M, R]
	var lines lineTasks[M, R]
	batch = w.dropLost(batch)
	ready := batch[:0]
	left := w.reserveAll(p.stores, batch)
	for i, t := range batch {
		switch wait := left[i]; {
		case wait <= 0:
			ready = append(ready, t)
		case wait <= shortWait:
			w.waitInQueue(t, wait)
			lines.unrecorded.addAll(w.unrecorded(t, wait))
		default:
			w.queueOrPostpone(t, wait, &long, &lines)
		}
	}
	if len(lines.unrecorded.tasks)+len(lines.behind.tasks) > 0 {
		w.postponing.Go(func() { w.postponeLines(p.claims, lines) })
	}
	return append(ready, w.postpone(p.stores, long)...)
}

// postponeLines postpones what stood behind the first of lines, and records the waits of what stays in memory.
// There is one such transaction at a time, so that many lines leave the database to the claims. A stop
// waits for none of them: it brings forward what they leave in memory.
func (w *Worker[M, R, C]) postponeLines(ctx context.Context, lines lineTasks[M, R]) {
	came := time.Now()
	select {
	case <-ctx.Done():
		w.queue.requeue(lines.behind.tasks...)
		return
	case w.postponeSlot <- struct{}{}:
	}
	defer func() { <-w.postponeSlot }()
	lines.behind.pass(time.Since(came))
	lines.unrecorded.pass(time.Since(came))
	w.queue.requeue(w.postpone(ctx, lines.behind)...) // in their lines: a key has one call at a time
	w.recordWaits(ctx, lines.unrecorded)
}

func (w *Worker[M, R, C]) recordWaits(ctx context.Context, unrecorded delayed[M, R]) {
	for some := range unrecorded.chunks {
		err := guard.Do(func() error { return w.stage.RecordWaits(ctx, some.claims(), some.waits) })
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.Logger.WarnContext(ctx, "recording waits failed", "stage", w.Name, "err", err)
			w.queue.forgetRecorded(some.tasks)
		}
	}
}

// queueOrPostpone adds a task to those that are to be postponed. Where turns come one after the other,
// the first task of a key waits for its own in the queue instead, and with it some of those behind it;
// the others are to be postponed.
func (w *Worker[M, R, C]) queueOrPostpone(t *task[M, R], wait time.Duration, long *delayed[M, R], lines *lineTasks[M, R]) {
	spacing := w.spacing(t)
	if wait > longestLine || spacing <= 0 {
		long.add(t, wait)
		return
	}
	w.waitInQueue(t, wait)
	waiting, behind := w.queue.trimLine(t.Key, lineLength)
	for i, t := range behind {
		lines.behind.add(t, wait+time.Duration(waiting+i)*spacing/2)
	}
	lines.unrecorded.addAll(w.unrecorded(t, wait))
}

// unrecorded returns the tasks of a line, whose first waits so long, with waits that are to be recorded.
func (w *Worker[M, R, C]) unrecorded(first *task[M, R], wait time.Duration) (found delayed[M, R]) {
	spacing := w.spacing(first)
	if spacing <= 0 {
		return found
	}
	return w.queue.unrecorded(first.Key, wait, spacing, time.Now())
}

func (w *Worker[M, R, C]) waitInQueue(t *task[M, R], wait time.Duration) {
	w.Metrics.waits.WithLabelValues(w.Name, "queue").Inc()
	w.queue.requeueAt(t, time.Now().Add(wait))
}

func (w *Worker[M, R, C]) spacing(t *task[M, R]) time.Duration {
	if w.Spacing == nil {
		return 0
	}
	return w.Spacing(t.value)
}

// reserveAll reserves the turns of tasks, and returns how long each has to wait. It
// reserves all at the same time, so that turns that processes share take one trip to the
// database.
func (w *Worker[M, R, C]) reserveAll(ctx context.Context, batch []*task[M, R]) []time.Duration {
	left := make([]time.Duration, len(batch))
	var asking sync.WaitGroup
	for i, t := range batch {
		asking.Go(func() { t.reservation, left[i] = w.Reserve(ctx, t.value) })
	}
	asking.Wait()
	return left
}

// postpone turns the waits of tasks into jobs. It returns the tasks that were not
// postponed: the claim drops those that are not open any more, the step ends those that
// are too late.
func (w *Worker[M, R, C]) postpone(ctx context.Context, long delayed[M, R]) (rest []*task[M, R]) {
	for some := range long.chunks {
		rest = append(rest, w.postponeChunk(ctx, some)...)
	}
	return rest
}

func (w *Worker[M, R, C]) postponeChunk(ctx context.Context, long delayed[M, R]) (rest []*task[M, R]) {
	var postponed []R
	err := guard.Do(func() (err error) {
		postponed, err = w.stage.Postpone(ctx, long.claims(), long.waits)
		return err
	})
	if err != nil && !Ended(ctx, err) {
		w.Logger.ErrorContext(ctx, "postponing work failed by our fault", "stage", w.Name, "err", err)
		return long.tasks // the claim finds out which of them is at fault
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "postponing work failed", "stage", w.Name, "err", err)
		for _, t := range long.tasks {
			w.queue.requeueAt(t, time.Now().Add(shortWait))
		}
		return nil
	}
	gone := make(map[R]bool, len(postponed))
	for _, key := range postponed {
		gone[key] = true
	}
	for _, t := range long.tasks {
		if !gone[t.Claims] {
			rest = append(rest, t)
			continue
		}
		w.Metrics.waits.WithLabelValues(w.Name, "job").Inc()
		if t.message != nil {
			t.message.Ack()
		}
		w.queue.done(t)
	}
	return rest
}
