package pipeline

import (
	"context"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

// backlogStore is what the drain of a backlog asks of the database.
type backlogStore interface {
	// Backlog returns of each shard the next jobs behind a place that are not due after to.
	Backlog(ctx context.Context, after []schema.JobPlace, to time.Time, limit int) ([]schema.Job, error)
	// Unanswered returns which fired jobs are neither done nor put off.
	Unanswered(ctx context.Context, fired []schema.FiredJob) ([]schema.JobID, error)
}

const (
	overdueAfter = 500 * time.Millisecond // a job that is later than this is looked for
	// lowMark is how far behind now a pass starts: further than any transaction lasts, so
	// that no job can still appear behind it. A pass starts at the beginning while there is a
	// backlog, after firing has failed, and now and then.
	lowMark   = time.Minute
	fullEvery = 5 * time.Minute
	// passEvery is how often a pass begins, and passLimit how long one may take that passes
	// nothing over: after that the next one looks for what has come to stand behind it.
	passEvery = time.Second
	passLimit = 15 * time.Second
	// passRest is how long a pass from the beginning follows another one at the earliest, in
	// times of what that took to read.
	passRest = 10
	// askEvery is how often it is asked what became of what was fired, askSeldom where
	// nothing came of it.
	askEvery, askSeldom = 200 * time.Millisecond, time.Second
)

// backlog fires the overdue jobs of some shards, in the order of their due times: those whose
// announcement or message was lost, that an earlier owner left, that fell due while nobody
// fired, or that were resumed. What is due now does not wait for it.
type backlog struct {
	*Delay
	shards []int16

	pass   *reader   // over all that is overdue, or has become so lately; nil between two passes
	refill *reader   // over what was passed over, once there is room for it; nil: nothing, or none
	began  time.Time // the last pass
	full   time.Time // when a pass last began at the beginning
	again  time.Time // when one may again
	found  bool      // something, by this pass or the last
	kept   kept
	asked  time.Time
	ask    time.Duration
}

func newBacklog(d *Delay, shards []int16) *backlog {
	return &backlog{Delay: d, shards: shards, ask: askEvery, found: true, kept: newKept()}
}

// drain works until ctx ends.
func (b *backlog) drain(ctx context.Context) {
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; {
		now := b.store.Now()
		b.settle(ctx, now)
		b.begin(now)
		fired, err := b.step(ctx, now)
		switch {
		case err != nil:
			b.complain(ctx, "reading overdue jobs failed", err)
			pause = passEvery
		case fired > 0:
			pause = 0
		default:
			pause = b.pause()
		}
	}
}

// begin begins a pass, or a reader of what was passed over, where it is time for one.
func (b *backlog) begin(now time.Time) {
	if b.pass != nil && now.Sub(b.began) > passLimit && len(b.kept.passed) == 0 {
		b.pass = nil
		b.missed.Store(true)
	}
	if since := now.Sub(b.began); b.pass == nil && (since >= passEvery || since < 0) {
		b.beginPass(now)
	}
	if b.refill == nil {
		b.refill = b.kept.refill(b.store, b.shards, now.Add(-overdueAfter))
	}
}

func (b *backlog) beginPass(now time.Time) {
	from := now.Add(-lowMark)
	since := now.Sub(b.full)
	if b.missed.Swap(false) || b.found && !now.Before(b.again) || since > fullEvery || since < 0 {
		from, b.full, b.found = time.Time{}, now, false
	}
	b.began = now
	b.pass = newReader(b.store, b.shards, schema.JobPlace{DueAt: from}, now.Add(-overdueAfter))
}

// pause is how long there is nothing to do.
func (b *backlog) pause() time.Duration {
	pause := passEvery
	if b.pass == nil {
		pause = min(pause, passEvery-b.store.Now().Sub(b.began))
	}
	for _, r := range []*reader{b.refill, b.pass} {
		if r != nil && !r.waits {
			pause = min(pause, time.Until(r.restsUntil))
		}
	}
	if len(b.kept.dispatches) > 0 {
		pause = min(pause, askEvery/2) // they wait for credit
	}
	return max(0, pause)
}

// step fires what there is credit for, and reads what comes next where that is little.
func (b *backlog) step(ctx context.Context, now time.Time) (fired int, err error) {
	batch := b.choose(now)
	if len(batch) < fireBatch {
		if err = b.readOn(ctx, now); err == nil {
			batch = append(batch, b.choose(now)...)
		}
	}
	batch = b.mark(batch)
	if len(batch) > 0 {
		b.metrics.stragglers.Add(float64(len(batch)))
		b.fire(ctx, batch)
	}
	return len(batch), err
}

// readOn has the readers read that are not at rest.
func (b *backlog) readOn(ctx context.Context, now time.Time) error {
	for _, r := range []*reader{b.refill, b.pass} {
		if r == nil || time.Now().Before(r.restsUntil) {
			continue
		}
		if err := b.read(ctx, r, now); err != nil {
			return err
		}
	}
	if b.refill != nil && b.kept.refilled(b.refill, b.began.Add(-overdueAfter)) {
		b.refill = nil
	}
	if b.pass != nil && b.pass.ended() {
		if b.pass.from.IsZero() {
			b.again = now.Add(passRest * b.pass.took)
		}
		b.pass = nil
	}
	return nil
}

// read takes in what a reader comes to next.
func (b *backlog) read(ctx context.Context, r *reader, now time.Time) error {
	began := time.Now()
	if len(r.read) == 0 && !r.cursor.ended() {
		jobs, err := r.cursor.next(ctx)
		if err != nil {
			return err
		}
		jobs = b.window.without(jobs, now)
		b.found = b.found || len(jobs) > 0
		r.read = b.dispatches(ctx, b.credit.without(jobs))
	}
	before, offered := len(b.kept.dispatches), 0
	r.waits = false
	for len(r.read) > 0 {
		s := r.read[0]
		if r.waits = !b.kept.offer(r, s, func(of destination, waiting int) bool { return b.credit.slow(of, waiting, now) }); r.waits {
			break
		}
		offered++
		r.at, r.read = s.Place(), r.read[1:]
	}
	r.rest(time.Since(began), 2*(len(b.kept.dispatches)-before) < offered)
	return nil
}

// choose takes jobs from those at hand, in their order, for which there is credit. Where a
// post waits for one of its platforms, later ones of its accounts wait too.
func (b *backlog) choose(now time.Time) (batch []dispatch) {
	waiting := map[string]struct{}{}
	b.kept.take(func(s *dispatch) bool {
		if len(batch) >= fireBatch || waits(waiting, s.records) || !b.credit.take(s.ID, s.loads, now) {
			if len(s.loads) > 1 {
				for _, r := range s.records {
					waiting[string(r.Key)] = struct{}{}
				}
			}
			return false
		}
		s.behind()
		batch = append(batch, *s)
		return true
	})
	return batch
}

// mark leaves out the jobs that are being fired already.
func (b *backlog) mark(batch []dispatch) []dispatch {
	jobs := make([]schema.Job, len(batch))
	for i, s := range batch {
		jobs[i] = s.Job
	}
	fresh := b.firing.begin(jobs)
	if len(fresh) == len(batch) {
		return batch
	}
	mine := make(map[schema.JobID]struct{}, len(fresh))
	for _, j := range fresh {
		mine[j.ID] = struct{}{}
	}
	kept := batch[:0]
	for _, s := range batch {
		if _, is := mine[s.ID]; is {
			kept = append(kept, s)
			continue
		}
		b.credit.giveBack([]schema.Job{s.Job})
	}
	return kept
}

// settle finds out what became of the jobs that were fired.
func (b *backlog) settle(ctx context.Context, now time.Time) {
	if since := now.Sub(b.asked); since >= 0 && since < b.ask { // less than none: the clock was set back
		return
	}
	b.asked = now
	open := b.credit.open()
	if len(open) == 0 {
		b.credit.settle(nil, nil, now)
		return
	}
	waiting, err := b.store.Unanswered(ctx, open)
	if err != nil {
		b.complain(ctx, "reading what became of fired jobs failed", err)
		return
	}
	if b.ask = askEvery; b.credit.settle(open, waiting, b.store.Now()) == 0 {
		b.ask = askSeldom
	}
}
