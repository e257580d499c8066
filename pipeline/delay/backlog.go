package delay

import (
	"context"
	"slices"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

// backlogStore is what the drain of a backlog asks of the database.
type backlogStore interface {
	// Backlog returns the next jobs of each shard behind its place, at most limit a shard, that
	// are not due after to.
	Backlog(ctx context.Context, after []schema.JobPlace, to time.Time, limit int) ([]schema.Job, error)
	// Unheld returns the jobs that the hold of a restore is not on, and puts the others off.
	Unheld(ctx context.Context, jobs []schema.Job) ([]schema.Job, error)
	// Unanswered returns which of the fired jobs are neither done nor postponed.
	Unanswered(ctx context.Context, fired []schema.FiredJob) ([]schema.JobID, error)
}

const (
	overdueAfter = 500 * time.Millisecond // later than this, a job belongs to the backlog
	// refillsAtOnce bounds the readers of skipped jobs. Each goes on for the destinations that
	// have room left; another begins for those that were full and have room again, since jobs
	// of the first may lie far behind theirs.
	refillsAtOnce = 4
	// settleEvery is how often PostgreSQL is asked which fired jobs are done, settleSeldom how
	// often after an answer that none is, until others are fired.
	settleEvery, settleSeldom = 200 * time.Millisecond, time.Second
)

// backlog fires the overdue jobs of some shards, in the order of their due times: those whose
// announcement or message was lost, that the shards' last owner did not get to, that fell due
// while no process ran, or that were resumed. Jobs that are due now do not wait for it.
type backlog struct {
	delay  *Stage
	shards []int16

	passes  passes
	pass    *reader   // over all overdue jobs, or those that are so lately; nil between two passes
	refills []*reader // over skipped jobs; none if there are none, or no room for them
	buffer  buffer
	readTo  time.Time // the furthest that the last pass and the readers since then read, or will

	settled        time.Time // when that was last asked for
	settleInterval time.Duration
}

func newBacklog(d *Stage, shards []int16) *backlog {
	return &backlog{delay: d, shards: shards, settleInterval: settleEvery, buffer: newBuffer()}
}

// drain fires overdue jobs until ctx ends.
func (b *backlog) drain(ctx context.Context) {
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; {
		now := b.delay.store.Now()
		b.settle(ctx, now)
		b.beginReaders(now)
		fired, err := b.step(ctx, now)
		switch {
		case err != nil:
			b.delay.complain(ctx, "reading overdue jobs failed", err)
			pause = passEvery
		case fired > 0:
			pause, b.settleInterval = 0, settleEvery
		default:
			pause = b.pause()
		}
	}
}

// beginReaders begins a pass or a reader of skipped jobs if it is time for one.
func (b *backlog) beginReaders(now time.Time) {
	if b.pass != nil && b.passes.overrun(now) && len(b.buffer.skipped) == 0 {
		b.pass = nil
		b.delay.missed.Store(true)
	}
	if b.pass == nil && b.passes.due(now) {
		b.beginPass(now)
	}
	if len(b.refills) < refillsAtOnce {
		if r := b.buffer.refill(b.delay.store, b.shards, now.Add(-overdueAfter)); r != nil {
			b.refills = append(b.refills, r)
			if r.to.After(b.readTo) {
				b.readTo = r.to
			}
		}
	}
}

// readers are those that skipped jobs are read by, and the pass.
func (b *backlog) readers() []*reader {
	if b.pass == nil {
		return b.refills
	}
	return append(slices.Clone(b.refills), b.pass)
}

func (b *backlog) beginPass(now time.Time) {
	from := b.passes.begin(now, b.delay.missed.Swap(false))
	b.readTo = now.Add(-overdueAfter)
	b.pass = newReader(b.delay.store, b.shards, schema.JobPlace{DueAt: from}, b.readTo)
}

// pause returns how long there is nothing to do.
func (b *backlog) pause() time.Duration {
	pause := passEvery
	if b.pass == nil {
		pause = min(pause, b.passes.wait(b.delay.store.Now()))
	}
	for _, r := range b.readers() {
		if !r.waits {
			pause = min(pause, time.Until(r.pausedTo))
		}
	}
	if len(b.buffer.dispatches) > 0 {
		pause = min(pause, settleEvery/2) // they wait for credit
	}
	return max(0, pause)
}

// step fires the jobs for which there is credit, and reads on if they are less than a batch.
func (b *backlog) step(ctx context.Context, now time.Time) (fired int, err error) {
	batch := b.choose(now)
	if len(batch) < fireBatch {
		if err = b.readOn(ctx, now); err == nil {
			batch = append(batch, b.choose(now)...)
		}
	}
	batch = b.beginFiring(batch)
	if len(batch) > 0 {
		b.delay.metrics.stragglers.Add(float64(len(batch)))
		b.delay.fire(ctx, batch)
	}
	return len(batch), err
}

// readOn lets each reader that does not pause read a chunk, and drops those that are done.
func (b *backlog) readOn(ctx context.Context, now time.Time) error {
	for _, r := range b.readers() {
		if time.Now().Before(r.pausedTo) {
			continue
		}
		if err := b.read(ctx, r, now); err != nil {
			return err
		}
	}
	b.refills = slices.DeleteFunc(b.refills, func(r *reader) bool { return b.buffer.refilled(r, b.readTo) })
	if b.pass != nil && b.pass.ended() {
		b.passes.end(b.pass.from.IsZero(), b.pass.busy, now)
		b.pass = nil
	}
	return nil
}

// read lets one reader offer the buffer its next jobs, until one has to wait for room.
func (b *backlog) read(ctx context.Context, r *reader, now time.Time) error {
	began := time.Now()
	if len(r.unread) == 0 && !r.cursor.ended() {
		jobs, err := b.next(ctx, r.cursor, now)
		if err != nil {
			return err
		}
		jobs = b.unheld(ctx, jobs)
		if len(jobs) > 0 {
			b.passes.found = true
		}
		r.unread = b.delay.dispatches(ctx, b.delay.credit.withoutFired(jobs))
		b.delay.addParts(ctx, r.unread)
	}
	before, offered := len(b.buffer.dispatches), 0
	r.waits = false
	for len(r.unread) > 0 {
		d := r.unread[0]
		if r.waits = !b.buffer.offer(r, d, func(of destination, waiting int) bool { return b.delay.credit.slow(of, waiting, now) }); r.waits {
			break
		}
		offered++
		r.position, r.unread = d.Place(), r.unread[1:]
	}
	r.pace(time.Since(began), 2*(len(b.buffer.dispatches)-before) < offered)
	return nil
}

// next reads on, but for the jobs that the window has and fires by now, and those that are being fired. Where
// one of these is not moved on, a full pass finds it.
func (b *backlog) next(ctx context.Context, c *cursor, now time.Time) ([]schema.Job, error) {
	d := b.delay
	d.firing.beginRead()
	defer d.firing.endRead()
	jobs, err := c.next(ctx)
	if err != nil {
		return nil, err
	}
	jobs, c.beyond = d.window.without(jobs, now), d.window.without(c.beyond, now)
	read := len(jobs) + len(c.beyond)
	jobs, c.beyond = d.firing.without(jobs), d.firing.without(c.beyond)
	b.passes.found = b.passes.found || len(jobs)+len(c.beyond) < read
	return jobs, nil
}

// unheld leaves out what the hold of a restore is on, which may be millions that a claim would refuse
// one after the other. Where it cannot be asked for, the claims do.
func (b *backlog) unheld(ctx context.Context, jobs []schema.Job) []schema.Job {
	unheld, err := b.delay.store.Unheld(ctx, jobs)
	if err != nil {
		b.delay.complain(ctx, "reading what a restore holds failed", err)
		return jobs
	}
	return unheld
}

// choose takes from the buffer, in order, the jobs for which there is credit. While a post
// waits for one of its destinations, later posts of its accounts wait too.
func (b *backlog) choose(now time.Time) (batch []dispatch) {
	waiting := map[string]struct{}{}
	b.buffer.take(func(d *dispatch) bool {
		if len(batch) >= fireBatch || anyWaits(waiting, d.records) || !b.delay.credit.take(d.ID, d.loads, now) {
			if len(d.records) > 1 {
				for _, r := range d.records {
					waiting[string(r.Key)] = struct{}{}
				}
			}
			return false
		}
		d.markOverdue()
		batch = append(batch, *d)
		return true
	})
	return batch
}

// beginFiring marks the jobs as being fired, and leaves out those that are already.
func (b *backlog) beginFiring(batch []dispatch) []dispatch {
	fresh := b.delay.firing.begin(jobsOf(batch))
	if len(fresh) == len(batch) {
		return batch
	}
	marked := make(map[schema.JobID]struct{}, len(fresh))
	for _, j := range fresh {
		marked[j.ID] = struct{}{}
	}
	return slices.DeleteFunc(batch, func(d dispatch) bool {
		_, is := marked[d.ID]
		if !is {
			b.delay.credit.refund([]schema.Job{d.Job})
		}
		return !is
	})
}

// settle asks which fired jobs are done, and releases their credit.
func (b *backlog) settle(ctx context.Context, now time.Time) {
	if !hasPassed(b.settleInterval, b.settled, now) {
		return
	}
	b.settled = now
	fired := b.delay.credit.firedJobs()
	if len(fired) == 0 {
		b.delay.credit.settle(nil, nil, now)
		return
	}
	unanswered, err := b.delay.store.Unanswered(ctx, fired)
	if err != nil {
		b.delay.complain(ctx, "reading what became of fired jobs failed", err)
		return
	}
	if b.settleInterval = settleEvery; b.delay.credit.settle(fired, unanswered, b.delay.store.Now()) == 0 {
		b.settleInterval = settleSeldom
	}
}
