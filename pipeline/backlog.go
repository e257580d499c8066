package pipeline

import (
	"context"
	"time"

	"crier/pipeline/worker"
	"crier/schema"
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
	// passEvery is how often a pass begins, and passLimit how long one may take: after that
	// the next one looks for what has come to stand behind it.
	passEvery = time.Second
	passLimit = 15 * time.Second
	// askEvery is how often it is asked what became of what was fired, askSeldom where
	// nothing came of it.
	askEvery, askSeldom = 200 * time.Millisecond, time.Second
	// keptLimit bounds the jobs that are read and wait for credit: beyond it a lane that
	// stands still holds up those behind it.
	keptLimit = 2 * backlogChunk
)

// backlog fires the overdue jobs of some shards, in the order of their due times: those whose
// announcement or message was lost, that an earlier owner left, that fell due while nobody
// fired, or that were resumed. What is due now does not wait for it.
type backlog struct {
	*Delay
	shards []int16

	cursor *cursor // nil between two passes
	began  time.Time
	full   time.Time // when a pass last began at the beginning
	found  bool      // something, by this pass or the last
	kept   []shot    // read by the pass, and not fired yet
	asked  time.Time
	ask    time.Duration
}

func newBacklog(d *Delay, shards []int16) *backlog {
	return &backlog{Delay: d, shards: shards, ask: askEvery, found: true}
}

// drain works until ctx ends.
func (b *backlog) drain(ctx context.Context) {
	for pause := time.Duration(0); worker.Sleep(ctx, pause); {
		now := b.store.Now()
		b.settle(ctx, now)
		if b.cursor == nil || now.Sub(b.began) > passLimit {
			b.begin(now)
		}
		fired, err := b.step(ctx, now)
		switch {
		case err != nil:
			b.complain(ctx, "reading overdue jobs failed", err)
			pause = passEvery
		case fired > 0:
			pause = 0
		case len(b.kept) > 0:
			pause = askEvery / 2 // they wait for credit
		case b.cursor.ended():
			b.cursor = nil
			pause = max(passEvery-b.store.Now().Sub(b.began), 0)
		default:
			pause = 0
		}
	}
}

// begin begins a pass.
func (b *backlog) begin(now time.Time) {
	from := now.Add(-lowMark)
	if missed := b.missed.Swap(false); b.found || missed || now.Sub(b.full) > fullEvery {
		from, b.full = time.Time{}, now
	}
	b.cursor, b.kept, b.began, b.found = newCursor(b.store, b.shards, from, now.Add(-overdueAfter)), nil, now, false
}

// step reads what comes next, if few jobs are at hand, and fires what there is credit for.
func (b *backlog) step(ctx context.Context, now time.Time) (fired int, err error) {
	batch := b.choose(now)
	if len(batch) < fireBatch && len(b.kept) < keptLimit && !b.cursor.ended() {
		jobs, err := b.cursor.next(ctx)
		if err != nil {
			return 0, err
		}
		jobs = b.window.without(jobs, now)
		b.found = b.found || len(jobs) > 0
		b.kept = append(b.kept, b.shots(ctx, jobs)...)
		batch = append(batch, b.choose(now)...)
	}
	batch = b.mark(batch)
	if len(batch) > 0 {
		b.metrics.stragglers.Add(float64(len(batch)))
		b.fire(ctx, batch)
	}
	return len(batch), nil
}

// choose takes jobs from those at hand, in their order, for which there is credit. Where a
// post waits for one of its platforms, later ones of its accounts wait too.
func (b *backlog) choose(now time.Time) (batch []shot) {
	waiting := map[string]struct{}{}
	left := b.kept[:0]
	for i := range b.kept {
		s := b.kept[i]
		if len(batch) >= fireBatch || waits(waiting, s) || !b.credit.take(s.ID, s.loads, now) {
			left = append(left, s)
			if len(s.loads) > 1 {
				for _, r := range s.records {
					waiting[string(r.Key)] = struct{}{}
				}
			}
			continue
		}
		s.behind()
		batch = append(batch, s)
	}
	clear(b.kept[len(left):])
	b.kept = left
	return batch
}

func waits(waiting map[string]struct{}, s shot) bool {
	if len(waiting) == 0 {
		return false
	}
	for _, r := range s.records {
		if _, is := waiting[string(r.Key)]; is {
			return true
		}
	}
	return false
}

// mark leaves out the jobs that are being fired already.
func (b *backlog) mark(batch []shot) []shot {
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
	if now.Sub(b.asked) < b.ask {
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
