package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
)

// delayStore is what delay asks of the database about jobs.
type delayStore interface {
	// Due returns jobs of the shards due after from and not after to, soonest first.
	Due(ctx context.Context, shards []int16, from, to time.Time, limit int) ([]schema.Job, error)
	// Fired moves jobs whose messages are in the log on by the visibility timeout.
	Fired(ctx context.Context, jobs []schema.Job) error
	// Overdue tells of the posts of the shards that are past their time and not done.
	Overdue(ctx context.Context, shards []int16) (schema.Overdue, error)
	worker.FaultStore
	Now() time.Time
}

// Delay fires the jobs of the shards it owns at their time: it holds those of the next
// minute in memory, filled from PostgreSQL and from its topic, and looks in PostgreSQL
// for stragglers. Several processes divide the shards by the partitions of the topic.
type Delay struct {
	store    delayStore
	log      *stream.Log
	logger   *slog.Logger
	metrics  *Metrics
	consumer *stream.Consumer

	jobs        chan []schema.Job // to the window
	assignments chan assignment
	firing      *firing
}

// assignment is the shards that this process owns until ctx ends.
type assignment struct {
	ctx    context.Context
	shards []int16
}

const (
	fillAhead     = schema.AnnounceWindow / 2
	fillEvery     = 10 * time.Second
	fillLimit     = 50_000
	straggleEvery = time.Second
	straggleAfter = 500 * time.Millisecond // a job that is later than this is looked for
	straggleLimit = 10_000
	// lowMark is how far behind now a scan starts: further than any transaction lasts, so
	// that no job can still appear behind it. Now and then a scan starts at the beginning.
	lowMark   = time.Minute
	fullEvery = 300 // scans
	fireBatch = 1000
	// windowLimit bounds the window while the log is away and jobs fall due: some 250 MB.
	windowLimit = 500_000
	firers      = 4
)

// NewDelay makes the delay stage.
func NewDelay(store delayStore, log *stream.Log, logger *slog.Logger, metrics *Metrics) *Delay {
	d := &Delay{
		store: store, log: log, logger: logger, metrics: metrics,
		jobs: make(chan []schema.Job, 64), assignments: make(chan assignment, 1), firing: newFiring(),
	}
	d.consumer = log.NewConsumer(stream.ConsumerConfig{
		Group: "crier-delay", Topic: schema.TopicDelay, MaxInFlight: worker.ReadAhead, Drain: worker.ConsumerEnd, Assigned: d.assigned,
	}, d.deliver)
	return d
}

// Ready tells whether the stage has its shards.
func (d *Delay) Ready() error { return d.consumer.Ready() }

// Run fires jobs until ctx ends.
func (d *Delay) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	due := make(chan []schema.Job)
	group.Go(func() error { return d.consumer.Run(ctx) })
	group.Go(func() error { d.keepWindow(ctx, due); return nil })
	group.Go(func() error { d.followAssignments(ctx); return nil })
	for range firers {
		group.Go(func() error { d.fireAll(ctx, due); return nil })
	}
	return group.Wait()
}

func (d *Delay) assigned(ctx context.Context, partitions []int) {
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
func (d *Delay) deliver(ctx context.Context, messages []*stream.Message) {
	jobs := make([]schema.Job, 0, len(messages))
	for _, m := range messages {
		job, err := worker.Decode[schema.Job](m.Value)
		if err == nil {
			jobs = append(jobs, job)
		} else if !worker.Unreadable(ctx, d.store, d.logger, schema.TopicDelay, m, err) {
			return
		}
		m.Ack()
	}
	d.hold(ctx, jobs)
}

func (d *Delay) hold(ctx context.Context, jobs []schema.Job) {
	if len(jobs) == 0 {
		return
	}
	select {
	case d.jobs <- jobs:
	case <-ctx.Done():
	}
}

// keepWindow owns the window: it takes jobs in and hands out those that are due.
func (d *Delay) keepWindow(ctx context.Context, due chan<- []schema.Job) {
	w := newWindow(windowLimit)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		var out chan<- []schema.Job
		batch := d.firing.begin(w.due(d.store.Now(), fireBatch))
		if len(batch) > 0 {
			out = due
		} else if next, ok := w.next(); ok {
			timer.Reset(max(0, next.Sub(d.store.Now())))
		}
		select {
		case <-ctx.Done():
			return
		case jobs := <-d.jobs:
			d.admit(w, jobs)
		case <-timer.C:
		case out <- batch:
			batch = nil
		}
		for _, j := range batch { // not handed out yet
			d.firing.end(j.ID)
			w.add(j)
		}
	}
}

func (d *Delay) admit(w *window, jobs []schema.Job) {
	for _, j := range jobs {
		w.add(j)
	}
}

// followAssignments fills the window for the shards of each assignment. A process without
// shards shows nothing overdue: that is for their owners to show.
func (d *Delay) followAssignments(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-d.assignments:
			if len(a.shards) == 0 {
				d.metrics.showOverdue(schema.Overdue{})
				continue
			}
			d.serve(a)
		}
	}
}

// serve reads the jobs of the assigned shards until the assignment ends.
func (d *Delay) serve(a assignment) {
	filled := d.store.Now()
	var nextFill time.Time
	ticker := time.NewTicker(straggleEvery)
	defer ticker.Stop()
	for scan := 0; a.ctx.Err() == nil; scan++ {
		d.straggle(a, scan%fullEvery == 0)
		if now := d.store.Now(); !now.Before(nextFill) {
			filled = d.fill(a, filled, now)
			nextFill = now.Add(fillEvery)
		}
		select {
		case <-a.ctx.Done():
		case <-ticker.C:
		}
	}
}

