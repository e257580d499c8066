package delay

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// dispatch is a job together with the messages that firing it produces.
type dispatch struct {
	schema.Job
	topic   string
	records []stream.Record
	loads   []load      // what each destination gets of the messages
	of      []recipient // of the messages, but for webhooks
}

// recipient is whom a message is for.
type recipient struct {
	workspace schema.WorkspaceID
	account   schema.AccountID
	at        destination
}

// dispatches decodes jobs into their messages. A job that cannot be decoded becomes a dead
// letter.
func (d *Stage) dispatches(ctx context.Context, jobs []schema.Job) []dispatch {
	dispatches := make([]dispatch, 0, len(jobs))
	for _, j := range jobs {
		decoded, err := dispatchOf(j)
		if err != nil {
			worker.Note(ctx, d.store, d.logger, schema.Fault{
				Stage: schema.TopicDelay, Subject: schema.Subject{ID: j.ID}, Reason: fmt.Sprintf("reading the job: %v", err), Tries: 1, Final: true,
				Message: schema.LogMessage{Topic: schema.TopicDelay, Value: worker.Encode(j)},
			})
			decoded = dispatch{Job: j} // without messages; it is only moved on, so that it does not come at once again
		}
		dispatches = append(dispatches, decoded)
	}
	return dispatches
}

func dispatchOf(j schema.Job) (dispatch, error) {
	d := dispatch{Job: j}
	switch j.Kind {
	case schema.JobPost:
		post, err := worker.Decode[schema.PostJob](j.Payload)
		d.topic = schema.TopicPublish
		for _, m := range post.Messages() {
			d.add(stream.Record{Key: m.Account[:], Value: worker.Encode(m), Headers: worker.TraceHeaders(m.Trace)}, m.Workspace, m.Platform)
		}
		return d, err
	case schema.JobComment:
		m, err := worker.Decode[schema.CommentMessage](j.Payload)
		d.topic = schema.TopicComment
		d.add(stream.Record{Key: m.Account[:], Value: j.Payload}, m.Workspace, m.Platform)
		return d, err
	case schema.JobCollect:
		m, err := worker.Decode[schema.CollectMessage](j.Payload)
		d.topic = schema.TopicCollect
		d.add(stream.Record{Key: m.Account[:], Value: j.Payload}, m.Workspace, m.Platform)
		return d, err
	case schema.JobRefresh:
		m, err := worker.Decode[schema.RefreshMessage](j.Payload)
		d.topic = schema.TopicRefresh
		d.add(stream.Record{Key: m.Account[:], Value: j.Payload}, m.Workspace, 0)
		return d, err
	default:
		m, err := worker.Decode[schema.NotifyMessage](j.Payload)
		d.topic = schema.TopicNotify
		d.records = append(d.records, stream.Record{Key: m.Webhook[:], Value: j.Payload, Headers: worker.TraceHeaders(m.Trace)})
		d.count(load{destination: destination{topic: d.topic}})
		d.count(load{destination: destination{topic: d.topic, webhook: m.Webhook}}) // the one webhook has a bound of its own
		return d, err
	}
}

// add adds a message for an account, whose key is its id.
func (d *dispatch) add(r stream.Record, workspace schema.WorkspaceID, platform schema.Platform) {
	at := destination{topic: d.topic, platform: platform}
	d.records = append(d.records, r)
	d.of = append(d.of, recipient{workspace, schema.AccountID(r.Key), at})
	d.count(load{destination: at})
}

// count counts a message of a destination.
func (d *dispatch) count(l load) {
	for i := range d.loads {
		if d.loads[i].destination == l.destination {
			d.loads[i].messages++
			return
		}
	}
	l.messages = 1
	d.loads = append(d.loads, l)
}

// addParts counts the messages of overdue jobs by server and by workspace, too.
func (d *Stage) addParts(ctx context.Context, dispatches []dispatch) {
	var all []recipient
	for _, job := range dispatches {
		all = append(all, job.of...)
	}
	hosts := worker.HostsOf(ctx, d.hosts, all, func(r recipient) schema.AccountID { return r.account })
	for i := range dispatches {
		job := &dispatches[i]
		for n, r := range job.of {
			within, host := r.at, hosts[n]
			at := destination{topic: within.topic, platform: host.Platform, server: host.Server}
			if host != (schema.Host{}) && at != within {
				job.count(load{destination: at, within: within})
			}
			job.count(load{destination: destination{topic: within.topic, platform: within.platform, workspace: r.workspace}, within: within})
		}
		hosts = hosts[len(job.of):]
	}
}

// markOverdue gives the messages the header of overdue work, so that work which is due now
// goes first.
func (d *dispatch) markOverdue() {
	since := worker.OverdueSince(d.DueAt)
	for i := range d.records {
		d.records[i].Headers = append(d.records[i].Headers, since)
	}
}

