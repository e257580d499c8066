package pipeline

import (
	"context"
	"fmt"
	"sync"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/sleep"
)

// dispatch is a job with the messages that it asks for.
type dispatch struct {
	schema.Job
	topic   string
	records []stream.Record
	loads   []load // of the destinations that take the messages
}

// dispatches returns jobs with their messages. A job that cannot be read becomes a dead
// letter.
func (d *Delay) dispatches(ctx context.Context, jobs []schema.Job) []dispatch {
	dispatches := make([]dispatch, 0, len(jobs))
	for _, j := range jobs {
		s, err := dispatchOf(j)
		if err != nil {
			worker.Note(ctx, d.store, d.logger, schema.Fault{
				Stage: schema.TopicDelay, Subject: schema.Subject{ID: j.ID}, Reason: fmt.Sprintf("reading the job: %v", err), Tries: 1, Final: true,
				Message: schema.LogMessage{Topic: schema.TopicDelay, Value: worker.Encode(j)},
			})
			s = dispatch{Job: j} // it moves on
		}
		dispatches = append(dispatches, s)
	}
	return dispatches
}

func dispatchOf(j schema.Job) (dispatch, error) {
	s := dispatch{Job: j}
	switch j.Kind {
	case schema.JobPost:
		post, err := worker.Decode[schema.PostJob](j.Payload)
		s.topic = schema.TopicPublish
		for _, m := range post.Messages() {
			s.add(stream.Record{Key: m.Account[:], Value: worker.Encode(m), Headers: traced(m.Trace)}, destination{topic: s.topic, platform: m.Platform})
		}
		return s, err
	case schema.JobComment:
		m, err := worker.Decode[schema.CommentMessage](j.Payload)
		s.topic = schema.TopicComment
		s.add(stream.Record{Key: m.Account[:], Value: j.Payload}, destination{topic: s.topic, platform: m.Platform})
		return s, err
	case schema.JobRefresh:
		m, err := worker.Decode[schema.RefreshMessage](j.Payload)
		s.topic = schema.TopicRefresh
		s.add(stream.Record{Key: m.Account[:], Value: j.Payload}, destination{topic: s.topic})
		return s, err
	default:
		m, err := worker.Decode[schema.NotifyMessage](j.Payload)
		s.topic = schema.TopicNotify
		s.add(stream.Record{Key: m.Webhook[:], Value: j.Payload, Headers: traced(m.Trace)}, destination{topic: s.topic})
		s.loads = append(s.loads, load{destination{topic: s.topic, webhook: m.Webhook}, 1})
		return s, err
	}
}

func (s *dispatch) add(r stream.Record, to destination) {
	s.records = append(s.records, r)
	for i := range s.loads {
		if s.loads[i].destination == to {
			s.loads[i].messages++
			return
		}
	}
	s.loads = append(s.loads, load{to, 1})
}

// behind marks the messages of an overdue job, so that work which is due now goes first.
func (s *dispatch) behind() {
	since := worker.OverdueSince(s.DueAt)
	for i := range s.records {
		s.records[i].Headers = append(s.records[i].Headers, since)
	}
}

// fire writes the messages of jobs to the log, and only then moves the jobs on. Jobs that
// were not moved on fire again.
func (d *Delay) fire(ctx context.Context, dispatches []dispatch) {
	jobs := make([]schema.Job, len(dispatches))
	records := map[string][]stream.Record{}
	for i, s := range dispatches {
		jobs[i] = s.Job
		records[s.topic] = append(records[s.topic], s.records...)
	}
	defer d.firing.end(jobs)
	defer d.credit.giveBack(jobs)
	for topic, of := range records {
		if err := d.log.Produce(ctx, topic, of); err != nil {
			d.missed.Store(true)
			d.complain(ctx, "firing jobs failed; they are overdue and fire again", err)
			return
		}
	}
	d.metrics.fired.Add(float64(len(jobs)))
	for {
		fired, err := worker.Retry(ctx, d.logger, "moving fired jobs on", func() ([]schema.FiredJob, error) { return d.store.Fired(ctx, jobs) })
		if err == nil {
			d.credit.moved(fired)
			return
		}
		if worker.Ended(ctx, err) {
			return
		}
		d.complain(ctx, "moving fired jobs on failed by our fault", err) // or they would fire again and again
		if sleep.For(ctx, worker.LongestRetry) != nil {
			return
		}
	}
}

// firing is the jobs that are being fired and not moved on yet: a scan that still sees
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

func (f *firing) end(jobs []schema.Job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range jobs {
		delete(f.ids, j.ID)
	}
}
