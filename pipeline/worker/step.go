package worker

import (
	"context"

	"crier/schema/guard"
)

// work takes steps as long as the next is due at once; then the task is done.
func (w *Worker[M, R, C]) work(p phases, t *task[M, R], claimed C) {
	ctx, span := w.Tracer.Message(p.stores, w.Name, t.trace)
	defer span.End()
	if w.takeStep(ctx, p.calls, t, claimed) {
		w.queue.requeue(t)
		return
	}
	w.queue.done(t)
}

// takeStep takes one step and stores its result; once calls has ended it makes no call.
// again is whether the next step is due at once.
func (w *Worker[M, R, C]) takeStep(ctx, calls context.Context, t *task[M, R], claimed C) (again bool) {
	open, err := claimed.OpenClaim()
	if err != nil {
		w.fault(ctx, t, open, 1, err)
		return false
	}
	w.queue.beginCall(t)
	outcome, err := w.do(ctx, calls, t, claimed)
	w.queue.endCall(t)
	if err == nil {
		err = Retry(ctx, w.Logger, "storing a result", func() error { return outcome.Store(ctx) })
		if err != nil && Ended(ctx, err) {
			return false
		}
	}
	if err != nil {
		w.fault(ctx, t, open, 1, err)
		return false
	}
	if outcome.GivenBack {
		w.givenBack.Add(1)
	}
	return outcome.Again
}

// do takes a step under a context that also ends with calls.
func (w *Worker[M, R, C]) do(ctx, calls context.Context, t *task[M, R], claimed C) (outcome Outcome, err error) {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	ctx = w.queue.handingOff(ctx, t)
	defer context.AfterFunc(calls, cut)()
	if calls.Err() != nil {
		cut() // at once: AfterFunc runs in a goroutine of its own
	}
	err = guard.Do(func() (err error) {
		outcome, err = w.stage.Do(ctx, claimed, t.reservation)
		return err
	})
	return outcome, err
}