// fire writes the messages of overdue jobs to the log, and only then moves the jobs on, by the
// visibility timeout. Jobs that were not moved on fire again.
func (d *Stage) fire(ctx context.Context, dispatches []dispatch) {
	jobs := jobsOf(dispatches)
	defer d.credit.refund(jobs)
	if d.send(ctx, dispatches) {
		d.moveOn(ctx, jobs)
	}
}

func jobsOf(dispatches []dispatch) []schema.Job {
	jobs := make([]schema.Job, len(dispatches))
	for i, job := range dispatches {
		jobs[i] = job.Job
	}
	return jobs
}

// send writes the messages of jobs to the log. It reports whether they are there: where they are not, the
// jobs are not being fired any more.
func (d *Stage) send(ctx context.Context, dispatches []dispatch) bool {
	records := map[string][]stream.Record{}
	for _, job := range dispatches {
		records[job.topic] = append(records[job.topic], job.records...)
	}
	for topic, batch := range records {
		if err := d.log.Produce(ctx, topic, batch); err != nil {
			d.missed.Store(true)
			d.complain(ctx, "firing jobs failed; they are overdue and fire again", err)
			d.firing.end(jobsOf(dispatches))
			return false
		}
	}
	d.metrics.fired.Add(float64(len(dispatches)))
	return true
}

// moveOn moves jobs on whose messages are in the log, which ends their firing.
func (d *Stage) moveOn(ctx context.Context, jobs []schema.Job) {
	defer d.firing.end(jobs)
	for {
		var fired []schema.FiredJob
		err := worker.Retry(ctx, d.logger, "moving fired jobs on", func() (err error) {
			fired, err = d.store.Fired(ctx, jobs)
			return err
		})
		if err == nil {
			d.credit.noteDue(fired)
			return
		}
		if worker.Ended(ctx, err) {
			return
		}
		d.complain(ctx, "moving fired jobs on failed by our fault", err)
		if sleep.For(ctx, retry.Store.Cap) != nil { // tried until it succeeds: else the jobs would fire again and again
			return
		}
	}
}

// sent is jobs whose messages are in the log, since at.
type sent struct {
	jobs []schema.Job
	at   time.Time
}

// moveSent moves the jobs on that the window has fired. They wait for moveLinger: where the
// platform has answered by then the job is deleted, and its row is not written once more before.
// What is fired meanwhile is taken in at once, so that no firer waits for that, and moved with them.
func (d *Stage) moveSent(ctx context.Context) {
	var jobs []schema.Job
	linger := time.NewTimer(time.Hour)
	defer linger.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-d.sent:
			if len(jobs) == 0 {
				linger.Reset(time.Until(next.at.Add(moveLinger)))
			}
			jobs = append(jobs, next.jobs...)
		case <-linger.C:
			for range len(d.sent) {
				jobs = append(jobs, (<-d.sent).jobs...)
			}
			for some := range slices.Chunk(jobs, fireBatch) {
				d.moveOn(ctx, some)
			}
			jobs = nil
		}
	}
}

// firing is the set of jobs that are being fired and not moved on yet. A reader of the
// backlog that still finds them overdue must not fire them a second time.
type firing struct {
	mu    sync.Mutex
	jobs  map[wakeup]struct{}
	ended map[wakeup]struct{} // while the backlog is read, which may see them as they were before; nil: it is not read
}

// wakeup is one time that a job is due: with another time, or at another version, it fires of its own.
type wakeup struct {
	id      schema.JobID
	version int32
	due     int64 // in microseconds, as PostgreSQL has it
}

func wakeupOf(j schema.Job) wakeup { return wakeup{j.ID, j.Version, j.DueAt.UnixMicro()} }

func newFiring() *firing { return &firing{jobs: map[wakeup]struct{}{}} }

// begin marks jobs as being fired and returns those that were not marked before.
func (f *firing) begin(jobs []schema.Job) []schema.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh := jobs[:0]
	for _, j := range jobs {
		w := wakeupOf(j)
		if _, ok := f.jobs[w]; !ok {
			f.jobs[w] = struct{}{}
			fresh = append(fresh, j)
		}
	}
	return fresh
}

func (f *firing) end(jobs []schema.Job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range jobs {
		w := wakeupOf(j)
		delete(f.jobs, w)
		if f.ended != nil {
			f.ended[w] = struct{}{}
		}
	}
}

// beginRead and endRead are around a reading of the backlog, and without for what it has found.
func (f *firing) beginRead() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = map[wakeup]struct{}{}
}

func (f *firing) endRead() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = nil
}

// without returns the jobs that were not being fired at any time since they were read.
func (f *firing) without(jobs []schema.Job) []schema.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(jobs, func(j schema.Job) bool {
		w := wakeupOf(j)
		_, is := f.jobs[w]
		_, was := f.ended[w]
		return is || was
	})
}
