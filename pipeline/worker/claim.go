package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"crier/schema"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// claimAll takes tasks when slots are free, claims them and starts their steps.
func (w *Worker[M, R, C]) claimAll(p phases, inHand *sync.WaitGroup) {
	var linger time.Duration
	for p.claims.Err() == nil {
		_ = sleep.For(p.claims, linger) // a stop is seen below
		batch := w.reserveTurns(p, w.queue.take(p.claims, claimBatch))
		began := time.Now()
		started := w.claimBatch(p, batch, func(t *task[M, R], claimed C) {
			inHand.Go(func() { w.work(p, t, claimed) })
		})
		if linger = 0; started > 1 {
			linger = min(claimLinger, time.Since(began))
		}
		w.Metrics.queued.WithLabelValues(w.Name).Set(float64(w.queue.len()))
	}
}

// claimBatch claims tasks and starts a step for each claim; it returns how many. The
// tasks that were not claimed are done.
func (w *Worker[M, R, C]) claimBatch(p phases, batch []*task[M, R], start func(*task[M, R], C)) int {
	batch = w.dropLost(batch)
	if len(batch) == 0 {
		return 0
	}
	if p.claims.Err() != nil {
		w.queue.requeue(batch...)
		return 0
	}
	claimed, err := w.claimPatiently(p, batch)
	if err != nil {
		return w.claimEach(p, batch, err, start)
	}
	of := make(map[R]C, len(claimed))
	for _, claim := range claimed {
		of[w.stage.Key(claim)] = claim
	}
	started := 0
	for _, t := range batch {
		if t.message != nil {
			t.message.Ack()
			t.message = nil
		}
		if claim, ok := of[t.Claims]; ok {
			delete(of, t.Claims) // two messages may ask for the same target
			started++
			start(t, claim)
		} else {
			w.queue.done(t)
		}
	}
	return started
}

// dropLost leaves out tasks whose message now belongs to another consumer.
func (w *Worker[M, R, C]) dropLost(batch []*task[M, R]) []*task[M, R] {
	return slices.DeleteFunc(batch, func(t *task[M, R]) bool {
		isLost := t.lost()
		if isLost {
			w.queue.done(t)
		}
		return isLost
	})
}

// claimPatiently claims, and tries again for as long as the database does not answer: a
// claim without an answer may have been committed, and the next one takes it over. So it
// goes on after a stop, until shortly after the drain: what is claimed then is given
// back.
func (w *Worker[M, R, C]) claimPatiently(p phases, batch []*task[M, R]) (claimed []C, err error) {
	keys := make([]R, len(batch))
	for i, t := range batch {
		keys[i] = t.Claims
	}
	err = Retry(p.stores, w.Logger, "claiming", func() (err error) {
		claimed, err = w.stage.Claim(p.stores, keys)
		return err
	})
	return claimed, err
}

// claimEach claims the tasks of a batch that failed by our fault one by one, so that only
// the one at fault fails; it becomes a dead letter after schema.MaxFaults.
func (w *Worker[M, R, C]) claimEach(p phases, batch []*task[M, R], err error, start func(*task[M, R], C)) int {
	if p.claims.Err() != nil {
		w.queue.requeue(batch...)
		return 0
	}
	if len(batch) > 1 {
		started := 0
		for _, t := range batch {
			started += w.claimBatch(p, []*task[M, R]{t}, start)
		}
		return started
	}
	t := batch[0]
	t.faults++
	w.Logger.WarnContext(p.claims, "claiming failed by our fault", "stage", w.Name, "err", err, "faults", t.faults)
	if t.faults < schema.MaxFaults {
		w.queue.requeueAt(t, time.Now().Add(retry.Store.First<<t.faults))
		return 0
	}
	if w.fault(p.stores, t, schema.OpenClaim{}, t.faults, err) && t.message != nil {
		t.message.Ack()
	}
	w.queue.done(t)
	return 0
}

// fault notes a fault of ours, which counts as tries faults: schema.MaxFaults make a dead
// letter at once.
func (w *Worker[M, R, C]) fault(ctx context.Context, t *task[M, R], open schema.OpenClaim, tries int, err error) (noted bool) {
	return Note(ctx, w.Store, w.Logger, schema.Fault{
		Stage: w.Name, Subject: t.value.Subject(), Claim: open, Reason: err.Error(), Tries: tries,
		Message: schema.LogMessage{Topic: w.Name, Key: t.Key[:], Value: Encode(t.value)},
	})
}
