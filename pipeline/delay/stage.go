// Package delay is the stage that fires jobs at their time:
//
//	PostgreSQL ─ the next minute ─▶ window ─▶ due ─┬─▶ fire ─▶ topics publish, comment, refresh, collect, notify
//	topic delay ───────────────────▶               │
//	PostgreSQL ─ overdue ─▶ passes ─▶ buffer ──────┘   as fast as its platform takes it: credit
//
// What fires moves on by the visibility timeout, and fires again unless its effect has been committed.
package delay

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/sleep"
)

// store is what delay asks of the database about jobs.
type store interface {
	// Due returns jobs of the shards due after from and not after to, soonest first.
	Due(ctx context.Context, shards []int16, from, to time.Time, limit int) ([]schema.Job, error)
	// Fired moves jobs whose messages are in the log on by the visibility timeout, and
	// returns those that nobody has changed meanwhile.
	Fired(ctx context.Context, jobs []schema.Job) ([]schema.FiredJob, error)
	backlogStore
	// Overdue tells of the posts of the shards that are past their time and not done.
	Overdue(ctx context.Context, shards []int16) (schema.Overdue, error)
	worker.FaultStore
	Now() time.Time
}

// Stage fires the jobs of the shards it owns at their time: it holds those of the next
// minute in memory, filled from PostgreSQL and from its topic. Those that are overdue it
// reads from PostgreSQL, and fires as fast as they are taken. Several processes divide the
// shards by the partitions of the topic.
type Stage struct {
	store    store
	log      *stream.Log
	logger   *slog.Logger
	metrics  *Metrics
	hosts    *worker.Hosts
	consumer *stream.Consumer

	jobs        chan []schema.Job // to the window
	sent        chan sent         // from the window: they have fired, and are to be moved on
	assignments chan assignment
	window      *window
	firing      *firing
	credit      *credit
	missed      atomic.Bool // firing has failed: an overdue job may be anywhere
}

// assignment is the shards that this process owns until ctx ends.
type assignment struct {
	ctx    context.Context
	shards []int16
}

const (
	fillAhead = schema.AnnounceWindow / 2
	fillEvery = 10 * time.Second
	fillLimit = 50_000
	fillLook  = time.Second // how often it is looked whether it is time to fill
	fireBatch = 1000
	// windowLook is how often the window is looked at, at least: the server's clock may jump ahead.
	windowLook = time.Second
	// windowLimit bounds the window while the log is away and jobs fall due: some 250 MB.
	windowLimit = 500_000
	firers      = 4
	// sentQueue bounds the batches that have fired and wait to be moved on.
	sentQueue = 256
	// moveLinger is how long they wait for one another. It is shorter than overdueAfter: a pass over
	// the backlog does not meet them as a rule.
	moveLinger = 250 * time.Millisecond
)

// Config is what the stage is made of.
type Config struct {
	Store   store
	Log     *stream.Log
	Logger  *slog.Logger
	Metrics *Metrics
	Hosts   *worker.Hosts // nil: nothing is known of accounts
}

// New makes the stage.
func New(c Config) *Stage {
	d := &Stage{
		store: c.Store, log: c.Log, logger: c.Logger, metrics: c.Metrics, hosts: c.Hosts,
		jobs: make(chan []schema.Job, 64), sent: make(chan sent, sentQueue), assignments: make(chan assignment, 1), firing: newFiring(),
		window: newWindow(windowLimit), credit: newCredit(c.Store.Now()),
	}
	d.consumer = c.Log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-delay", Topic: schema.TopicDelay, MaxInFlight: worker.ReadAhead, Drain: worker.ConsumerEnd, Assigned: d.assigned,
	}, d.deliver)
	return d
}

// Ready reports whether the stage has its shards.
func (d *Stage) Ready() error { return d.consumer.Ready() }

// Run fires jobs until ctx ends.
func (d *Stage) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	due := make(chan []schema.Job)
	group.Go(func() error { return d.consumer.Run(ctx) })
	group.Go(func() error { d.keepWindow(ctx, due); return nil })
	group.Go(func() error { d.followAssignments(ctx); return nil })
	for range firers {
		group.Go(func() error { d.fireAll(ctx, due); return nil })
	}
	group.Go(func() error { d.moveSent(ctx); return nil })
	return group.Wait()
}

