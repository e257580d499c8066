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
	// longestLine is how long the first of a line waits in its queue, and keptInLine how many wait
	// with it. The others become jobs for when half of those before them have had a turn: not every
	// step uses the turn it gets, and what is due later must not come first.
	longestLine = 30 * time.Second
	keptInLine  = 32
	// recordedWait is the shortest wait in a line that is recorded in the post's timeline.
	recordedWait = time.Minute
	// putOffBatch is how many tasks are put off, or their waits recorded, in one transaction.
	putOffBatch = 1000
)

// waiting are tasks that have to wait, each for so long.
type waiting[M, R comparable] struct {
	tasks []*task[M, R]
	waits []time.Duration
}

func (o *waiting[M, R]) add(t *task[M, R], wait time.Duration) {
	o.tasks, o.waits = append(o.tasks, t), append(o.waits, wait)
}

func (o *waiting[M, R]) addAll(others waiting[M, R]) {
	o.tasks, o.waits = append(o.tasks, others.tasks...), append(o.waits, others.waits...)
}

// pass takes off the waits what has passed of them.
func (o *waiting[M, R]) pass(passed time.Duration) {
	for i, wait := range o.waits {
		o.waits[i] = max(0, wait-passed)
	}
}

// chunks are the tasks by as many as are written in one transaction.
func (o *waiting[M, R]) chunks(yield func(waiting[M, R]) bool) {
	for i := 0; i < len(o.tasks); i += putOffBatch {
		end := min(i+putOffBatch, len(o.tasks))
		if !yield(waiting[M, R]{o.tasks[i:end], o.waits[i:end]}) {
			return
		}
	}
}

// claims are what the tasks ask to claim.
func (o *waiting[M, R]) claims() []R {
	claims := make([]R, len(o.tasks))
	for i, t := range o.tasks {
		claims[i] = t.Claims
	}
	return claims
}

// lines are the tasks of lines: those that wait in memory and whose waits are to be recorded, and those
// behind them.
type lines[M, R comparable] struct{ unrecorded, behind waiting[M, R] }

// holdBack leaves out the tasks whose turn has not come: they wait before the claim, so
// that an open claim means a call. The other tasks get their turns, and do not wait until those
// behind the first of a line are put off: they may be thousands.
func (w *Worker[M, R, C]) holdBack(p phases, batch []*task[M, R]) []*task[M, R] {
	if w.Reserve == nil {
		return batch
	}
	var off waiting[M, R]
	var l lines[M, R]
	batch = w.dropLost(batch)
	kept := batch[:0]
	left := w.reserveAll(p.stores, batch)
	for i, t := range batch {
		switch wait := left[i]; {
		case wait <= 0:
			kept = append(kept, t)
		case wait <= shortWait:
			w.waitInQueue(t, wait)
			l.unrecorded.addAll(w.unrecorded(t, wait))
		default:
			w.waitLong(t, wait, &off, &l)
		}
	}
	if len(l.unrecorded.tasks)+len(l.behind.tasks) > 0 {
		w.puttingOff.Go(func() { w.putOffLines(p.claims, l) })
	}
	return append(kept, w.putOff(p.stores, off)...)
}

// putOffLines puts off what stood behind the first of lines, and records the waits of the first.
// There is one such transaction at a time, so that many lines leave the database to the claims. A stop
// waits for none of them: it brings forward what they leave in memory.
func (w *Worker[M, R, C]) putOffLines(ctx context.Context, l lines[M, R]) {
	came := time.Now()
	taken := w.putOffTurn.take(ctx, 1)
	defer w.putOffTurn.free(taken)
	if taken == 0 {
		w.queue.again(l.behind.tasks...)
		return
	}
	l.behind.pass(time.Since(came))
	l.unrecorded.pass(time.Since(came))
	w.queue.again(w.putOff(ctx, l.behind)...) // in their lines: a key has one call at a time
	w.recordWaits(ctx, l.unrecorded)
}

func (w *Worker[M, R, C]) recordWaits(ctx context.Context, unrecorded waiting[M, R]) {
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

// waitLong puts a task off. Where turns come one after the other, the first task of a key waits for
// its own in the queue, and with it some of those behind it; the others are put off.
func (w *Worker[M, R, C]) waitLong(t *task[M, R], wait time.Duration, off *waiting[M, R], l *lines[M, R]) {
	spacing := w.spacing(t)
	if wait > longestLine || spacing <= 0 {
		off.add(t, wait)
		return
	}
	w.waitInQueue(t, wait)
	kept, behind := w.queue.trimLine(t.Key, keptInLine)
	for i, t := range behind {
		l.behind.add(t, wait+time.Duration(kept+i)*spacing/2)
	}
	l.unrecorded.addAll(w.unrecorded(t, wait))
}

// unrecorded returns the tasks of a line, whose first waits so long, with waits that are to be recorded.
func (w *Worker[M, R, C]) unrecorded(first *task[M, R], wait time.Duration) (found waiting[M, R]) {
	spacing := w.spacing(first)
	if spacing <= 0 {
		return found
	}
	return w.queue.unrecorded(first.Key, wait, spacing, time.Now())
}

func (w *Worker[M, R, C]) waitInQueue(t *task[M, R], wait time.Duration) {
	w.Metrics.waits.WithLabelValues(w.Name, "queue").Inc()
	w.queue.later(t, time.Now().Add(wait))
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
		asking.Go(func() { t.turn, left[i] = w.Reserve(ctx, t.value) })
	}
	asking.Wait()
	return left
}

// putOff turns the waits of tasks into jobs. It returns the tasks that were not
// postponed: the claim drops those that are not open any more, the step ends those that
// are too late.
func (w *Worker[M, R, C]) putOff(ctx context.Context, off waiting[M, R]) (kept []*task[M, R]) {
	for some := range off.chunks {
		kept = append(kept, w.putOffSome(ctx, some)...)
	}
	return kept
}

func (w *Worker[M, R, C]) putOffSome(ctx context.Context, off waiting[M, R]) (kept []*task[M, R]) {
	var postponed []R
	err := guard.Do(func() (err error) {
		postponed, err = w.stage.Postpone(ctx, off.claims(), off.waits)
		return err
	})
	if err != nil && !Ended(ctx, err) {
		w.Logger.ErrorContext(ctx, "putting work off failed by our fault", "stage", w.Name, "err", err)
		return off.tasks // the claim finds out which of them is at fault
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "putting work off failed", "stage", w.Name, "err", err)
		for _, t := range off.tasks {
			w.queue.later(t, time.Now().Add(shortWait))
		}
		return nil
	}
	gone := make(map[R]bool, len(postponed))
	for _, key := range postponed {
		gone[key] = true
	}
	for _, t := range off.tasks {
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
