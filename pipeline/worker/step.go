package worker

import (
	"context"

	"crier/schema"
)

// work takes one step and gives the key back, or goes on with the next step.
func (w *Worker[M, R, C]) work(p phases, t *task[M, R], claimed C) {
	ctx, span := w.Tracer.Message(p.stores, w.Name, t.trace)
	defer span.End()
	if w.takeStep(ctx, p.calls, t, claimed) {
		w.queue.again(t)
		return
	}
	w.queue.done(t)
}

// takeStep takes one step, in which nobody is called once calls has ended, and stores what
// it came to. It tells whether the next is due at once.
func (w *Worker[M, R, C]) takeStep(ctx, calls context.Context, t *task[M, R], claimed C) (again bool) {
	held, err := claimed.Held()
	if err != nil {
		w.fault(ctx, t, held, 1, err)
		return false
	}
	outcome, err := w.do(ctx, calls, claimed, t.turn)
	if err == nil {
		_, err = Retry(ctx, w.Logger, "storing a result", func() (struct{}, error) { return struct{}{}, outcome.Store(ctx) })
		if err != nil && Ended(ctx, err) {
			return false
		}
	}
	if err != nil {
		w.fault(ctx, t, held, 1, err)
		return false
	}
	if outcome.GivenBack {
		w.givenBack.Add(1)
	}
	return outcome.Again
}

// do takes a step under a context that ends with calls, too.
func (w *Worker[M, R, C]) do(ctx, calls context.Context, claimed C, turn schema.Turn) (Outcome, error) {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	defer context.AfterFunc(calls, cut)()
	if calls.Err() != nil {
		cut() // now, and not in a moment
	}
	return Guard(func() (Outcome, error) { return w.stage.Do(ctx, claimed, turn) })
}