// fill reads the jobs of the next minute and returns how far it came. Where there are
// more than fit, those of the last instant read are left to the scan for stragglers.
func (d *Delay) fill(a assignment, filled, now time.Time) time.Time {
	to := now.Add(fillAhead)
	jobs, err := d.store.Due(a.ctx, a.shards, filled, to, fillLimit)
	if err != nil {
		d.complain(a.ctx, "reading the jobs of the next minute failed", err)
		return filled
	}
	d.hold(a.ctx, jobs)
	if len(jobs) == fillLimit {
		return jobs[len(jobs)-1].DueAt
	}
	return to
}

// straggle fires jobs that are overdue and not in hand: their announcement or message was
// lost, or an earlier owner left them.
func (d *Delay) straggle(a assignment, full bool) {
	now := d.store.Now()
	from := now.Add(-lowMark)
	if full {
		from = time.Time{}
	}
	jobs, err := d.store.Due(a.ctx, a.shards, from, now.Add(-straggleAfter), straggleLimit)
	if err != nil {
		d.complain(a.ctx, "reading overdue jobs failed", err)
		return
	}
	missed := jobs[:0]
	for _, j := range jobs {
		if !d.firing.has(j.ID) {
			missed = append(missed, j)
		}
	}
	d.metrics.stragglers.Add(float64(len(missed)))
	d.hold(a.ctx, missed)
	overdue, err := d.store.Overdue(a.ctx, a.shards)
	if err != nil {
		d.complain(a.ctx, "reading what is overdue failed", err)
		return
	}
	d.metrics.showOverdue(overdue)
}

func (d *Delay) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		d.logger.WarnContext(ctx, what, "err", err)
	}
}

// fireAll fires batches of due jobs.
func (d *Delay) fireAll(ctx context.Context, due <-chan []schema.Job) {
	for {
		select {
		case <-ctx.Done():
			return
		case jobs := <-due:
			d.fire(ctx, jobs)
		}
	}
}

// fire writes the messages of jobs to the log, and only then moves the jobs on.
func (d *Delay) fire(ctx context.Context, jobs []schema.Job) {
	defer func() {
		for _, j := range jobs {
			d.firing.end(j.ID)
		}
	}()
	for topic, records := range d.messages(ctx, jobs) {
		if err := d.log.Produce(ctx, topic, records); err != nil {
			d.complain(ctx, "firing jobs failed; they are overdue and fire again", err)
			return
		}
	}
	d.metrics.fired.Add(float64(len(jobs)))
	for {
		_, err := worker.Retry(ctx, d.logger, "moving fired jobs on", func() (struct{}, error) { return struct{}{}, d.store.Fired(ctx, jobs) })
		if err == nil || worker.Ended(ctx, err) {
			return
		}
		d.complain(ctx, "moving fired jobs on failed by our fault", err) // they would fire again and again
		if !worker.Sleep(ctx, worker.LongestRetry) {
			return
		}
	}
}

// messages returns what jobs ask of the stages, by topic. A job that makes no sense is a
// dead letter.
func (d *Delay) messages(ctx context.Context, jobs []schema.Job) map[string][]stream.Record {
	records := map[string][]stream.Record{}
	for _, j := range jobs {
		topic, made, err := messagesOf(j)
		if err != nil {
			worker.Note(ctx, d.store, d.logger, schema.Fault{
				Stage: schema.TopicDelay, Subject: schema.Subject{ID: j.ID}, Reason: fmt.Sprintf("reading the job: %v", err), Tries: 1, Final: true,
				Message: schema.LogMessage{Topic: schema.TopicDelay, Value: worker.Encode(j)},
			})
			continue
		}
		records[topic] = append(records[topic], made...)
	}
	return records
}

func messagesOf(j schema.Job) (topic string, records []stream.Record, err error) {
	switch j.Kind {
	case schema.JobPost:
		post, err := worker.Decode[schema.PostJob](j.Payload)
		for _, m := range post.Messages() {
			records = append(records, stream.Record{Key: m.Account[:], Value: worker.Encode(m), Headers: traced(m.Trace)})
		}
		return schema.TopicPublish, records, err
	case schema.JobComment:
		m, err := worker.Decode[schema.CommentMessage](j.Payload)
		return schema.TopicComment, []stream.Record{{Key: m.Account[:], Value: j.Payload}}, err
	case schema.JobRefresh:
		m, err := worker.Decode[schema.RefreshMessage](j.Payload)
		return schema.TopicRefresh, []stream.Record{{Key: m.Account[:], Value: j.Payload}}, err
	default:
		m, err := worker.Decode[schema.NotifyMessage](j.Payload)
		return schema.TopicNotify, []stream.Record{{Key: m.Webhook[:], Value: j.Payload, Headers: traced(m.Trace)}}, err
	}
}

// firing is the jobs that are handed out and not moved on yet: a scan that still sees
// them overdue must not fire them twice.
type firing struct {
	mu  sync.Mutex
	ids map[schema.JobID]struct{}
}

func newFiring() *firing { return &firing{ids: map[schema.JobID]struct{}{}} }

// begin marks jobs and returns those that were not marked before.
func (f *firing) begin(jobs []schema.Job) []schema.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh := jobs[:0]
	for _, j := range jobs {
		if _, ok := f.ids[j.ID]; !ok {
			f.ids[j.ID] = struct{}{}
			fresh = append(fresh, j)
		}
	}
	return fresh
}

func (f *firing) end(id schema.JobID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.ids, id)
}

func (f *firing) has(id schema.JobID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.ids[id]
	return ok
}