func (d *Stage) assigned(ctx context.Context, partitions []int) {
	total := d.log.Partitions(schema.TopicDelay)
	var shards []int16
	for _, p := range partitions {
		for s := p; s < schema.Shards; s += total {
			shards = append(shards, int16(s))
		}
	}
	select {
	case <-d.assignments: // replaced before it was used
	default:
	}
	d.assignments <- assignment{ctx, shards}
}

// deliver takes jobs from the topic. They are acknowledged at once: PostgreSQL has them.
func (d *Stage) deliver(ctx context.Context, messages []*stream.Message) {
	jobs := make([]schema.Job, 0, len(messages))
	for _, m := range messages {
		job, err := worker.Decode[schema.Job](m.Value)
		if err == nil {
			jobs = append(jobs, job)
		} else if !worker.Note(ctx, d.store, d.logger, worker.Unreadable(schema.TopicDelay, m, err)) {
			return
		}
		m.Ack()
	}
	d.enqueue(ctx, jobs)
}

// enqueue hands jobs to keepWindow, which puts them into the window.
func (d *Stage) enqueue(ctx context.Context, jobs []schema.Job) {
	if len(jobs) == 0 {
		return
	}
	select {
	case d.jobs <- jobs:
	case <-ctx.Done():
	}
}

// keepWindow owns the window: it takes jobs in and hands out those that are due.
func (d *Stage) keepWindow(ctx context.Context, due chan<- []schema.Job) {
	w := d.window
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		var out chan<- []schema.Job
		batch := d.firing.begin(w.due(d.store.Now(), fireBatch))
		if len(batch) > 0 {
			out = due
		} else if next, ok := w.next(); ok {
			timer.Reset(min(max(0, next.Sub(d.store.Now())), windowLook))
		}
		select {
		case <-ctx.Done():
			return
		case jobs := <-d.jobs:
			w.addAll(jobs)
		case <-timer.C:
		case out <- batch:
			batch = nil
		}
		w.addAll(batch) // where it was not handed out
		d.firing.end(batch)
	}
}

// followAssignments fills the window for the shards of each assignment. A process without
// shards shows nothing overdue: that is for their owners to show.
func (d *Stage) followAssignments(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-d.assignments:
			if len(a.shards) == 0 {
				d.metrics.showNothingOverdue()
				continue
			}
			d.serve(a)
		}
	}
}

// serve looks after the assigned shards until the assignment ends.
func (d *Stage) serve(a assignment) {
	var working sync.WaitGroup
	defer working.Wait()
	working.Go(func() { newBacklog(d, a.shards).drain(a.ctx) })
	working.Go(func() { d.followOverdue(a) })
	filled := d.store.Now()
	var nextFill time.Time
	for more := true; more; more = sleep.For(a.ctx, fillLook) == nil {
		if now := d.store.Now(); !now.Before(nextFill) || nextFill.Sub(now) > fillEvery {
			filled = d.fill(a, filled, now)
			nextFill = now.Add(fillEvery)
		}
	}
}

// fill reads the jobs of the next minute and returns how far it came. Where there are
// more than fit, those of the last instant read are left until they are overdue.
func (d *Stage) fill(a assignment, filled, now time.Time) time.Time {
	to := now.Add(fillAhead)
	if filled.After(to) { // the clock was set back
		filled = now
	}
	jobs, err := d.store.Due(a.ctx, a.shards, filled, to, fillLimit)
	if err != nil {
		d.complain(a.ctx, "reading the jobs of the next minute failed", err)
		return filled
	}
	d.enqueue(a.ctx, jobs)
	if len(jobs) == fillLimit {
		return jobs[len(jobs)-1].DueAt
	}
	return to
}

func (d *Stage) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		d.logger.WarnContext(ctx, what, "err", err)
	}
}

// fireAll fires batches of due jobs.
func (d *Stage) fireAll(ctx context.Context, due <-chan []schema.Job) {
	for {
		select {
		case <-ctx.Done():
			return
		case jobs := <-due:
			if !d.send(ctx, d.dispatches(ctx, jobs)) {
				continue
			}
			select {
			case d.sent <- sent{jobs, time.Now()}:
			case <-ctx.Done():
				return
			}
		}
	}
}
